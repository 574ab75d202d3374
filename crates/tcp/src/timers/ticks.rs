//! The retransmission timer of ns: an integer estimator on a coarse clock, one packet timed at a
//! time, an exact expiry [ns2 reading, section 3; Jacobson 1988, appendix A].

use super::timing::RttTiming;
use crate::plan::AckTimerEffect;
use airtcp_core::{Instant, Span};
use serde::Serialize;

/// Ticks before the first sample, as the variation that is assumed at the start: 12 s.
const INITIAL_VARIATION_SECONDS: i64 = 12;
/// The backoff factor is not doubled from here on.
const MAX_BACKOFF: u32 = 64;
/// Beyond this factor the estimate is taken to be wrong and the next sample starts it afresh.
const DISTRUST_BACKOFF: u32 = 8;

/// Timer settings of ns; by default those of 1998.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TickSettings {
    /// Timeout before the first sample.
    pub initial: Span,
    /// The timer is never shorter, nor longer.
    pub min_rto: Span,
    /// The timer is never longer.
    pub max_rto: Span,
    /// True if the shortest timeout is doubled too, and doubling goes on up to the longest (`rfc2988_`).
    pub doubles_min_rto: bool,
    /// True if the timer starts with the estimate that includes the current ACK (`timerfix_`).
    pub samples_before_restart: bool,
}

impl Default for TickSettings {
    fn default() -> Self {
        TickSettings {
            initial: Span::from_nanos(6_000_000_000),
            min_rto: Span::ZERO,
            max_rto: Span::from_nanos(64_000_000_000),
            doubles_min_rto: false,
            samples_before_restart: false,
        }
    }
}

/// The estimator and the timer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct TickTimer {
    ns: TickSettings,
    tick: Span,
    /// The clock's phase: it ticks at `k * tick - boot`.
    boot: Span,
    /// Eight times the smoothed round-trip time, in ticks.
    srtt8: i64,
    /// Four times its mean deviation, in ticks.
    rttvar4: i64,
    rto: Span,
    backoff: u32,
    /// Time that it runs, by these two.
    #[serde(skip)]
    length: Span,
    timing: RttTiming,
    expiry: Instant,
    /// Number of starts of the timer.
    starts: u32,
    /// True if the current ACK must not end the backoff because it and the previous ACK echo a mark.
    keeps_backoff: bool,
}

