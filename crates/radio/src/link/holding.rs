//! A gate that holds transmissions back.

use crate::gate::GateProcess;
use airtcp_core::Instant;

/// Such a gate, if there is one.
#[derive(Debug)]
pub(super) struct Holding {
    gate: Option<GateProcess>,
    /// It is closed until then, from the last instant it was asked about.
    opens: Instant,
}

impl Holding {
    pub(super) fn new(gate: Option<GateProcess>) -> Self {
        Holding { gate, opens: Instant::START }
    }

    /// The first instant from `ready` on, which never runs back, at which the gate is open.
    #[inline]
    pub(super) fn open(&mut self, ready: Instant) -> Instant {
        let Some(gate) = &mut self.gate else { return ready };
        // The gate was asked beyond `ready` if the packet before was held and then not let in.
        let mut start = ready.max(self.opens);
        loop {
            let outage = gate.outage(start);
            if start < outage.down || start == Instant::NEVER {
                break;
            }
            start = outage.up;
        }
        self.opens = start;
        start
    }
}
