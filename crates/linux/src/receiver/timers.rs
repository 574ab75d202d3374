//! The receiver's timers: the delayed ACK on the wheel, compressed ACKs of high resolution.

use super::{Path, Receiver};
use crate::clock::Now;
use airtcp_core::Instant;

impl Receiver {
    /// Expiry of the next timer; `Instant::NEVER` if none runs.
    #[must_use]
    pub fn next_timer(&self) -> Instant {
        self.acks.next_timer()
    }

    /// Lets timers expire that are due.
    pub fn on_timer(&mut self, now: Now, path: &Path) {
        self.on_compressed_ack_timer(now);
        self.on_delayed_ack_timer(now, path);
    }
}
