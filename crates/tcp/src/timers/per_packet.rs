//! One timer per packet, of fixed length, from its first transmission since the last rewind: a
//! retransmission does not restart it and there is no backoff [zorzi, section II].

use airtcp_core::{Instant, Span};
use serde::Serialize;

/// Send time of each outstanding packet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PacketTimers {
    timeout: Span,
    sent: Box<[Instant]>,
}

impl PacketTimers {
    /// Timers for at most `window` outstanding packets.
    pub(crate) fn new(timeout: Span, window: u32) -> Self {
        let slots = (window as usize).next_power_of_two();
        PacketTimers { timeout, sent: vec![Instant::START; slots].into() }
    }

    /// The length of a timer.
    pub(crate) fn timeout(&self) -> Span {
        self.timeout
    }

    #[inline]
    pub(crate) fn start(&mut self, seq: u64, now: Instant) {
        let slot = self.slot(seq);
        self.sent[slot] = now;
    }

    #[inline]
    pub(crate) fn expiry(&self, seq: u64) -> Instant {
        self.sent[self.slot(seq)] + self.timeout
    }

    fn slot(&self, seq: u64) -> usize {
        seq as usize & (self.sent.len() - 1)
    }
}
