//! The ledger of one direction of a hop: lost packets, counts and history. Every kind of hop keeps one and is asked for it in the
//! same way; it says itself only what it holds, and brings its ledger up to date.

use super::counts::{CountRecorder, LinkCounts, OptionalRecorder, Volume};
use super::history::LinkHistory;
use super::losses::{HopCounters, LossCause, LossLog, LostPacket};
use crate::channel::ChainTally;
use airtcp_core::{Instant, Payload};

/// Losses and counts of one direction of a hop.
#[derive(Debug)]
pub struct HopLedger<P> {
    pub(super) losses: LossLog<P>,
    pub(super) counting: OptionalRecorder,
}

impl<P: Payload> HopLedger<P> {
    pub(super) fn new() -> Self {
        HopLedger { losses: LossLog::new(), counting: OptionalRecorder::default() }
    }

    /// Does `note` with what counts, if anything does.
    #[inline(always)]
    pub(super) fn note(&mut self, note: impl FnOnce(&mut CountRecorder)) {
        self.counting.record(note);
    }

    /// A packet that was counted as offered is lost.
    #[inline]
    pub(super) fn lose(&mut self, at: Instant, payload: P, cause: LossCause) {
        self.note(|counts| counts.count_lost(payload.bits()));
        self.losses.record(|| at, payload, cause);
    }

    /// A packet is lost on arrival.
    pub(super) fn refuse(&mut self, now: Instant, payload: P, cause: LossCause) {
        self.note(|counts| counts.count_offered(payload.bits()));
        self.lose(now, payload, cause);
    }
}

/// Losses, counts and history of one direction of a hop.
pub trait Observed<P: Payload> {
    /// The ledger of the hop.
    fn ledger(&self) -> &HopLedger<P>;

    /// The ledger of the hop, for changes.
    fn ledger_mut(&mut self) -> &mut HopLedger<P>;

    /// Carries out everything that happens before `now`; no push or poll has been later.
    fn advance_to(&mut self, now: Instant);

    /// Packets in the hop: they arrived or were duplicated, and were neither lost nor delivered yet.
    fn held_volume(&self) -> Volume;

    /// Tally of packets that met the channel or the losses at the exit before it.
    fn met(&self) -> ChainTally;

    /// Called when recording of counts or history starts or stops, for hops that take short cuts while nothing is
    /// recorded.
    fn set_recording(&mut self, _recording: bool) {}

    /// Starts or stops keeping lost packets for [`Observed::take_lost`].
    fn keep_losses(&mut self, recording: bool) {
        self.ledger_mut().losses.recording = recording;
    }

    /// The next lost packet that was not taken yet.
    #[inline]
    fn take_lost(&mut self) -> Option<LostPacket<P>> {
        self.ledger_mut().losses.take_kept()
    }

    /// Starts or stops counting for [`Observed::counts`]; must be called before the first push.
    fn record_counts(&mut self, counting: bool) {
        self.ledger_mut().counting.set(counting);
        self.set_recording(counting);
    }

    /// Counts before `now`, after the last push or poll; `None` unless counting is on.
    fn counts(&mut self, now: Instant) -> Option<LinkCounts> {
        self.advance_to(now);
        let HopLedger { losses, counting } = self.ledger_mut();
        let counts = counting.take_counts(now, losses.counters)?;
        Some(counts.with_delivered(self.held_volume()))
    }

    /// Starts or stops counting and keeping a history for [`Observed::take_history`]; must be called before the first
    /// push.
    fn record_history(&mut self, recording: bool) {
        self.ledger_mut().counting.set_history(recording);
        self.set_recording(recording);
    }

    /// Bytes of memory that the history takes so far.
    fn history_bytes(&self) -> usize {
        self.ledger().counting.history_bytes()
    }

    /// Takes the history up to `now`, the time of the last push or poll or later; `None` unless it is kept.
    fn take_history(&mut self, now: Instant) -> Option<LinkHistory> {
        self.counts(now);
        self.ledger_mut().counting.take_history(now)
    }

    /// Losses of packets up to the last push or poll.
    fn counters(&self) -> HopCounters {
        self.ledger().losses.counters
    }

    /// Number of counted packets of `owner` (see [`Payload::is_counted`]) that were lost up to the last push or poll.
    fn packets_lost(&self, owner: usize) -> u64 {
        self.ledger().losses.lost_of_owner(owner)
    }

    /// Number of duplicates of such packets that the hop has made.
    fn copies_made(&self, owner: usize) -> u64 {
        self.ledger().losses.copies_made(owner)
    }
}
