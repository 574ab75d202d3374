//! A propagation delay that changes at given times.

use airtcp_core::{Instant, Span};

/// A delay, and what it is from each of some instants on.
#[derive(Debug)]
pub(crate) struct Delays {
    first: Span,
    /// By increasing time.
    changes: Vec<(Instant, Span)>,
    /// How many of them are in force.
    passed: usize,
}

impl Delays {
    pub(crate) fn new(first: Span, changes: Vec<(Instant, Span)>) -> Self {
        Delays { first, changes, passed: 0 }
    }

    /// The delay of a transmission that starts at `start`, which runs back only after [`rewind`].
    ///
    /// [`rewind`]: Delays::rewind
    #[inline]
    pub(crate) fn at(&mut self, start: Instant) -> Span {
        while self.changes.get(self.passed).is_some_and(|change| change.0 <= start) {
            self.passed += 1;
        }
        match self.passed {
            0 => self.first,
            n => self.changes[n - 1].1,
        }
    }

    /// Transmissions that were to start will not.
    pub(crate) fn rewind(&mut self) {
        self.passed = 0;
    }
}
