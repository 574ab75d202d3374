//! What was sent and is not yet acknowledged: the one room for it. Every slot of a sender reads it through
//! the [`View`](crate::View), the sender alone writes it, by what is sent, by ACKs and by the verbs of a plan.
//!
//! Nobody pays for what nobody asks for: what the receiver reports is kept for variants that read SACK
//! blocks, as ranges.

use crate::ranges::RangeSet;
use crate::segment::Sack;
use serde::Serialize;

/// What is known of the data between the cumulative ACK and the highest number sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Segments {
    /// Whether anybody reads reports.
    reads_reports: bool,
    reports: RangeSet,
    /// How much the ACK at hand was the first to report.
    reported: u64,
}

impl Segments {
    pub(crate) fn new(reads_reports: bool) -> Self {
        Segments { reads_reports, ..Segments::default() }
    }

    /// What the receiver has reported beyond the cumulative ACK, since that was last forgotten.
    #[must_use]
    #[inline]
    pub fn reports(&self) -> &RangeSet {
        &self.reports
    }

    /// How much of it the ACK at hand was the first to report: if anything, it counts as a duplicate
    /// [RFC 6675, section 2].
    #[must_use]
    #[inline]
    pub fn reported(&self) -> u64 {
        self.reported
    }

    /// An ACK of all below `una`, with its blocks.
    #[inline]
    pub(crate) fn on_ack(&mut self, una: u64, sack: &Sack) {
        if self.reads_reports && !(sack.is_empty() && self.reports.is_empty()) {
            self.report(una, sack);
        } else {
            self.reported = 0;
        }
    }

    fn report(&mut self, una: u64, sack: &Sack) {
        self.reports.remove_below(una);
        let blocks = sack.blocks(una);
        self.reported = blocks.map(|b| self.reports.insert(b.start.max(una), b.end)).sum();
    }

    /// The receiver may have dropped what it reported [RFC 2018, section 8].
    pub(crate) fn forget_reports(&mut self) {
        self.reports.clear();
    }
}
