//! A gate that destroys what it meets.

use crate::gate::{GateProcess, Outage};
use airtcp_core::{Cancel, Instant};

/// Outages of a gate that destroys packets, if the hop has one.
#[derive(Debug)]
pub(in crate::link) struct OutageCuts {
    gate: Option<GateProcess>,
    /// The current or next one, and whether it was carried out.
    outage: Outage,
    carried_out: bool,
}

impl OutageCuts {
    pub(in crate::link) fn new(mut gate: Option<GateProcess>) -> Self {
        let outage =
            gate.as_mut().map_or(Outage::NEVER, |gate| gate.current_outage(Instant::START));
        OutageCuts { gate, outage, carried_out: false }
    }

    pub(in crate::link) fn watch(&mut self, cancel: &Cancel) {
        self.gate.iter_mut().for_each(|gate| gate.watch(cancel));
    }

    /// The beginning of the outage that is to be carried out by `now`; it counts as carried out, and so do those after
    /// it by then, to which it leaves nothing.
    pub(in crate::link) fn take_due_outage(&mut self, now: Instant) -> Option<Instant> {
        let Outage { down, .. } = self.outage;
        if down > now {
            return None;
        }
        let carried_out = self.carried_out;
        let gate = self.gate.as_mut().expect("there is an outage");
        self.outage = gate.current_outage(now);
        self.carried_out = self.outage.down <= now;
        (!carried_out).then_some(down)
    }

    /// Returns whether the link is down at `now`, once all outages up to then are passed.
    #[inline]
    pub(in crate::link) fn is_down(&self, now: Instant) -> bool {
        self.outage.down <= now
    }

    /// Begin of the next outage.
    #[inline]
    pub(in crate::link) fn next_outage_start(&self) -> Instant {
        if self.carried_out { Instant::NEVER } else { self.outage.down }
    }
}
