//! Sums over what is outstanding, in sequence numbers.

use serde::Serialize;

/// Sums over outstanding data: it is in flight, reported or lost; some of it was sent more than once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sums {
    /// Neither reported nor lost: its last copy is under way.
    pub in_flight: u64,
    /// Reported by the receiver.
    pub sacked: u64,
    /// Lost, and not sent again since.
    pub lost: u64,
    /// Sent more than once, whatever became of it.
    pub resent: u64,
}
