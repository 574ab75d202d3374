//! Retransmission timers, one implementation for each source of rules. The sender calls all of them at the same events.

mod kind;
mod pacer;
mod per_packet;
mod rfc6298;
mod slow_ticks;
mod ticks;
mod timing;

use crate::plan::AckTimerEffect;
use crate::view::View;
use crate::window::Window;
use airtcp_core::{Instant, Span};
pub(crate) use kind::TimerKind;
pub(crate) use pacer::Pacer;
use per_packet::PacketTimers;
use rfc6298::Rfc6298;
use serde::Serialize;
use slow_ticks::SlowTicks;
pub use ticks::TickSettings;
use ticks::TickTimer;
pub(crate) use timing::RttTiming;

/// Kind of the retransmission timer, and its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimerConfig {
    /// One timer of fixed length per packet.
    PerPacket {
        /// Length of the timer (`T_o`).
        timeout: Span,
    },
    /// ns: integer estimator on a coarse clock.
    Ticks {
        /// Period of the clock.
        tick: Span,
        /// Phase of the clock, which ticks at `k * tick - boot`.
        boot: Span,
        /// Settings that ns leaves open.
        ns: TickSettings,
    },
    /// RFC 6298, on a clock of nanoseconds.
    Rfc6298 {
        /// Timeout before the first sample.
        initial: Span,
        /// Least distance of the timeout from SRTT; at least the clock's granularity.
        margin: Span,
        /// Shortest timeout.
        least: Span,
        /// Longest timeout, backoff included.
        most: Span,
    },
    /// BSD: integer estimator and expiry on a slow clock.
    SlowTicks {
        /// Period of the clock.
        tick: Span,
        /// Phase of the clock, which ticks at `k * tick - boot`.
        boot: Span,
    },
}

impl TimerConfig {
    /// The period of a clock whose phase is drawn for every run, and that phase.
    pub fn random_phase(&mut self) -> Option<(Span, &mut Span)> {
        match self {
            TimerConfig::SlowTicks { tick, boot } => Some((*tick, boot)),
            TimerConfig::PerPacket { .. }
            | TimerConfig::Ticks { .. }
            | TimerConfig::Rfc6298 { .. } => None,
        }
    }
}

/// Estimates of round trip and timeout, for traces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RttEstimate {
    /// Factor on the timeout.
    pub backoff: u32,
    /// Timeout without the factor.
    pub rto: Span,
    /// Smoothed round-trip time in seconds, NaN if there is none.
    pub srtt: f64,
    /// RTT variation in seconds.
    pub rttvar: f64,
}

/// The timer of one sender. The variant tag is stored on its own and not in a niche of a field, since every packet
/// reads it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[repr(u32)]
pub(crate) enum Timers {
    PerPacket(PacketTimers),
    Ticks(TickTimer),
    Rfc6298(Rfc6298),
    SlowTicks(SlowTicks),
}

impl Timers {
    pub(crate) fn new(config: TimerConfig, window: u32) -> Self {
        match config {
            TimerConfig::PerPacket { timeout } => {
                Timers::PerPacket(PacketTimers::new(timeout, window))
            }
            TimerConfig::Ticks { tick, boot, ns } => Timers::Ticks(TickTimer::new(tick, boot, ns)),
            TimerConfig::Rfc6298 { initial, margin, least, most } => {
                Timers::Rfc6298(Rfc6298::new(initial, margin, least, most))
            }
            TimerConfig::SlowTicks { tick, boot } => Timers::SlowTicks(SlowTicks::new(tick, boot)),
        }
    }

    /// `seq` leaves; `view` is the sender before that. `out_of_turn`: not by the window, but as a
    /// retransmission of its own.
    #[inline(always)]
    pub(crate) fn on_send(&mut self, now: Instant, view: &View, seq: u64, out_of_turn: bool) {
        match self {
            Timers::Ticks(timer) => {
                timer.on_send(now, seq, seq >= view.high, view.una == view.high);
            }
            Timers::Rfc6298(timer) => {
                timer.on_send(now, seq, seq >= view.high, view.una == view.high);
            }
            other => other.record_send(now, view, seq, out_of_turn),
        }
    }

