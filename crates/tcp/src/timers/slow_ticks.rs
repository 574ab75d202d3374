//! The retransmission timer of BSD around 1990: everything is counted in ticks of a slow clock, and
//! expires at one [lahanas reading, section 3; Jacobson 1988, appendix A]. A timer of n ticks takes up to a
//! tick less, depending on where between two ticks it starts.
//!
//! Left out: forgetting the estimate after several timeouts in a row, and giving up after twelve.

use super::timing::RttTiming;
use airtcp_core::{Instant, Span};
use serde::Serialize;

/// Eight times the smoothed round-trip time at first, in ticks.
const INITIAL_SRTT: i64 = 8;
/// Four times its mean deviation at first, in ticks.
const INITIAL_RTTVAR: i64 = 2;
/// Bounds of the timer, in ticks.
const MIN_TICKS: i64 = 2;
const MAX_TICKS: i64 = 128;
/// The timeout is not doubled more often.
const MAX_SHIFT: u32 = 6;

/// The estimator and the timer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SlowTicks {
    tick: Span,
    /// The clock's phase: it ticks at `k * tick - boot`.
    boot: Span,
    srtt: i64,
    rttvar: i64,
    backoff_shift: u32,
    timing: RttTiming,
    expiry: Instant,
}

impl SlowTicks {
    /// A timer that has seen no sample, on a clock of `tick` and phase `boot`.
    pub(crate) fn new(tick: Span, boot: Span) -> Self {
        SlowTicks {
            tick,
            boot,
            srtt: INITIAL_SRTT,
            rttvar: INITIAL_RTTVAR,
            backoff_shift: 0,
            timing: RttTiming::default(),
            expiry: Instant::NEVER,
        }
    }

    /// Updates the timer after `seq` was sent; `first` for the first time, `idle` if nothing was outstanding before.
    #[inline]
    pub(crate) fn on_send(&mut self, now: Instant, seq: u64, first: bool, idle: bool) {
        if first {
            self.timing.begin(seq, now);
        }
        if idle {
            self.restart(now);
        }
    }

    /// An ACK up to `una`: backoff ends, whatever it covers.
    #[inline]
    pub(crate) fn acknowledge(&mut self, now: Instant, una: u64) {
        if let Some(sent) = self.timing.finish(una) {
            self.add_sample_from(sent, now);
        }
        self.backoff_shift = 0;
    }

    /// A round trip from `sent` to `now`.
    pub(crate) fn add_sample_from(&mut self, sent: Instant, now: Instant) {
        self.add_sample(self.tick_number(now) - self.tick_number(sent));
    }

    /// The timer starts again with the timeout as it is now.
    #[inline]
    pub(crate) fn restart(&mut self, now: Instant) {
        self.expiry = self.due(now);
    }

    /// Expiry of a timer started now.
    #[inline]
    pub(crate) fn due(&self, now: Instant) -> Instant {
        let ticks = self.tick_number(now)
            + self.bounded_ticks(self.timeout_without_backoff() << self.backoff_shift);
        Instant::from_nanos(ticks.saturating_mul(self.tick.nanos()) - self.boot.nanos())
    }

    pub(crate) fn on_timeout(&mut self, now: Instant) {
        self.backoff_shift = (self.backoff_shift + 1).min(MAX_SHIFT);
        self.timing.stop();
        self.restart(now);
    }

    pub(crate) fn stop_timing(&mut self) {
        self.timing.stop();
    }

    #[inline]
    pub(crate) fn expiry(&self) -> Instant {
        self.expiry
    }

    pub(crate) fn backoff(&self) -> u32 {
        1 << self.backoff_shift
    }

    /// Timeout without backoff.
    pub(crate) fn rto(&self) -> Span {
        self.tick * self.bounded_ticks(self.timeout_without_backoff())
    }

    /// Smoothed round-trip time and its mean deviation, in seconds.
    pub(crate) fn estimate(&self) -> (f64, f64) {
        let tick = self.tick.seconds();
        (self.srtt as f64 / 8.0 * tick, self.rttvar as f64 / 4.0 * tick)
    }

    fn timeout_without_backoff(&self) -> i64 {
        ((self.srtt >> 2) + self.rttvar) >> 1
    }

    fn bounded_ticks(&self, ticks: i64) -> i64 {
        ticks.clamp(MIN_TICKS, MAX_TICKS)
    }

    /// Number of the last tick.
    fn tick_number(&self, at: Instant) -> i64 {
        (at + self.boot).nanos().div_euclid(self.tick.nanos())
    }

    /// A round trip over `ticks` ticks: BSD counts from one, and takes one off again.
    fn add_sample(&mut self, ticks: i64) {
        let error = ticks - (self.srtt >> 3);
        self.srtt = (self.srtt + error).max(1);
        self.rttvar = (self.rttvar + error.abs() - (self.rttvar >> 2)).max(1);
    }
}
