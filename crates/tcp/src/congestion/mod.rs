//! Window growth and the threshold after a loss: what ACKs do to the window outside loss recovery.
//! One law per source of rules, two for the RFCs; a law computes, the sender applies.

mod ack;
mod bsd;
mod cubic;
mod law;
mod per_ack;
mod reno;

use crate::cause::Cause;
use crate::view::View;
use crate::window::Window;
use cubic::Cubic;
use per_ack::PerAck;
use reno::Reno;
use serde::Serialize;

pub(crate) use ack::Acked;
pub use law::GrowthLaw;

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

impl From<GrowthLaw> for GrowthConfig {
    fn from(law: GrowthLaw) -> Self {
        match law {
            GrowthLaw::Reno => GrowthConfig::Reno,
            GrowthLaw::Cubic => GrowthConfig::Cubic,
        }
    }
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
