//! The retransmission timer of RFC 6298: one segment timed at a time, none across a retransmission.
//! The clock's granularity G is a nanosecond. Left out: what a timeout of the SYN changes (5.7; there
//! is no handshake) and forgetting the estimate after many timeouts (section 5, a MAY).

use super::timing::RttTiming;
use airtcp_core::{Instant, Span};
use serde::Serialize;

/// Clock granularity G [RFC 6298, section 2].
const GRANULARITY: i64 = 1;

/// The estimator and the timer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Rfc6298 {
    /// Least distance from SRTT in nanoseconds [2.3: G].
    variance_floor: i64,
    least: Span,
    most: Span,
    /// SRTT and RTTVAR in nanoseconds, once there is a sample.
    srtt_and_rttvar: Option<(i64, i64)>,
    rto: Span,
    backoff: u32,
    timing: RttTiming,
    expiry: Instant,
    last_sent: Instant,
    /// A timeout was spurious: the next sample makes the estimate more conservative.
    after_spurious_timeout: bool,
}

impl Rfc6298 {
    /// A timer that has seen no sample: `initial` [RFC 6298 2.1], `margin` [2.3], bounds [2.4, 2.5].
    pub(crate) fn new(initial: Span, margin: Span, least: Span, most: Span) -> Self {
        Rfc6298 {
            variance_floor: margin.nanos().max(GRANULARITY),
            least,
            most,
            srtt_and_rttvar: None,
            rto: initial,
            backoff: 1,
            timing: RttTiming::default(),
            expiry: Instant::NEVER,
            last_sent: Instant::NEVER,
            after_spurious_timeout: false,
        }
    }

    /// Updates the timer after `seq` was sent; `first` for the first time, `idle` if nothing was outstanding before.
    #[inline]
    pub(crate) fn on_send(&mut self, now: Instant, seq: u64, first: bool, idle: bool) {
        self.last_sent = now;
        if first {
            self.timing.begin(seq, now);
        } else {
            // Karn's rule [section 3], and more: what is acknowledged next may have waited for this.
            self.timing.stop();
        }
        if idle {
            self.restart(now); // 5.1
        }
    }

    /// An ACK of all below `una` [2.2, 2.3].
    #[inline]
    pub(crate) fn acknowledge(&mut self, now: Instant, una: u64) {
        if let Some(sent) = self.timing.finish(una) {
            self.add_sample_from(sent, now);
        }
    }

    /// Returns whether that gives a round trip.
    pub(crate) fn has_sample_below(&self, una: u64) -> bool {
        self.timing.ends_below(una)
    }

    /// A round trip from `sent` to `now`.
    pub(crate) fn add_sample_from(&mut self, sent: Instant, now: Instant) {
        self.add_sample((now - sent).nanos());
    }

    /// The timer starts again with the timeout as it is now [5.3].
    #[inline]
    pub(crate) fn restart(&mut self, now: Instant) {
        self.expiry = self.expiry_from(now);
    }

    /// Expiry of a timer started now.
    #[inline]
    pub(crate) fn expiry_from(&self, now: Instant) -> Instant {
        now + self.timeout_with_backoff()
    }

    pub(crate) fn on_timeout(&mut self, now: Instant) {
        if self.timeout_with_backoff() < self.most {
            self.backoff = self.backoff.saturating_mul(2); // 5.5
        }
        self.timing.stop();
        self.restart(now); // 5.6
    }

    /// The last timeout was spurious. Only new data are timed, so that the next sample is of data sent later, as RFC
    /// 4015 3.2 requires.
    pub(crate) fn on_spurious_timeout(&mut self) {
        self.after_spurious_timeout = true;
    }

    pub(crate) fn stop_timing(&mut self) {
        self.timing.stop();
    }

    #[inline]
    pub(crate) fn expiry(&self) -> Instant {
        self.expiry
    }

    pub(crate) fn backoff(&self) -> u32 {
        self.backoff
    }

    /// Timeout without backoff.
    pub(crate) fn rto(&self) -> Span {
        self.rto
    }

    /// SRTT.
    #[inline]
    pub(crate) fn srtt(&self) -> Option<Span> {
        self.srtt_and_rttvar.map(|(srtt, _)| Span::from_nanos(srtt))
    }

    /// SRTT and RTTVAR in seconds, NaN before the first sample.
    pub(crate) fn srtt_and_rttvar_seconds(&self) -> (f64, f64) {
        let seconds = |nanos| Span::from_nanos(nanos).seconds();
        self.srtt_and_rttvar
            .map_or((f64::NAN, f64::NAN), |(srtt, var)| (seconds(srtt), seconds(var)))
    }

    /// Returns whether nothing was sent for longer than a timeout [RFC 5681 4.1].
    pub(crate) fn idle_time_exceeded(&self, now: Instant) -> bool {
        self.last_sent + self.timeout_with_backoff() < now
    }

    fn timeout_with_backoff(&self) -> Span {
        (self.rto * i64::from(self.backoff)).min(self.most) // 2.5
    }

    fn add_sample(&mut self, rtt: i64) {
        let (srtt, var) = match self.srtt_and_rttvar {
            None => (rtt, rtt / 2), // 2.2
            // SRTT_prev and RTTVAR_prev are those of the timeout: no sample came since [RFC 4015 3.2].
            Some((srtt, var)) if self.after_spurious_timeout => {
                ((srtt + 2 * GRANULARITY).max(rtt), var.max(rtt / 2))
            }
            Some((srtt, var)) => ((7 * srtt + rtt) / 8, (3 * var + (srtt - rtt).abs()) / 4), // 2.3
        };
        self.after_spurious_timeout = false;
        self.srtt_and_rttvar = Some((srtt, var));
        let rto = Span::from_nanos(srtt + self.variance_floor.max(4 * var));
        self.rto = rto.max(self.least).min(self.most); // 2.4, 2.5
        self.backoff = 1; // The end of section 5.
    }
}
