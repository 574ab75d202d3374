//! Delays of the part of a run at hand, and of the parts before it.

use super::histogram::Histogram;
use airtcp_core::Span;

/// Delays of this part of the run, and of those before it.
#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct PartDelays {
    part: Histogram,
    before: Histogram,
}

impl PartDelays {
    #[inline]
    pub(super) fn add(&mut self, delay: Span) {
        self.part.add(delay);
    }

    /// Takes the delays of this part away.
    pub(super) fn take(&mut self) -> Histogram {
        std::mem::take(&mut self.part)
    }

    /// Counts delays of this part that were counted elsewhere.
    pub(super) fn merge(&mut self, part: Histogram) {
        self.part.merge(part);
    }

    /// The part ends: `read` of its delays, and of all until now.
    pub(super) fn end_part<T: Copy>(&mut self, read: impl Fn(&Histogram) -> T) -> (T, T) {
        let part = read(&self.part);
        let is_first = self.before.is_empty();
        self.before.merge(std::mem::take(&mut self.part));
        (part, if is_first { part } else { read(&self.before) })
    }

    /// Ends a part, with other questions about all until now.
    pub(super) fn end_part_by<T>(
        &mut self,
        read: impl FnOnce(&Histogram) -> T,
        read_all: impl FnOnce(&Histogram) -> T,
    ) -> (T, T) {
        let part = read(&self.part);
        self.before.merge(std::mem::take(&mut self.part));
        (part, read_all(&self.before))
    }

    /// Delays until now no longer count.
    pub(super) fn forget(&mut self) {
        *self = PartDelays::default();
    }
}
