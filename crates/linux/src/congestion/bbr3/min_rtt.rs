//! The minimum round trip, and the time of the next `ProbeRTT` [rules/bbr3.md rules 25 and 26].

use super::parameters::{INFINITY, MIN_RTT_WINDOW, PROBE_RTT_INTERVAL};
use crate::congestion::RateSample;

/// Minima of 10 s and of 5 s, in us.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    pub(super) rtt: u32,
    pub(super) stamp: u64,
    /// Minimum RTT that schedules the next `ProbeRTT`.
    pub(super) delay: u32,
    pub(super) delay_stamp: u64,
    pub(super) expired: bool,
    /// Time at which `ProbeRTT` may end; `None` if its duration has not begun.
    pub(super) done_stamp: Option<u64>,
    pub(super) round_done: bool,
}

impl MinRtt {
    pub(super) fn from_start(us: u64, rtt: u32) -> Self {
        MinRtt {
            rtt,
            stamp: us,
            delay: rtt,
            delay_stamp: us,
            expired: false,
            done_stamp: None,
            round_done: false,
        }
    }

    pub(super) fn update(&mut self, us: u64, s: &RateSample) {
        self.expired = us > self.delay_stamp + PROBE_RTT_INTERVAL;
        if s.rtt_us >= 0 && (s.rtt_us < i64::from(self.delay) || self.expired) {
            (self.delay, self.delay_stamp) = (s.rtt_us.min(i64::from(INFINITY - 1)) as u32, us);
        }
        if self.delay < self.rtt || us > self.stamp + MIN_RTT_WINDOW {
            (self.rtt, self.stamp) = (self.delay, self.delay_stamp);
        }
    }
}
