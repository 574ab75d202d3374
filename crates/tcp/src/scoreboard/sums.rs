//! Sums over what is outstanding, in sequence numbers.

use serde::Serialize;

/// Sums over outstanding data, each of which is in flight, SACKed or lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StateSums {
    /// Neither SACKed nor lost: in flight.
    pub in_flight: u64,
    /// Reported by the receiver.
    pub sacked: u64,
    /// Lost, and not sent again since.
    pub lost: u64,
    /// Sent more than once, in any state.
    pub resent: u64,
}