    /// Notes a departure, for the other timers.
    fn record_send(&mut self, now: Instant, view: &View, seq: u64, out_of_turn: bool) {
        match self {
            Timers::PerPacket(timers) => {
                if !out_of_turn {
                    timers.start(seq, now);
                }
            }
            Timers::Ticks(_) | Timers::Rfc6298(_) => {}
            Timers::SlowTicks(timer) => {
                timer.on_send(now, seq, seq >= view.high, view.una == view.high);
            }
        }
    }

    /// An ACK moved `view.una`.
    #[inline(always)]
    pub(crate) fn on_new_ack(&mut self, now: Instant, view: &View, timing: AckTimerEffect) {
        match self {
            Timers::PerPacket(_) => {}
            Timers::Ticks(timer) => {
                timer.on_new_ack(now, view.una, timing);
            }
            Timers::Rfc6298(timer) => {
                timer.acknowledge(now, view.una);
                if timing != AckTimerEffect::Keep {
                    timer.restart(now);
                }
            }
            other => other.record_new_ack(now, view.una),
        }
    }

    /// Notes a new ACK, for the other timers.
    fn record_new_ack(&mut self, now: Instant, una: u64) {
        if let Timers::SlowTicks(timer) = self {
            timer.acknowledge(now, una);
            timer.restart(now);
        }
    }

    /// Expiry with nothing outstanding: the timer restarts with the same length.
    pub(crate) fn on_idle_timeout(&mut self, now: Instant) {
        if let Timers::Ticks(timer) = self {
            timer.stop_timing();
            timer.restart(now);
        }
    }

    /// A further mark arrived while the window was at most 1 (ns).
    pub(crate) fn back_off(&mut self) {
        if let Timers::Ticks(timer) = self {
            timer.back_off();
        }
    }

    pub(crate) fn on_timeout(&mut self, now: Instant) {
        match self {
            Timers::PerPacket(_) => {}
            Timers::Ticks(timer) => timer.on_timeout(now),
            Timers::Rfc6298(timer) => timer.on_timeout(now),
            Timers::SlowTicks(timer) => timer.on_timeout(now),
        }
    }

    /// Keeps the backoff despite ACKs, or no longer (ns, while marks come).
    pub(crate) fn set_keeps_backoff(&mut self, holds: bool) {
        if let Timers::Ticks(timer) = self {
            timer.set_keep_backoff(holds);
        }
    }

    /// The last timeout was spurious.
    pub(crate) fn on_spurious_timeout(&mut self) {
        match self {
            Timers::PerPacket(_) | Timers::Ticks(_) | Timers::SlowTicks(_) => {}
            Timers::Rfc6298(timer) => timer.on_spurious_timeout(),
        }
    }

    /// A fast retransmit ends RTT timing. In ns and BSD it also restarts the timer; no RFC requires that.
    pub(crate) fn on_fast_retransmit(&mut self, now: Instant) {
        match self {
            Timers::PerPacket(_) => {}
            Timers::Ticks(timer) => {
                timer.restart(now);
                timer.stop_timing();
            }
            Timers::Rfc6298(timer) => timer.stop_timing(),
            Timers::SlowTicks(timer) => {
                timer.restart(now);
                timer.stop_timing();
            }
        }
    }

    /// Expiry of a timer started now.
    pub(crate) fn expiry_after(&self, now: Instant) -> Instant {
        match self {
            Timers::PerPacket(timers) => now + timers.timeout(),
            Timers::Ticks(timer) => timer.due(now),
            Timers::Rfc6298(timer) => timer.expiry_from(now),
            Timers::SlowTicks(timer) => timer.due(now),
        }
    }

    /// Stops RTT timing: an ACK may answer a retransmission.
    pub(crate) fn stop_timing(&mut self) {
        match self {
            Timers::PerPacket(_) => {}
            Timers::Ticks(timer) => timer.stop_timing(),
            Timers::Rfc6298(timer) => timer.stop_timing(),
            Timers::SlowTicks(timer) => timer.stop_timing(),
        }
    }

