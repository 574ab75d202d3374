//! A gate that destroys what it meets.

use crate::gate::{GateProcess, Outage};
use airtcp_core::Instant;

/// The outages of such a gate, if there is one.
#[derive(Debug)]
pub(super) struct Cuts {
    gate: Option<GateProcess>,
    /// The current or next one, and whether it was carried out.
    outage: Outage,
    is_cut: bool,
}

impl Cuts {
    pub(super) fn new(mut gate: Option<GateProcess>) -> Self {
        let outage = gate.as_mut().map_or(Outage::NEVER, |gate| gate.outage(Instant::START));
        Cuts { gate, outage, is_cut: false }
    }

    /// The beginning of the first outage that is to be carried out by `now`; it counts as carried out.
    pub(super) fn pass(&mut self, now: Instant) -> Option<Instant> {
        while self.outage.down <= now {
            if !self.is_cut {
                self.is_cut = true;
                return Some(self.outage.down);
            }
            if self.outage.up > now {
                return None;
            }
            let gate = self.gate.as_mut().expect("there is an outage");
            self.outage = gate.outage(self.outage.up);
            self.is_cut = false;
        }
        None
    }

    /// Whether the link is down at `now`, once all outages up to then are passed.
    pub(super) fn is_down(&self, now: Instant) -> bool {
        self.outage.down <= now
    }

    /// When the next outage begins.
    pub(super) fn next(&self) -> Instant {
        if self.is_cut { Instant::NEVER } else { self.outage.down }
    }
}
