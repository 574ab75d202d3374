//! A propagation delay that changes at given times.

/// A delay that changes at given instants.
#[derive(Debug)]
pub(crate) struct DelaySchedule<T, D> {
    first: D,
    /// Changes of the delay by increasing time.
    changes: Vec<(T, D)>,
    /// Number of them that are in force.
    changes_in_force: usize,
}

impl<T: Copy + PartialOrd, D: Copy> DelaySchedule<T, D> {
    pub(crate) fn new(first: D, changes: Vec<(T, D)>) -> Self {
        DelaySchedule { first, changes, changes_in_force: 0 }
    }

    /// The delay of a transmission that starts at `start`, which runs back only after [`restart`].
    ///
    /// [`restart`]: DelaySchedule::restart
    #[inline]
    pub(crate) fn delay_at(&mut self, start: T) -> D {
        while self.changes.get(self.changes_in_force).is_some_and(|change| change.0 <= start) {
            self.changes_in_force += 1;
        }
        match self.changes_in_force {
            0 => self.first,
            n => self.changes[n - 1].1,
        }
    }

    /// Sets the delay before any change.
    pub(crate) fn set_initial_delay(&mut self, delay: D) {
        self.first = delay;
    }

    /// The delay before any change.
    #[inline]
    pub(crate) fn initial_delay(&self) -> D {
        self.first
    }

    /// Returns whether the delay never changes.
    #[inline]
    pub(crate) fn is_constant(&self) -> bool {
        self.changes.is_empty()
    }

    /// Goes back to the first delay, because transmissions that were planned are cancelled.
    pub(crate) fn restart(&mut self) {
        self.changes_in_force = 0;
    }
}