    /// A round trip from `sent` to `now` that is not of data.
    pub(crate) fn add_sample(&mut self, sent: Instant, now: Instant) {
        match self {
            Timers::PerPacket(_) => {}
            Timers::Ticks(timer) => timer.add_sample_from(sent, now),
            Timers::Rfc6298(timer) => timer.add_sample_from(sent, now),
            Timers::SlowTicks(timer) => timer.add_sample_from(sent, now),
        }
    }

    /// The timer starts again.
    pub(crate) fn restart(&mut self, now: Instant) {
        match self {
            Timers::PerPacket(_) => {}
            Timers::Ticks(timer) => timer.restart(now),
            Timers::Rfc6298(timer) => timer.restart(now),
            Timers::SlowTicks(timer) => timer.restart(now),
        }
    }

    /// Expiry of the common timers; the others are in a separate function, so that this is a comparison or two and not
    /// a jump.
    #[inline(always)]
    pub(crate) fn expiry(&self, view: &View) -> Instant {
        if let Timers::PerPacket(timers) = self
            && view.una < view.next
        {
            return timers.expiry(view.una);
        }
        match self {
            Timers::Ticks(timer) if view.una < view.high => timer.expiry(),
            Timers::Rfc6298(timer) if view.una < view.high => timer.expiry(),
            other => other.general_expiry(view),
        }
    }

    #[inline(never)]
    fn general_expiry(&self, view: &View) -> Instant {
        match self {
            // Also where the window is too small to send anything [ns: newtimer].
            Timers::Ticks(timer) if view.cwnd < Window::ONE => timer.expiry(),
            Timers::SlowTicks(timer) if view.una < view.high => timer.expiry(),
            _ => Instant::NEVER,
        }
    }

    /// Number of starts of the timer of ns; the others do not count.
    #[inline]
    pub(crate) fn start_count(&self) -> u32 {
        match self {
            Timers::Ticks(timer) => timer.starts(),
            Timers::PerPacket(_) | Timers::Rfc6298(_) | Timers::SlowTicks(_) => 0,
        }
    }

    pub(crate) fn estimate(&self) -> RttEstimate {
        match self {
            Timers::PerPacket(timers) => {
                RttEstimate { backoff: 1, rto: timers.timeout(), srtt: f64::NAN, rttvar: f64::NAN }
            }
            Timers::Ticks(timer) => {
                let (srtt, rttvar) = timer.estimate();
                RttEstimate { backoff: timer.backoff(), rto: timer.rto(), srtt, rttvar }
            }
            Timers::Rfc6298(timer) => {
                let (srtt, rttvar) = timer.srtt_and_rttvar_seconds();
                RttEstimate { backoff: timer.backoff(), rto: timer.rto(), srtt, rttvar }
            }
            Timers::SlowTicks(timer) => {
                let (srtt, rttvar) = timer.estimate();
                RttEstimate { backoff: timer.backoff(), rto: timer.rto(), srtt, rttvar }
            }
        }
    }

    /// The smoothed round-trip time, for congestion controls that use it.
    #[inline]
    pub(crate) fn srtt(&self) -> Option<Span> {
        match self {
            Timers::Rfc6298(timer) => timer.srtt(),
            Timers::PerPacket(_) | Timers::Ticks(_) | Timers::SlowTicks(_) => None,
        }
    }

    /// Returns whether an ACK of all below `una` gives an RTT sample.
    pub(crate) fn has_sample_below(&self, una: u64) -> bool {
        match self {
            Timers::Rfc6298(timer) => timer.has_sample_below(una),
            Timers::PerPacket(_) | Timers::Ticks(_) | Timers::SlowTicks(_) => false,
        }
    }

    /// Returns whether nothing was sent for longer than a timeout.
    pub(crate) fn idle_time_exceeded(&self, now: Instant) -> bool {
        match self {
            Timers::Rfc6298(timer) => timer.idle_time_exceeded(now),
            Timers::PerPacket(_) | Timers::Ticks(_) | Timers::SlowTicks(_) => false,
        }
    }
}
