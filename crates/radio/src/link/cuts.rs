//! A gate that destroys what it meets.

use crate::gate::{GateProcess, Outage};
use airtcp_core::{Cancel, Instant};

/// The outages of such a gate, if there is one.
#[derive(Debug)]
pub(in crate::link) struct Cuts {
    gate: Option<GateProcess>,
    /// The current or next one, and whether it was carried out.
    outage: Outage,
    is_cut: bool,
}

impl Cuts {
    pub(in crate::link) fn new(mut gate: Option<GateProcess>) -> Self {
        let outage = gate.as_mut().map_or(Outage::NEVER, |gate| gate.outage(Instant::START));
        Cuts { gate, outage, is_cut: false }
    }

    pub(in crate::link) fn watch(&mut self, cancel: &Cancel) {
        self.gate.iter_mut().for_each(|gate| gate.watch(cancel));
    }

    /// The beginning of the outage that is to be carried out by `now`; it counts as carried out, and so do those after it
    /// by then, to which it leaves nothing.
    pub(in crate::link) fn pass(&mut self, now: Instant) -> Option<Instant> {
        let Outage { down, .. } = self.outage;
        if down > now {
            return None;
        }
        let carried_out = self.is_cut;
        let gate = self.gate.as_mut().expect("there is an outage");
        self.outage = gate.outage(now);
        self.is_cut = self.outage.down <= now;
        (!carried_out).then_some(down)
    }

    /// Returns whether the link is down at `now`, once all outages up to then are passed.
    #[inline]
    pub(in crate::link) fn is_down(&self, now: Instant) -> bool {
        self.outage.down <= now
    }

    /// Begin of the next outage.
    #[inline]
    pub(in crate::link) fn next(&self) -> Instant {
        if self.is_cut { Instant::NEVER } else { self.outage.down }
    }
}
