//! What a detection by times asks of the room, and marks in it.

use super::Segments;
use super::found::{Delivery, Found};
use airtcp_core::Instant;

impl Segments {
    /// What the ACK at hand delivers, in ascending order.
    pub(crate) fn deliveries(&self) -> &[Delivery] {
        self.history.as_ref().map_or(&[], |history| history.deliveries())
    }

    /// What the detection found at the input at hand.
    pub(crate) fn found(&self) -> Found {
        self.history.as_ref().map(|history| history.found()).unwrap_or_default()
    }

    /// What is neither reported nor lost.
    pub(crate) fn in_flight(&self) -> u64 {
        self.sums().map_or(0, |sums| sums.in_flight)
    }

    /// The first segment that is lost and was not sent again since.
    pub(crate) fn first_lost(&self) -> Option<u64> {
        self.history.as_ref()?.first_lost()
    }

    /// The last segment.
    pub(crate) fn last(&self) -> Option<u64> {
        self.history.as_ref()?.last()
    }

    /// Marks what is lost; the longest wait for the rest of what is suspected.
    pub(crate) fn judge(&mut self, remaining: impl Fn(Instant, u64) -> Option<i64>) -> Option<i64> {
        self.history.as_mut()?.judge(remaining)
    }

    /// A probe has repaired a loss, or not.
    pub(crate) fn note_repair(&mut self, repaired: bool) {
        self.history.iter_mut().for_each(|history| history.note_repair(repaired));
    }
}
