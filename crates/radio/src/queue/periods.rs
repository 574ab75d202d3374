//! Something that a queue does at equal intervals. Nothing wakes a queue for it: whenever a packet comes or goes, it does what
//! was due by then, in the same order as if it had been done in time.

use airtcp_core::{Instant, Span};

/// A timer that expires at the end of every period.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeriodicTimer {
    next: Instant,
    length: Span,
}

impl PeriodicTimer {
    /// First at the end of the first period.
    pub(super) fn new(length: Span) -> Self {
        PeriodicTimer { next: Instant::START + length, length }
    }

    /// Returns whether another period has ended by `now`, and counts it as handled.
    #[inline]
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        self.due(now).is_some()
    }

    /// End of the next period if that is over by `now`; counts it as handled.
    #[inline]
    pub(super) fn due(&mut self, now: Instant) -> Option<Instant> {
        let at = self.next;
        (at <= now).then(|| {
            self.next = at + self.length;
            at
        })
    }

    /// Skips all periods that have ended by `now`, whose steps would change nothing.
    #[cold]
    pub(super) fn skip(&mut self, now: Instant) {
        if self.next <= now {
            let missed = (now - self.next).nanos() / self.length.nanos() + 1;
            self.next = self.next + self.length * missed;
        }
    }
}
