//! Gate, and slots of a medium that is divided into them: they hold transmissions back.

use crate::gate::GateProcess;
use airtcp_core::{Cancel, Instant, Span};

/// A gate, if there is one, and the length of a slot, if there are slots.
#[derive(Debug)]
pub(super) struct Holding {
    gate: Option<GateProcess>,
    /// Instant until which the gate is closed, from the last instant that it was asked about.
    opens: Instant,
    slot: Option<Span>,
}

impl Holding {
    pub(super) fn new(gate: Option<GateProcess>, slot: Option<Span>) -> Self {
        Holding { gate, opens: Instant::START, slot }
    }

    pub(super) fn watch(&mut self, cancel: &Cancel) {
        self.gate.iter_mut().for_each(|gate| gate.watch(cancel));
    }

    /// The first instant from `ready` on, which never runs back, at which a transmission may start.
    #[inline]
    pub(super) fn open(&mut self, ready: Instant) -> Instant {
        if self.gate.is_none() && self.slot.is_none() {
            return ready;
        }
        self.open_held(ready)
    }

    fn open_held(&mut self, ready: Instant) -> Instant {
        let Some(gate) = &mut self.gate else { return slot_from(ready, self.slot) };
        // The gate was asked beyond `ready` if the packet before was held and then not let in.
        let mut start = slot_from(ready.max(self.opens), self.slot);
        loop {
            let outage = gate.outage(start);
            if start < outage.down || start == Instant::NEVER {
                break;
            }
            start = slot_from(outage.up, self.slot);
        }
        self.opens = start;
        start
    }
}

/// The first start of a slot from `ready` on.
fn slot_from(ready: Instant, slot: Option<Span>) -> Instant {
    let Some(slot) = slot.filter(|_| ready < Instant::NEVER) else { return ready };
    match ready.nanos() % slot.nanos() {
        0 => ready,
        into => ready + Span::from_nanos(slot.nanos() - into),
    }
}
