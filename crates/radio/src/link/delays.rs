//! A propagation delay that changes at given times.

/// A delay, and what it is from each of some instants on.
#[derive(Debug)]
pub(crate) struct Delays<T, D> {
    first: D,
    /// Changes of the delay by increasing time.
    changes: Vec<(T, D)>,
    /// Number of them that are in force.
    passed: usize,
}

impl<T: Copy + PartialOrd, D: Copy> Delays<T, D> {
    pub(crate) fn new(first: D, changes: Vec<(T, D)>) -> Self {
        Delays { first, changes, passed: 0 }
    }

    /// The delay of a transmission that starts at `start`, which runs back only after [`rewind`].
    ///
    /// [`rewind`]: Delays::rewind
    #[inline]
    pub(crate) fn at(&mut self, start: T) -> D {
        while self.changes.get(self.passed).is_some_and(|change| change.0 <= start) {
            self.passed += 1;
        }
        match self.passed {
            0 => self.first,
            n => self.changes[n - 1].1,
        }
    }

    /// The delay before any change.
    #[inline]
    pub(crate) fn first(&self) -> D {
        self.first
    }

    /// Returns whether the delay never changes.
    #[inline]
    pub(crate) fn is_constant(&self) -> bool {
        self.changes.is_empty()
    }

    /// Transmissions that were to start will not.
    pub(crate) fn rewind(&mut self) {
        self.passed = 0;
    }
}
