//! Queueing delays that TCP-Illinois uses: the mean of a round trip (`d_a`) and the largest so far (`d_m`).

use crate::scoreboard::RateSample;
use airtcp_core::Span;
use serde::Serialize;

/// The round trips of a round, and the longest of all.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct RoundDelays {
    /// Sum of the delays in nanoseconds.
    sum: i64,
    count: i64,
    longest: Option<Span>,
}

impl RoundDelays {
    /// Takes the round trip of an ACK, if it has one.
    pub(super) fn on_sample(&mut self, sample: &RateSample) {
        let Some(rtt) = sample.rtt else { return };
        self.sum += rtt.nanos();
        self.count += 1;
        self.longest = self.longest.max(Some(rtt));
    }

    /// `d_a` and `d_m` in seconds as a round ends, with the least round trip `base`; the next begins. None without a sample.
    pub(super) fn take_averages(&mut self, base: Span) -> Option<(f64, f64)> {
        let mean = (self.count > 0).then(|| self.sum / self.count)?;
        (self.sum, self.count) = (0, 0);
        let queueing = |rtt: i64| Span::from_nanos(rtt - base.nanos()).seconds();
        Some((queueing(mean), queueing(self.longest?.nanos())))
    }
}