impl TickTimer {
    /// A timer that has seen no sample, on a clock of `tick` and phase `boot`.
    pub(crate) fn new(tick: Span, boot: Span, ns: TickSettings) -> Self {
        let variation = INITIAL_VARIATION_SECONDS * 1_000_000_000 / tick.nanos();
        let mut timer = TickTimer {
            ns,
            tick,
            boot,
            srtt8: 0,
            rttvar4: 4 * variation,
            rto: ns.initial,
            backoff: 1,
            length: Span::ZERO,
            timing: RttTiming::default(),
            expiry: Instant::NEVER,
            starts: 0,
            keeps_backoff: false,
        };
        timer.update_rto();
        timer
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

    /// The timer starts again with the estimate as it is now.
    #[inline]
    pub(crate) fn restart(&mut self, now: Instant) {
        self.expiry = self.due(now);
        self.starts = self.starts.wrapping_add(1);
    }

    /// Expiry of a timer started now.
    #[inline]
    pub(crate) fn due(&self, now: Instant) -> Instant {
        now + self.length
    }

    /// An ACK of all below `una` that is new. In the ns of 1998 the timer starts with the estimate from before it.
    #[inline(always)]
    pub(crate) fn on_new_ack(&mut self, now: Instant, una: u64, timing: AckTimerEffect) {
        let restarts = !matches!(
            timing,
            AckTimerEffect::Keep | AckTimerEffect::DiscardAlone | AckTimerEffect::Nothing
        );
        let late = self.ns.samples_before_restart && timing == AckTimerEffect::Sample;
        if restarts && !late {
            self.restart(now);
        }
        match timing {
            AckTimerEffect::Sample | AckTimerEffect::Keep => self.acknowledge(now, una, true),
            AckTimerEffect::Discard | AckTimerEffect::DiscardAlone => {
                self.acknowledge(now, una, false);
            }
            AckTimerEffect::ClearBackoff => self.end_backoff(),
            AckTimerEffect::Nothing => {}
        }
        if late {
            self.restart(now);
        }
    }

    /// Keeps the backoff despite ACKs, or no longer.
    pub(crate) fn set_keep_backoff(&mut self, holds: bool) {
        self.keeps_backoff = holds;
    }

    /// An ACK up to `una`: if it covers the timed packet, backoff ends, and the time is a sample if
    /// `sample`.
    #[inline]
    pub(crate) fn acknowledge(&mut self, now: Instant, una: u64, sample: bool) {
        let Some(sent) = self.timing.finish(una) else { return };
        if !self.keeps_backoff {
            self.end_backoff();
        }
        if sample {
            self.add_sample_from(sent, now);
        }
    }

    /// A round trip from `sent` to `now`.
    pub(crate) fn add_sample_from(&mut self, sent: Instant, now: Instant) {
        let ticks = self.tick_number(now) - self.tick_number(sent);
        self.add_sample(ticks.max(1));
    }

    pub(crate) fn stop_timing(&mut self) {
        self.timing.stop();
    }

    pub(crate) fn on_timeout(&mut self, now: Instant) {
        self.back_off();
        self.timing.stop();
        self.restart(now);
    }

    /// The factor is doubled.
    pub(crate) fn back_off(&mut self) {
        if self.backoff < MAX_BACKOFF || self.ns.doubles_min_rto && self.length < self.ns.max_rto {
            self.backoff *= 2;
            self.update_rto();
        }
        if self.backoff > DISTRUST_BACKOFF {
            self.rttvar4 += self.srtt8 >> 3;
            self.srtt8 = 0;
        }
    }

    #[inline]
    pub(crate) fn expiry(&self) -> Instant {
        self.expiry
    }

    #[inline]
    pub(crate) fn starts(&self) -> u32 {
        self.starts
    }

    pub(crate) fn backoff(&self) -> u32 {
        self.backoff
    }

    /// Timeout without backoff.
    pub(crate) fn rto(&self) -> Span {
        self.rto
    }

    /// Smoothed round-trip time and its mean deviation, in seconds; the former 0 before a sample.
    pub(crate) fn estimate(&self) -> (f64, f64) {
        let tick = self.tick.seconds();
        (self.srtt8 as f64 / 8.0 * tick, self.rttvar4 as f64 / 4.0 * tick)
    }

    #[inline]
    fn end_backoff(&mut self) {
        if self.backoff > 1 {
            self.backoff = 1;
            self.update_rto();
        }
    }

    /// Sets the time that it runs from now on.
    fn update_rto(&mut self) {
        let backoff = i64::from(self.backoff);
        let length = if self.ns.doubles_min_rto {
            self.rto.max(self.ns.min_rto) * backoff
        } else {
            (self.rto * backoff).max(self.ns.min_rto)
        };
        self.length = length.min(self.ns.max_rto).max(self.tick * 2);
    }

    fn tick_number(&self, at: Instant) -> i64 {
        (at + self.boot).nanos().div_euclid(self.tick.nanos())
    }

    fn add_sample(&mut self, ticks: i64) {
        if self.srtt8 == 0 {
            (self.srtt8, self.rttvar4) = (8 * ticks, 2 * ticks);
        } else {
            let error = ticks - (self.srtt8 >> 3);
            self.srtt8 = (self.srtt8 + error).max(1);
            self.rttvar4 = (self.rttvar4 + error.abs() - (self.rttvar4 >> 2)).max(1);
        }
        self.rto = self.tick * ((8 * self.rttvar4 + self.srtt8) >> 3);
        self.update_rto();
    }
}
