//! Window growth and the threshold after a loss: what ACKs do to the window outside loss recovery.
//! One law per source of rules, two for the RFCs; a law computes, the sender applies.

mod bsd;
mod cubic;
mod law;
mod per_ack;
mod reno;

use crate::recovery::View;
use crate::window::Window;
use airtcp_core::{Instant, Span};
use cubic::Cubic;
use per_ack::PerAck;
use reno::Reno;
use serde::Serialize;

pub use law::GrowthLaw;

/// Why the window is reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Cause {
    /// Duplicate ACKs.
    FastRetransmit,
    /// The retransmission timer.
    Timeout,
}

/// A law of growth, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrowthConfig {
    /// One increase per ACK; the threshold is `ceil(cwnd/2)` [zorzi, section II].
    Idealised,
    /// One increase per ACK; the threshold is half the window in whole packets, at least 2 (ns).
    Ns2,
    /// By bytes acknowledged; the threshold is half the flight, at least 2 segments [RFC 5681 3.1].
    Reno,
    /// CUBIC [RFC 9438].
    Cubic,
    /// One increase per ACK, in bytes; the threshold is half the window in whole segments, at least 2.
    Bsd,
}

/// An ACK of new data.
pub(crate) struct Acked {
    pub(crate) now: Instant,
    /// Sequence numbers that it acknowledges first.
    pub(crate) amount: u64,
    /// Most that slow start adds to the window.
    pub(crate) slow_start: u64,
    /// Smoothed round-trip time, where one is measured.
    pub(crate) srtt: Option<Span>,
}

/// The state of one sender's law of growth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) enum Growth {
    PerAck(PerAck),
    Reno(Reno),
    Cubic(Cubic),
    Bsd,
}

impl Growth {
    pub(crate) fn new(config: GrowthConfig) -> Self {
        match config {
            GrowthConfig::Idealised => Growth::PerAck(PerAck::Idealised),
            GrowthConfig::Ns2 => Growth::PerAck(PerAck::Ns2),
            GrowthConfig::Reno => Growth::Reno(Reno::default()),
            GrowthConfig::Cubic => Growth::Cubic(Cubic::default()),
            GrowthConfig::Bsd => Growth::Bsd,
        }
    }

    /// The window after an ACK.
    #[inline]
    pub(crate) fn on_new_ack(&mut self, view: &View, ack: &Acked) -> Window {
        match self {
            Growth::PerAck(_) => per_ack::increase(view.cwnd, view.ssthresh),
            Growth::Reno(law) => law.on_new_ack(view, ack),
            Growth::Cubic(law) => law.on_new_ack(view, ack),
            Growth::Bsd => bsd::increase(view),
        }
    }

    /// The slow-start threshold after a loss at a `window` that is not inflated.
    pub(crate) fn on_loss(&mut self, view: &View, window: Window, cause: Cause) -> Window {
        match self {
            Growth::PerAck(law) => law.threshold(view),
            Growth::Reno(law) => law.on_loss(view, window),
            Growth::Cubic(law) => law.on_loss(view, window, cause),
            Growth::Bsd => bsd::threshold(view),
        }
    }
}

/// What was outstanding within `window` at a loss.
fn flight(view: &View, window: Window) -> u64 {
    view.flight().min(window.floor())
}

/// Whether what was outstanding as the ACK came left no room for another segment. Otherwise the
/// receiver's window or the application is the limit and the window says nothing about the path: it
/// stays [RFC 9438 5.8; for Reno in the spirit of RFC 7661, with the flight for its pipeACK].
fn uses_window(view: &View, ack: &Acked) -> bool {
    view.flight() + ack.amount + u64::from(view.mss) > view.cwnd.floor()
}
