//! When to retransmit: the timers of the sources. One kind per source of rules; the sender calls
//! them at the same moments.

mod per_packet;
mod ticks;
mod timing;

use crate::recovery::View;
use airtcp_core::{Instant, Span};
use per_packet::PacketTimers;
use serde::Serialize;
use ticks::TickTimer;

/// Which timer, and its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimerConfig {
    /// One timer of fixed length per packet.
    PerPacket {
        /// Its length (`T_o`).
        timeout: Span,
    },
    /// ns: integer estimator on a coarse clock.
    Ticks {
        /// Period of the clock.
        tick: Span,
        /// Its phase: it ticks at `k * tick - boot`.
        boot: Span,
    },
}

/// What an ACK of new data does to the timer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AckTiming {
    /// The timer starts again; the timed packet, if covered, gives a sample and ends the back-off.
    #[default]
    Sample,
    /// The same without a sample.
    Discard,
    /// The timer starts again and back-off ends, whatever was covered.
    ClearBackoff,
}

/// What the estimator knows, for traces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Factor on the timeout.
    pub backoff: u32,
    /// Timeout without the factor.
    pub rto: Span,
    /// Smoothed round-trip time in seconds, NaN if there is none.
    pub srtt: f64,
    /// Its mean deviation in seconds.
    pub rttvar: f64,
}

/// The timer of one sender.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) enum Timers {
    PerPacket(PacketTimers),
    Ticks(TickTimer),
}

impl Timers {
    pub(crate) fn new(config: TimerConfig, window: u32) -> Self {
        match config {
            TimerConfig::PerPacket { timeout } => {
                Timers::PerPacket(PacketTimers::new(timeout, window))
            }
            TimerConfig::Ticks { tick, boot } => Timers::Ticks(TickTimer::new(tick, boot)),
        }
    }

    /// `seq` leaves; `view` is the sender before that. `out_of_turn`: not by the window, but as a
    /// retransmission of its own.
    #[inline]
    pub(crate) fn on_send(&mut self, now: Instant, view: &View, seq: u64, out_of_turn: bool) {
        match self {
            Timers::PerPacket(timers) => {
                if !out_of_turn {
                    timers.start(seq, now);
                }
            }
            Timers::Ticks(timer) => {
                timer.on_send(now, seq, seq >= view.high, view.una == view.high);
            }
        }
    }

    /// An ACK moved `view.una`.
    #[inline]
    pub(crate) fn on_new_ack(&mut self, now: Instant, view: &View, timing: AckTiming) {
        match self {
            Timers::PerPacket(_) => {}
            Timers::Ticks(timer) => {
                // The timer starts with the estimate from before this ACK.
                timer.restart(now);
                match timing {
                    AckTiming::Sample => timer.acknowledge(now, view.una, true),
                    AckTiming::Discard => timer.acknowledge(now, view.una, false),
                    AckTiming::ClearBackoff => timer.clear_backoff(),
                }
            }
        }
    }

    pub(crate) fn on_timeout(&mut self, now: Instant) {
        match self {
            Timers::PerPacket(_) => {}
            Timers::Ticks(timer) => timer.on_timeout(now),
        }
    }

    /// A retransmission by duplicate ACKs: the timer starts again and nothing is timed any more.
    pub(crate) fn on_fast_retransmit(&mut self, now: Instant) {
        match self {
            Timers::PerPacket(_) => {}
            Timers::Ticks(timer) => {
                timer.restart(now);
                timer.stop_timing();
            }
        }
    }

    #[inline]
    pub(crate) fn expiry(&self, view: &View) -> Instant {
        match self {
            Timers::PerPacket(timers) if view.una < view.next => timers.expiry(view.una),
            Timers::Ticks(timer) if view.una < view.high => timer.expiry(),
            _ => Instant::NEVER,
        }
    }

    pub(crate) fn estimate(&self) -> Estimate {
        match self {
            Timers::PerPacket(timers) => {
                Estimate { backoff: 1, rto: timers.timeout(), srtt: f64::NAN, rttvar: f64::NAN }
            }
            Timers::Ticks(timer) => {
                let (srtt, rttvar) = timer.estimate();
                Estimate { backoff: timer.backoff(), rto: timer.rto(), srtt, rttvar }
            }
        }
    }
}
