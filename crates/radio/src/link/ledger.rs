//! The ledger of one direction of a hop: lost packets, counts and history. Every kind of hop keeps one and is asked for it in the
//! same way; it says itself only what it holds, and brings its ledger up to date.

use super::counts::{Counting, LinkCounts, Recorder, Volume};
use super::history::LinkHistory;
use super::losses::{HopCounters, LossCause, Losses, Lost};
use crate::channel::Met;
use airtcp_core::{Instant, Payload};

/// Losses and counts of one direction of a hop.
#[derive(Debug)]
pub struct Ledger<P> {
    pub(super) losses: Losses<P>,
    pub(super) counting: Counting,
}

impl<P: Payload> Ledger<P> {
    pub(super) fn new() -> Self {
        Ledger { losses: Losses::new(), counting: Counting::default() }
    }

    /// Does `note` with what counts, if anything does.
    #[inline(always)]
    pub(super) fn note(&mut self, note: impl FnOnce(&mut Recorder)) {
        self.counting.note(note);
    }

    /// A packet that was offered before is lost.
    #[inline]
    pub(super) fn lose(&mut self, at: Instant, payload: P, cause: LossCause) {
        self.note(|counts| counts.lose(payload.bits()));
        self.losses.note(|| at, payload, cause);
    }

    /// A packet is lost as it comes.
    pub(super) fn refuse(&mut self, now: Instant, payload: P, cause: LossCause) {
        self.note(|counts| counts.offer(payload.bits()));
        self.lose(now, payload, cause);
    }
}

/// One direction of a hop, as those see it who ask for its losses, counts and history.
pub trait Observed<P: Payload> {
    /// The ledger of the hop.
    fn ledger(&self) -> &Ledger<P>;

    /// The ledger of the hop, to write in.
    fn ledger_mut(&mut self) -> &mut Ledger<P>;

    /// Does everything that happens before `now`, which no push or poll is after.
    fn settle(&mut self, now: Instant);

    /// Packets that have come or were duplicated, and were neither lost nor handed over.
    fn held_volume(&self) -> Volume;

    /// Packets that have met the channel, and the losses at the exit before it.
    fn met(&self) -> Met;

    /// Counts or history are recorded from now on, or no longer: a hop that takes short cuts otherwise hears of it here.
    fn set_recording(&mut self, _recording: bool) {}

    /// Keeps lost packets for [`Observed::take_lost`] from now on, or no longer.
    fn record_losses(&mut self, recording: bool) {
        self.ledger_mut().losses.recording = recording;
    }

    /// The next lost packet that was not taken yet.
    #[inline]
    fn take_lost(&mut self) -> Option<Lost<P>> {
        self.ledger_mut().losses.take()
    }

    /// Counts for [`Observed::counts`] from now on, or no longer; to be said before the first push.
    fn record_counts(&mut self, counting: bool) {
        self.ledger_mut().counting.set(counting);
        self.set_recording(counting);
    }

    /// Counts before `now`, which no push or poll is after; none unless it counts.
    fn counts(&mut self, now: Instant) -> Option<LinkCounts> {
        self.settle(now);
        let Ledger { losses, counting } = self.ledger_mut();
        let counts = counting.read(now, losses.counters)?;
        Some(counts.with_delivered(self.held_volume()))
    }

    /// Counts, and keeps what happens for [`Observed::take_history`], from now on, or no longer; to be said before the first push.
    fn record_history(&mut self, recording: bool) {
        self.ledger_mut().counting.set_history(recording);
        self.set_recording(recording);
    }

    /// Bytes of memory that the history takes so far.
    fn history_bytes(&self) -> usize {
        self.ledger().counting.history_bytes()
    }

    /// Takes the records up to `now`, which no push or poll is before; none unless they are kept.
    fn take_history(&mut self, now: Instant) -> Option<LinkHistory> {
        self.counts(now);
        self.ledger_mut().counting.take_history(now)
    }

    /// Losses of packets up to the last push or poll.
    fn counters(&self) -> HopCounters {
        self.ledger().losses.counters
    }

    /// Number of packets of `owner` that count (see [`Payload::is_counted`]) and were lost up to the last push or poll.
    fn lost(&self, owner: usize) -> u64 {
        self.ledger().losses.of(owner)
    }

    /// Number of second copies of them that the hop has made.
    fn copies(&self, owner: usize) -> u64 {
        self.ledger().losses.copies_of(owner)
    }
}
