//! Departure time of the next segment, where the congestion control paces.

use airtcp_core::{Instant, Span};
use serde::Serialize;

/// The pacing timer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Pacer {
    /// No segment leaves before.
    next_send: Instant,
    /// True if one was held back.
    timer_armed: bool,
}

impl Pacer {
    pub(crate) fn new() -> Self {
        Pacer { next_send: Instant::START, timer_armed: false }
    }

    /// Returns whether a segment may leave; if not, the timer runs. It does not once all `is_done`.
    pub(crate) fn allows_sending(&mut self, now: Instant, is_done: bool) -> bool {
        self.timer_armed = now < self.next_send && !is_done;
        !self.timer_armed
    }

    /// `amount` leaves at `rate` sequence numbers per second.
    pub(crate) fn on_send(&mut self, now: Instant, amount: u64, rate: f64) {
        let length = (amount as f64 / rate * 1e9).round().min(1e18);
        self.next_send = self.next_send.max(now) + Span::from_nanos(length as i64);
    }

    pub(crate) fn expiry(&self) -> Instant {
        if self.timer_armed { self.next_send } else { Instant::NEVER }
    }

    pub(crate) fn on_timer(&mut self) {
        self.timer_armed = false;
    }
}
