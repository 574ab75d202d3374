//! Messages between the scoreboard and a time-based loss detection, at one input.

use airtcp_core::Instant;
use serde::Serialize;

/// A segment that an ACK was the first to deliver, as it was last sent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Delivery {
    pub(crate) sent: Instant,
    /// Rank of the transmission among all departures.
    pub(crate) place: u64,
    pub(crate) end: u64,
    /// True if it was sent more than once.
    pub(crate) is_retransmission: bool,
}

/// Losses that the detection found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct LossRecord {
    /// Sequence numbers lost that were not before, or were retransmitted since.
    pub(crate) lost: u64,
    /// Send time of the latest lost segment.
    pub(crate) newest: Instant,
    /// True if a probe has repaired a loss, so that nothing else shows it.
    pub(crate) repaired: bool,
}

impl Default for LossRecord {
    fn default() -> Self {
        LossRecord { lost: 0, newest: Instant::START, repaired: false }
    }
}
