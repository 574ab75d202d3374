//! The best round trip of data: one segment timed at a time, on a fine clock, never one that was retransmitted. The
//! coarse estimator of the retransmission timer is another matter [lahanas reading, section 1].

use crate::timers::RttTiming;
use airtcp_core::{Instant, Span};
use serde::Serialize;

/// Round trips measured since the connection began.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct BestRoundTrip {
    timing: RttTiming,
    best: Option<Span>,
}

impl BestRoundTrip {
    #[inline]
    pub(super) fn begin(&mut self, now: Instant, seq: u64) {
        self.timing.begin(seq, now);
    }

    /// Takes an ACK of all before `una`, and returns whether it ends a measurement.
    #[inline]
    pub(super) fn finish(&mut self, now: Instant, una: u64) -> bool {
        let Some(sent) = self.timing.finish(una) else { return false };
        let time = now - sent;
        self.best = Some(self.best.map_or(time, |best| best.min(time)));
        true
    }

    pub(super) fn discard(&mut self) {
        self.timing.stop();
    }

    /// Returns whether a probe that took `time` shows a good path; while no data was timed nothing does.
    pub(super) fn is_good(&self, time: Span, tolerance: f64) -> bool {
        let within = |best: Span| time.nanos() as f64 <= best.nanos() as f64 * (1.0 + tolerance);
        self.best.is_some_and(within)
    }
}
