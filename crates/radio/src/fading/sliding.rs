//! The part of an infinite sequence that is in use.

use num_complex::Complex64;

/// Consecutive values of a sequence, kept while it is walked through.
#[derive(Clone, Debug, Default)]
pub(super) struct SlidingValues {
    first: i64,
    values: Vec<Complex64>,
}

/// Values that may lie about before what is in use, and that are left when they are cleared away.
const MAX_UNUSED_BEFORE: i64 = 1024;
const UNUSED_KEPT: i64 = 64;

impl SlidingValues {
    /// Values `from..=to` of the sequence that `make` gives.
    #[inline]
    pub(super) fn values_between(
        &mut self,
        from: i64,
        to: i64,
        make: impl FnMut(i64) -> Complex64,
    ) -> &[Complex64] {
        let end = self.first + self.values.len() as i64;
        if from < self.first || from > end {
            self.values.clear();
            self.first = from;
        } else if from - self.first > MAX_UNUSED_BEFORE {
            self.values.drain(..(from - UNUSED_KEPT - self.first) as usize);
            self.first = from - UNUSED_KEPT;
        }
        let end = self.first + self.values.len() as i64;
        self.values.extend((end..=to).map(make));
        let skip = (from - self.first) as usize;
        &self.values[skip..=skip + (to - from) as usize]
    }
}
