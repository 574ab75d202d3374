//! Something that a queue does at equal intervals. Nothing wakes a queue for it: whenever a packet comes or goes, it does what
//! was due by then, in the same order as if it had been done in time.

use airtcp_core::{Instant, Span};

/// The next time it is due.
#[derive(Clone, Copy, Debug)]
pub(super) struct Periods {
    next: Instant,
    length: Span,
}

impl Periods {
    /// First at the end of the first period.
    pub(super) fn new(length: Span) -> Self {
        Periods { next: Instant::START + length, length }
    }

    /// Returns whether it is due once more by `now`; then it counts as done.
    #[inline]
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        self.due(now).is_some()
    }

    /// The instant at which it was due, if it is due once more by `now`; then it counts as done.
    #[inline]
    pub(super) fn due(&mut self, now: Instant) -> Option<Instant> {
        let at = self.next;
        (at <= now).then(|| {
            self.next = at + self.length;
            at
        })
    }

    /// All that is due by `now` is done at once, because it changes nothing.
    #[cold]
    pub(super) fn skip(&mut self, now: Instant) {
        if self.next <= now {
            let missed = (now - self.next).nanos() / self.length.nanos() + 1;
            self.next = self.next + self.length * missed;
        }
    }
}
