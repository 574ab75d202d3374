//! Scoreboard: data sent and not yet acknowledged. Every slot of a sender reads it through the [`View`](crate::View); only the
//! sender writes it, as it sends, as ACKs arrive, and by the verbs of a plan.
//!
//! Only what is needed is kept: SACKed ranges, for variants that read SACK blocks, and segments with their send times,
//! for congestion controls that need rate samples.

mod by_time;
mod found;
mod history;
mod rate;
mod sums;
#[cfg(test)]
mod tests;

use crate::ranges::RangeSet;
use crate::segment::Sack;
use airtcp_core::Instant;
use found::LossRecord;
use history::History;
use serde::Serialize;

pub(crate) use found::Delivery;
pub(crate) use rate::RateSample;
pub use sums::StateSums;

/// Data between the cumulative ACK and the highest number sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Scoreboard {
    /// True if SACK blocks are used.
    reads_sack: bool,
    reports: RangeSet,
    /// Sequence numbers newly SACKed by the current ACK.
    reported: u64,
    /// Data that is not reported and lies below is lost, as far as it was not sent again.
    lost_below: u64,
    history: Option<Box<History>>,
}

impl Scoreboard {
    /// Creates the parts that the sender's slots need: SACKed ranges, and segments for rate samples or time-based
    /// detection.
    pub(crate) fn new(reads_reports: bool, samples: bool, by_time: bool) -> Self {
        let history = (samples || by_time).then(|| Box::new(History::new(by_time)));
        Scoreboard { reads_sack: reads_reports, history, ..Scoreboard::default() }
    }

    /// Ranges that the receiver has reported beyond the cumulative ACK, since that was last forgotten.
    #[must_use]
    #[inline]
    pub fn sacked_ranges(&self) -> &RangeSet {
        &self.reports
    }

    /// Sequence numbers newly SACKed by the current ACK: if any, it counts as a duplicate [RFC 6675, section 2].
    #[must_use]
    #[inline]
    pub fn sacked_bytes(&self) -> u64 {
        self.reported
    }

    /// End of the data that is lost if it is not reported and was not sent again.
    #[must_use]
    #[inline]
    pub fn lost_below(&self) -> u64 {
        self.lost_below
    }

    /// Returns whether an ACK without SACK blocks may still change which data are lost.
    #[inline]
    pub(crate) fn has_sack(&self) -> bool {
        self.lost_below > 0 || !self.reports.is_empty()
    }

    /// Losses were detected.
    pub(crate) fn mark_lost_below(&mut self, end: u64) {
        self.lost_below = end;
        if let Some(history) = &mut self.history {
            history.mark_lost_below(end);
        }
    }

    /// The sums over the segments, where those are kept.
    #[must_use]
    pub fn sums(&self) -> Option<StateSums> {
        self.history.as_ref().map(|history| history.state_sums())
    }

    /// The segments, where they are kept.
    #[inline]
    pub(crate) fn history(&mut self) -> Option<&mut History> {
        self.history.as_deref_mut()
    }

    /// An ACK of all below `una`, with its blocks.
    #[inline(always)]
    pub(crate) fn on_ack(&mut self, now: Instant, una: u64, sack: &Sack) {
        if let Some(history) = &mut self.history {
            history.begin_ack();
            history.acknowledge(now, una);
        }
        if self.reads_sack && !(sack.is_empty() && self.reports.is_empty()) {
            self.add_sack(now, una, sack);
        } else {
            self.reported = 0;
        }
    }

    fn add_sack(&mut self, now: Instant, una: u64, sack: &Sack) {
        self.reports.remove_below(una);
        self.reported = 0;
        for block in sack.blocks(una) {
            let (start, end) = (block.start.max(una), block.end);
            if let Some(history) = &mut self.history {
                let mut from = start;
                while let Some((first, next)) = self.reports.first_gap(from, end) {
                    history.mark_sacked(now, first, next);
                    from = next;
                }
            }
            self.reported += self.reports.insert(start, end);
        }
        if let Some(history) = &mut self.history {
            history.end_reports();
        }
    }

    /// Clears SACK reports: the receiver may have reneged [RFC 2018, section 8].
    pub(crate) fn clear_sack(&mut self) {
        self.reports.clear();
        self.lost_below = 0;
        if let Some(history) = &mut self.history {
            history.clear_sack();
        }
    }

    /// Segments that the current ACK delivers, in ascending order.
    pub(crate) fn deliveries(&self) -> &[Delivery] {
        self.history.as_ref().map_or(&[], |history| history.deliveries())
    }

    /// Losses that the detection found at this input.
    pub(crate) fn detected_losses(&self) -> LossRecord {
        self.history.as_ref().map(|history| history.detected_losses()).unwrap_or_default()
    }

    /// Sequence numbers that are neither reported nor lost.
    pub(crate) fn in_flight(&self) -> u64 {
        self.sums().map_or(0, |sums| sums.in_flight)
    }

    /// The first segment that is lost and was not sent again since.
    pub(crate) fn first_lost(&self) -> Option<u64> {
        self.history.as_ref()?.first_lost()
    }

    /// The last segment.
    pub(crate) fn last(&self) -> Option<u64> {
        self.history.as_ref()?.last()
    }

    /// Marks overdue segments as lost. Returns the longest remaining time of suspected ones.
    pub(crate) fn mark_overdue(
        &mut self,
        remaining: impl Fn(Instant, u64) -> Option<i64>,
    ) -> Option<i64> {
        self.history.as_mut()?.mark_overdue(remaining)
    }

    /// Records whether a probe has repaired a loss.
    pub(crate) fn record_probe_repair(&mut self, repaired: bool) {
        self.history.iter_mut().for_each(|history| history.record_probe_repair(repaired));
    }
}
