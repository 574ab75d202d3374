//! One probing cycle: PROBE1 until it is answered, then PROBE2 until that is [lahanas reading, section 1].
//!
//! A probe that is sent again gets a new number, so that its answer cannot be taken for that of the one
//! before, and its time is measured from there. The probe timer does not back off.

use super::Report;
use crate::growth::Cause;
use crate::recovery::View;
use crate::segment::{ProbeId, ProbeKind};
use airtcp_core::{Instant, Span};
use serde::Serialize;

/// A cycle under way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Cycle {
    cause: Cause,
    /// The sender as it began: the congestion state stays as it was.
    frozen: View,
    /// The probe whose answer is awaited.
    awaited: ProbeId,
    /// When it was sent; none: it is to be sent now.
    sent: Option<Instant>,
    expiry: Instant,
    /// Whether the answer to the first probe was good, once it is there.
    first_good: bool,
    /// Duplicate ACKs since `una` last moved.
    dupacks: u32,
}

impl Cycle {
    pub(super) fn new(cause: Cause, frozen: View, id: ProbeId, due: Instant) -> Self {
        let (sent, first_good, dupacks) = (None, false, 0);
        Cycle { cause, frozen, awaited: id, sent, expiry: due, first_good, dupacks }
    }

    pub(super) fn expiry(&self) -> Instant {
        self.expiry
    }

    pub(super) fn kind(&self) -> ProbeKind {
        self.awaited.kind()
    }

    /// The next probe is `id`; it is sent again at `due`.
    pub(super) fn ask(&mut self, id: ProbeId, due: Instant) {
        (self.awaited, self.sent, self.expiry) = (id, None, due);
    }

    pub(super) fn poll(&mut self, now: Instant) -> Option<ProbeId> {
        if self.sent.is_some() {
            return None;
        }
        self.sent = Some(now);
        Some(self.awaited)
    }

    /// How long the probe `id` took, if its answer is awaited.
    pub(super) fn answer(&self, now: Instant, id: ProbeId) -> Option<Span> {
        let sent = self.sent.filter(|_| id == self.awaited)?;
        Some(now - sent)
    }

    /// From the first probe to the second.
    pub(super) fn proceed(&mut self, good: bool, next: ProbeId, due: Instant) {
        self.first_good = good;
        self.ask(next, due);
    }

    /// The end, and the sender as it was at the beginning.
    pub(super) fn report(self, second_good: bool) -> (Report, View) {
        let report = Report {
            cause: self.cause,
            good: [self.first_good, second_good],
            dupacks: self.dupacks,
            slow_start: self.frozen.cwnd <= self.frozen.ssthresh,
        };
        (report, self.frozen)
    }

    pub(super) fn count_duplicate(&mut self) {
        self.dupacks += 1;
    }

    pub(super) fn forget_duplicates(&mut self) {
        self.dupacks = 0;
    }
}
