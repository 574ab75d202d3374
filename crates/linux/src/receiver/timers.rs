//! The receiver's timers: the delayed ACK on the wheel, compressed ACKs of high resolution.

use super::{Receiver, SenderPath};
use crate::clock::TimeInUnits;
use airtcp_core::Instant;

impl Receiver {
    /// Expiry of the next timer; `Instant::NEVER` if none runs.
    #[must_use]
    pub fn next_timer(&self) -> Instant {
        self.acks.next_timer()
    }

    /// Lets timers expire that are due.
    pub fn on_timer(&mut self, now: TimeInUnits, path: &SenderPath) {
        self.on_compressed_ack_timer(now);
        self.on_delayed_ack_timer(now, path);
    }
}
