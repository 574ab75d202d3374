//! The timestamp that an ACK echoes: that of the segment that last moved the left edge of the window, so with
//! delayed ACKs that of the earliest segment that an ACK answers [RFC 7323 4.3].

use crate::stamp;
use serde::Serialize;

/// Timestamps to be echoed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct TimestampEcho {
    is_enabled: bool,
    /// `TS.Recent`.
    ts_recent: u32,
    /// `Last.ACK.sent`.
    acked: u64,
}

impl TimestampEcho {
    pub(crate) fn new(on: bool) -> Self {
        TimestampEcho { is_enabled: on, ts_recent: 0, acked: 0 }
    }

    /// A segment from `seq` on arrives, sent at `stamp` (rule 2).
    #[inline]
    pub(crate) fn record(&mut self, seq: u64, stamp: u32) {
        if self.is_enabled && seq <= self.acked && !stamp::is_before(stamp, self.ts_recent) {
            self.ts_recent = stamp;
        }
    }

    /// Returns whether `TS.Recent` is later than `stamp`.
    pub(crate) fn is_after(&self, stamp: u32) -> bool {
        self.is_enabled && stamp::is_before(stamp, self.ts_recent)
    }

    /// The timestamp that an ACK of all below `next` echoes (rule 3).
    #[inline]
    pub(crate) fn echo_for(&mut self, next: u64) -> u32 {
        self.acked = next;
        self.ts_recent
    }
}
