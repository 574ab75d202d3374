//! Window growth and the threshold after a loss: what ACKs do to the window outside loss recovery.
//! One law per source of rules; a law computes, the sender applies.

mod per_ack;

use crate::recovery::View;
use crate::window::Window;
use airtcp_core::Instant;
use per_ack::PerAck;
use serde::Serialize;

/// Why the window is reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

/// The state of one sender's law of growth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) enum Growth {
    PerAck(PerAck),
}

impl Growth {
    pub(crate) fn new(config: GrowthConfig) -> Self {
        match config {
            GrowthConfig::Idealised => Growth::PerAck(PerAck::Idealised),
            GrowthConfig::Ns2 => Growth::PerAck(PerAck::Ns2),
        }
    }

    /// The window after an ACK of `acked` new sequence numbers.
    #[inline]
    pub(crate) fn on_new_ack(&mut self, _now: Instant, view: &View, _acked: u64) -> Window {
        match self {
            Growth::PerAck(_) => per_ack::increase(view.cwnd, view.ssthresh),
        }
    }

    /// The slow-start threshold after a loss.
    pub(crate) fn on_loss(&mut self, _now: Instant, view: &View, _cause: Cause) -> Window {
        match self {
            Growth::PerAck(law) => law.threshold(view),
        }
    }
}
