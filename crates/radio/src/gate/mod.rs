//! A gate says when a link is up: a process of outages, the same for both directions of a hop.

mod on_off;
mod periodic;
mod schedule;
mod spikes;

use crate::spec_error::SpecError;
use airtcp_core::{Cancel, Instant, Stream, Watch, registry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use on_off::OnOff;
pub use periodic::Periodic;
pub use schedule::Schedule;
pub use spikes::{Spikes, Timing};

/// What an outage takes with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Loses {
    /// A disconnection: what waits, is transmitted or on the wire is lost, and so is what is
    /// offered while the link is down.
    #[default]
    All,
    /// A pause: transmissions start only while the link is up; those that have started go on.
    Nothing,
}

/// The direction of the packets that an outage meets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Direction {
    /// Both.
    #[default]
    Both,
    /// Those from the near end of the hop to its far end.
    Forward,
    /// Those from its far end to its near end.
    Back,
}

/// The link is down in `[down, up)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// First instant at which it is down.
    pub down: Instant,
    /// First instant at which it is up again.
    pub up: Instant,
}

impl Outage {
    /// None any more.
    pub const NEVER: Outage = Outage { down: Instant::NEVER, up: Instant::NEVER };
}

/// The outages of a sample path, in order and apart from each other; after the last one
/// [`Outage::NEVER`].
pub trait Outages: std::fmt::Debug + Send {
    /// The next one.
    fn next(&mut self) -> Outage;

    /// Outages that are over at `now` need not be given out: what gets there without going through them does so.
    fn skip(&mut self, _now: Instant) {}

    /// From now on the next one comes soon after `cancel` is set, and means nothing then.
    fn watch(&mut self, _cancel: &Cancel) {}
}

/// A gate in motion.
#[derive(Debug)]
pub struct GateProcess {
    outages: Box<dyn Outages>,
    current: Outage,
    loses: Loses,
    watch: Watch,
}

impl GateProcess {
    /// Nothing is drawn before somebody asks.
    fn new(outages: impl Outages + 'static, loses: Loses) -> Self {
        let current = Outage { down: Instant::START, up: Instant::START };
        GateProcess { outages: Box::new(outages), current, loses, watch: Watch::default() }
    }

    /// From now on answers come soon after `cancel` is set, and mean nothing then.
    pub fn watch(&mut self, cancel: &Cancel) {
        self.watch = Watch::new(cancel);
        self.outages.watch(cancel);
    }

    /// What an outage takes with it.
    #[must_use]
    pub fn loses(&self) -> Loses {
        self.loses
    }

    /// The first outage that is not over at `now`, which never runs back.
    #[inline]
    pub fn outage(&mut self, now: Instant) -> Outage {
        if self.current.up <= now && self.current.down < Instant::NEVER {
            self.pass(now);
        }
        self.current
    }

    fn pass(&mut self, now: Instant) {
        self.outages.skip(now);
        while self.current.up <= now && self.current.down < Instant::NEVER {
            self.current = if self.watch.ends() { Outage::NEVER } else { self.outages.next() };
        }
    }
}

registry! {
    /// A process of outages, by name.
    pub enum GateSpec: Spec {
        "on-off" => OnOff(on_off::OnOff), "Up and down for exponential times.", "elaarag2000";
        "periodic" => Periodic(periodic::Periodic), "Up and down for fixed times.", "elaarag2000";
        "schedule" => Schedule(schedule::Schedule), "Down and up at given instants.", "airtcp";
        "spikes" => Spikes(spikes::Spikes), "Delay spikes: everything is held for a while, nothing is lost.", "kuusela2004";
    }
}

/// What every registered gate can do.
pub trait Spec {
    /// The process driven by `stream`.
    ///
    /// # Errors
    /// If the values contradict each other.
    fn build(&self, stream: Stream) -> Result<GateProcess, SpecError>;

    /// Which packets meet the outages.
    fn direction(&self) -> Direction {
        Direction::Both
    }

    /// Whether chance decides the outages. A gate that can be built and says no has the same outages on
    /// every stream.
    fn is_random(&self) -> bool {
        true
    }
}

impl Spec for GateSpec {
    fn build(&self, stream: Stream) -> Result<GateProcess, SpecError> {
        self.spec().build(stream)
    }

    fn direction(&self) -> Direction {
        self.spec().direction()
    }

    fn is_random(&self) -> bool {
        self.spec().is_random()
    }
}
