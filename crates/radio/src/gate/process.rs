//! State of a gate in a run: its outages, and the packets that they destroy.

use super::outages::{Outage, Outages};
use airtcp_core::{Cancel, CancelCheck, Instant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Packets that an outage destroys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum OutageLosses {
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
    loses: OutageLosses,
    watch: CancelCheck,
}

impl GateProcess {
    /// Builds the gate; nothing is drawn before the first call of [`GateProcess::current_outage`].
    pub(super) fn new(outages: impl Outages + 'static, loses: OutageLosses) -> Self {
        let current = Outage { down: Instant::START, up: Instant::START };
        GateProcess { outages: Box::new(outages), current, loses, watch: CancelCheck::default() }
    }

    /// Lets calls return soon after `cancel` is set; their results are then meaningless.
    pub fn watch(&mut self, cancel: &Cancel) {
        self.watch = CancelCheck::new(cancel);
        self.outages.watch(cancel);
    }

    /// Packets that an outage destroys.
    #[must_use]
    pub fn loses(&self) -> OutageLosses {
        self.loses
    }

    /// First outage that is not over at `now`, which never decreases.
    #[inline]
    pub fn current_outage(&mut self, now: Instant) -> Outage {
        if self.current.up <= now && self.current.down < Instant::NEVER {
            self.advance_to(now);
        }
        self.current
    }

    fn advance_to(&mut self, now: Instant) {
        self.outages.skip_past(now);
        while self.current.up <= now && self.current.down < Instant::NEVER {
            self.current =
                if self.watch.is_cancelled() { Outage::NEVER } else { self.outages.next() };
        }
    }
}
