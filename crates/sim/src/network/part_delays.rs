//! Delays of the current part of a run, and of the parts before it.

use super::histogram::Histogram;
use airtcp_core::Span;

/// Delays of this part of the run, and of those before it.
#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct PartDelays {
    this_part: Histogram,
    earlier_parts: Histogram,
}

impl PartDelays {
    #[inline]
    pub(super) fn add(&mut self, delay: Span) {
        self.this_part.add(delay);
    }

    /// Takes the delays of this part away.
    pub(super) fn take(&mut self) -> Histogram {
        std::mem::take(&mut self.this_part)
    }

    /// Counts delays of this part that were counted elsewhere.
    pub(super) fn merge(&mut self, part: Histogram) {
        self.this_part.merge(part);
    }

    /// The part ends: `read` of its delays, and of all until now.
    pub(super) fn end_part<T: Copy>(&mut self, read: impl Fn(&Histogram) -> T) -> (T, T) {
        let part = read(&self.this_part);
        let is_first = self.earlier_parts.is_empty();
        self.earlier_parts.merge(std::mem::take(&mut self.this_part));
        (part, if is_first { part } else { read(&self.earlier_parts) })
    }

    /// Ends a part, with other questions about all until now.
    pub(super) fn end_part_with<T>(
        &mut self,
        read: impl FnOnce(&Histogram) -> T,
        read_all: impl FnOnce(&Histogram) -> T,
    ) -> (T, T) {
        let part = read(&self.this_part);
        self.earlier_parts.merge(std::mem::take(&mut self.this_part));
        (part, read_all(&self.earlier_parts))
    }

    /// Excludes earlier delays from the quantiles.
    pub(super) fn forget(&mut self) {
        *self = PartDelays::default();
    }
}
