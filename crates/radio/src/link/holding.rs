//! Gate, and slots of a medium that is divided into them: they hold transmissions back.

use crate::gate::GateProcess;
use airtcp_core::{Cancel, Instant, Span};

/// A gate, if there is one, and the length of a slot, if there are slots.
#[derive(Debug)]
pub(super) struct StartConstraint {
    gate: Option<GateProcess>,
    /// Instant until which the gate is closed, from the last instant that it was asked about.
    closed_until: Instant,
    slot: Option<Span>,
}

impl StartConstraint {
    pub(super) fn new(gate: Option<GateProcess>, slot: Option<Span>) -> Self {
        StartConstraint { gate, closed_until: Instant::START, slot }
    }

    pub(super) fn watch(&mut self, cancel: &Cancel) {
        self.gate.iter_mut().for_each(|gate| gate.watch(cancel));
    }

    /// The first instant from `ready` on, which never runs back, at which a transmission may start.
    #[inline]
    pub(super) fn earliest_start(&mut self, ready: Instant) -> Instant {
        if self.gate.is_none() && self.slot.is_none() {
            return ready;
        }
        self.earliest_held_start(ready)
    }

    fn earliest_held_start(&mut self, ready: Instant) -> Instant {
        let Some(gate) = &mut self.gate else { return next_slot_start(ready, self.slot) };
        // The gate was asked beyond `ready` if the packet before was held and then not let in.
        let mut start = next_slot_start(ready.max(self.closed_until), self.slot);
        loop {
            let outage = gate.current_outage(start);
            if start < outage.down || start == Instant::NEVER {
                break;
            }
            start = next_slot_start(outage.up, self.slot);
        }
        self.closed_until = start;
        start
    }
}

/// The first start of a slot from `ready` on.
fn next_slot_start(ready: Instant, slot: Option<Span>) -> Instant {
    let Some(slot) = slot.filter(|_| ready < Instant::NEVER) else { return ready };
    match ready.nanos() % slot.nanos() {
        0 => ready,
        into => ready + Span::from_nanos(slot.nanos() - into),
    }
}
