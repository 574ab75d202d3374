//! Reports of duplicates [rules/recovery.md rules 14, 15; RFC 2883].

use super::Sender;
use super::context::AckContext;

impl Sender {
    /// Returns whether the first of `blocks` is an accepted D-SACK.
    pub(super) fn check_dsack(
        &mut self,
        ack: u64,
        blocks: &[(u64, u64)],
        c: &mut AckContext,
    ) -> bool {
        let Some(&(start, end)) = blocks.first() else { return false };
        let nested = blocks.get(1).is_some_and(|second| start >= second.0 && end <= second.1);
        if start >= ack && !nested {
            return false;
        }
        if start >= end || end - start > self.max_window {
            return false;
        }
        let mss = u64::from(self.mss_cache);
        let segments = (end - start).div_ceil(mss) as u32;
        let of_probe = segments == 1 && self.probe.high_seq == Some(end);
        self.dsack_dups += segments;
        if self.dsack_dups > self.totals.retrans {
            return false;
        }
        c.dsack = true;
        c.dsack_of_probe = of_probe;
        c.sack_delivered += segments;
        if self.reord_seen > 0 && !of_probe {
            self.rack.dsack_seen = true;
        }
        let covers = |marker| end <= c.una && end > marker;
        if self.undo.retrans > 0 && self.undo.marker.is_some_and(covers) {
            self.undo.retrans = (self.undo.retrans - i64::from(segments)).max(0);
        }
        true
    }
}
