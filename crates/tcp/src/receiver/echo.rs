//! The timestamp that an ACK echoes: that of the segment that last moved the left edge of the window, so with
//! delayed ACKs that of the earliest segment that an ACK answers [RFC 7323 4.3].

use crate::stamp;
use serde::Serialize;

/// Timestamps to be echoed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Echo {
    on: bool,
    /// `TS.Recent`.
    recent: u32,
    /// `Last.ACK.sent`.
    acked: u64,
}

impl Echo {
    pub(crate) fn new(on: bool) -> Self {
        Echo { on, recent: 0, acked: 0 }
    }

    /// A segment from `seq` on arrives, sent at `stamp` (rule 2).
    #[inline]
    pub(crate) fn note(&mut self, seq: u64, stamp: u32) {
        if self.on && seq <= self.acked && !stamp::is_before(stamp, self.recent) {
            self.recent = stamp;
        }
    }

    /// Returns whether `TS.Recent` is later than `stamp`.
    pub(crate) fn is_after(&self, stamp: u32) -> bool {
        self.on && stamp::is_before(stamp, self.recent)
    }

    /// The timestamp that an ACK of all below `next` echoes (rule 3).
    #[inline]
    pub(crate) fn of(&mut self, next: u64) -> u32 {
        self.acked = next;
        self.recent
    }
}
