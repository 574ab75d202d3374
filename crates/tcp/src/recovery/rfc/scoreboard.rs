//! What the receiver has reported to hold, and what follows for the rest [RFC 6675, section 4].

use super::View;
use crate::ranges::RangeSet;
use serde::Serialize;

/// The reported ranges beyond the cumulative ACK.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Scoreboard {
    sacked: RangeSet,
    /// What is not reported and lies below counts as lost.
    lost: u64,
}

impl Scoreboard {
    /// `Update()`: takes an ACK; whether it reports anything for the first time, which is what makes
    /// it a duplicate [section 2].
    pub(crate) fn update(&mut self, view: &View) -> bool {
        if view.sack.blocks().is_empty() && self.sacked.is_empty() {
            return false;
        }
        self.sacked.remove_below(view.una);
        let blocks = view.sack.blocks().iter();
        let new: u64 = blocks.map(|b| self.sacked.insert(b.start.max(view.una), b.end)).sum();
        self.lost = self.lost_below(view);
        new > 0
    }

    pub(crate) fn clear(&mut self) {
        self.sacked.clear();
        self.lost = 0;
    }

    /// `IsLost()`, for a number that was not reported.
    pub(crate) fn is_lost(&self, seq: u64) -> bool {
        seq < self.lost
    }

    /// `SetPipe()`, with all below `resent` retransmitted: what is not lost (a) and what was
    /// retransmitted (b), each without what was reported.
    pub(crate) fn pipe(&self, view: &View, resent: u64) -> u64 {
        self.missing(self.lost.max(view.una), view.high) + self.missing(view.una, resent)
    }

    /// The smallest missing number from `floor` on with a reported one above it.
    pub(crate) fn hole(&self, floor: u64) -> Option<u64> {
        self.sacked.hole(floor)
    }

    /// The smallest missing number from `floor` on.
    pub(crate) fn skip(&self, floor: u64) -> u64 {
        self.sacked.around(floor).map_or(floor, |range| range.1)
    }

    /// The largest missing number below `high`; `None` if there is none beyond the cumulative ACK.
    pub(crate) fn highest_missing(&self, view: &View) -> Option<u64> {
        let last = self.sacked.ranges().last();
        let end = last.filter(|r| r.1 >= view.high).map_or(view.high, |r| r.0);
        end.checked_sub(1).filter(|seq| *seq >= view.una)
    }

    /// How many numbers of `[start, end)` were not reported.
    pub(crate) fn missing(&self, start: u64, end: u64) -> u64 {
        end.saturating_sub(start).saturating_sub(self.sacked.count(start, end))
    }

    /// How many numbers were reported.
    pub(crate) fn total(&self) -> u64 {
        self.sacked.total()
    }

    /// The highest range with K ranges from it on, or with more than (K - 1) segments: what is
    /// missing below is lost.
    fn lost_below(&self, view: &View) -> u64 {
        let most = u64::from(view.dupack_threshold - 1);
        let mut bytes = 0;
        for (above, (start, end)) in (0..).zip(self.sacked.ranges().iter().rev()) {
            bytes += end - start;
            if above >= most || bytes > most * u64::from(view.mss) {
                return *start;
            }
        }
        0
    }
}
