//! Progress of a replay, for a watcher on another thread.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Segments that were replayed, out of all to be replayed; trials count by the segments that they replay.
#[derive(Debug, Default)]
pub struct Progress {
    furthest: AtomicUsize,
    segments: AtomicUsize,
    trials: AtomicUsize,
}

impl Progress {
    /// The furthest segment of any replay, the number of segments, and how many trials were made.
    #[must_use]
    pub fn counts(&self) -> (usize, usize, usize) {
        let of = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        (of(&self.furthest), of(&self.segments), of(&self.trials))
    }

    pub(crate) fn begin(&self, segments: usize) {
        self.segments.store(segments, Ordering::Relaxed);
    }

    pub(crate) fn advance_to(&self, segment: usize) {
        self.furthest.fetch_max(segment, Ordering::Relaxed);
    }

    pub(crate) fn count_trial(&self) {
        self.trials.fetch_add(1, Ordering::Relaxed);
    }
}

/// The watcher of a replay, who may end it, and a meter of the work done.
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a> {
    pub cancel: &'a airtcp_core::Cancel,
    pub progress: &'a Progress,
    /// Events that were replayed in trials.
    pub work: &'a Cell<u64>,
    /// Most events that trials may replay each time that setups are judged.
    pub budget: u64,
    /// True if the budget ended the trials.
    pub budget_spent: &'a Cell<bool>,
}

impl Watch<'_> {
    pub(crate) fn add_work(&self, events: usize) {
        self.work.set(self.work.get() + events as u64);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_set()
    }
}
