//! State of a gate in a run: its outages, and the packets that they destroy.

use super::outages::{Outage, Outages};
use airtcp_core::{Cancel, CancelCheck, Instant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Packets that an outage destroys.
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

/// A gate in motion.
#[derive(Debug)]
pub struct GateProcess {
    outages: Box<dyn Outages>,
    current: Outage,
    loses: Loses,
    watch: CancelCheck,
}

impl GateProcess {
    /// Nothing is drawn before somebody asks.
    pub(super) fn new(outages: impl Outages + 'static, loses: Loses) -> Self {
        let current = Outage { down: Instant::START, up: Instant::START };
        GateProcess { outages: Box::new(outages), current, loses, watch: CancelCheck::default() }
    }

    /// Makes answers come soon after `cancel` is set, when they mean nothing.
    pub fn watch(&mut self, cancel: &Cancel) {
        self.watch = CancelCheck::new(cancel);
        self.outages.watch(cancel);
    }

    /// Packets that an outage destroys.
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
            self.current =
                if self.watch.is_cancelled() { Outage::NEVER } else { self.outages.next() };
        }
    }
}
