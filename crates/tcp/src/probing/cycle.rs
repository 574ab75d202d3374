//! One probing cycle: PROBE1 until one is answered, then PROBE2 until one of those is [lahanas reading, section 1].
//!
//! A probe that is retransmitted gets a new number, so that every answer identifies its probe and its sending time.
//! Which of them is answered does not matter: where the round trip is longer than the probe timer, which does not back
//! off, every answer is to a probe that was retransmitted since.

use crate::reduction_cause::ReductionCause;
use crate::report::ProbeReport;
use crate::segment::{ProbeId, ProbeKind};
use crate::view::View;
use airtcp_core::Instant;
use serde::Serialize;

/// The probe timer is not doubled more often, where it doubles.
const MAX_DOUBLINGS: usize = 6;

/// A probing cycle in progress.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct ProbeCycle {
    cause: ReductionCause,
    /// The sender as it began: the congestion state stays as it was.
    view_at_start: View,
    /// The last probe of the kind whose answer is awaited.
    last_probe: ProbeId,
    /// True if the probe is to be sent now.
    is_due: bool,
    /// The probes of that kind that were sent, and when.
    sent_probes: Vec<(ProbeId, Instant)>,
    expiry: Instant,
    /// True if the answer to the first probe was good.
    is_first_good: bool,
    /// Duplicate ACKs since `una` last moved.
    dupacks: u32,
}

impl ProbeCycle {
    pub(super) fn new(cause: ReductionCause, frozen: View, id: ProbeId, expiry: Instant) -> Self {
        let (due, sent, first_good, dupacks) = (true, vec![], false, 0);
        ProbeCycle {
            cause,
            view_at_start: frozen,
            last_probe: id,
            is_due: due,
            sent_probes: sent,
            expiry,
            is_first_good: first_good,
            dupacks,
        }
    }

    pub(super) fn expiry(&self) -> Instant {
        self.expiry
    }

    pub(super) fn kind(&self) -> ProbeKind {
        self.last_probe.kind()
    }

    /// Number of times that the probe of this kind was sent, as far as that doubles a timer.
    pub(super) fn repeats(&self) -> usize {
        self.sent_probes.len().min(MAX_DOUBLINGS)
    }

    /// The next probe is `id`; it is retransmitted at `expiry`.
    pub(super) fn send_next(&mut self, id: ProbeId, expiry: Instant) {
        (self.last_probe, self.is_due, self.expiry) = (id, true, expiry);
    }

    pub(super) fn poll(&mut self, now: Instant) -> Option<ProbeId> {
        if !std::mem::take(&mut self.is_due) {
            return None;
        }
        self.sent_probes.push((self.last_probe, now));
        Some(self.last_probe)
    }

    /// Time at which the probe `id` was sent, if an answer to it is awaited.
    pub(super) fn sent_at(&self, id: ProbeId) -> Option<Instant> {
        self.sent_probes.iter().find(|(probe_id, _)| *probe_id == id).map(|(_, sent)| *sent)
    }

    /// Returns whether the timer has expired since the probe `id` was sent.
    pub(super) fn is_late(&self, id: ProbeId) -> bool {
        id != self.last_probe
    }

    /// Moves on from the first probe to the second.
    pub(super) fn next_probe(&mut self, good: bool, next: ProbeId, expiry: Instant) {
        self.is_first_good = good;
        self.sent_probes.clear();
        self.send_next(next, expiry);
    }

    /// The end, and the sender as it was at the beginning.
    pub(super) fn report(self, second_good: bool, rewind: bool) -> (ProbeReport, View) {
        let report = ProbeReport {
            cause: self.cause,
            good: [self.is_first_good, second_good],
            dupacks: self.dupacks,
            rewind,
        };
        (report, self.view_at_start)
    }

    pub(super) fn count_duplicate(&mut self) {
        self.dupacks += 1;
    }

    pub(super) fn forget_duplicates(&mut self) {
        self.dupacks = 0;
    }
}
