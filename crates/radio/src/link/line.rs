//! One direction of a hop: foreseen packet by packet, with a queue that decides, or with a link layer that retransmits.

use super::arq::{ArqCounters, ArqHop};
use super::counts::LinkCounts;
use super::history::LinkHistory;
use super::hop::{Hop, HopConfig};
use super::losses::{HopCounters, Lost};
use super::transmitter::Transmitter;
use crate::channel::Met;
use airtcp_core::{Cancel, Instant, Next, Payload, Stage};

/// One direction of a hop.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "few per path; the plain one is on the hot path")]
pub enum Line<P> {
    /// The course of a packet is known as it comes.
    Plain(Hop<P>),
    /// A link whose queue decides as it goes, or whose wire has jitter or duplicates packets.
    General(Box<Transmitter<P>>),
    /// The link layer retransmits.
    Arq(Box<ArqHop<P>>),
}

impl<P: Payload> Line<P> {
    /// A line as `config` says.
    #[must_use]
    pub fn new(mut config: HopConfig) -> Self {
        match config.arq.take() {
            None if config.is_foreseen() => Line::Plain(Hop::new(config)),
            None => Line::General(Box::new(Transmitter::new(config))),
            Some(arq) => Line::Arq(Box::new(ArqHop::new(config, arq))),
        }
    }

    /// Makes every step short once `cancel` is set; its results then mean nothing.
    pub fn watch(&mut self, cancel: &Cancel) {
        match self {
            Line::Plain(hop) => hop.watch(cancel),
            Line::General(hop) => hop.watch(cancel),
            Line::Arq(hop) => hop.watch(cancel),
        }
    }

    /// Keeps lost packets for [`Line::take_lost`] from now on, or no longer.
    pub fn record_losses(&mut self, recording: bool) {
        match self {
            Line::Plain(hop) => hop.record_losses(recording),
            Line::General(hop) => hop.record_losses(recording),
            Line::Arq(hop) => hop.record_losses(recording),
        }
    }

    /// The next lost packet that was not taken yet.
    #[inline]
    pub fn take_lost(&mut self) -> Option<Lost<P>> {
        match self {
            Line::Plain(hop) => hop.take_lost(),
            Line::General(hop) => hop.take_lost(),
            Line::Arq(hop) => hop.take_lost(),
        }
    }

    /// Counts for [`Line::counts`] from now on, or no longer; to be said before the first push.
    pub fn record_counts(&mut self, counting: bool) {
        match self {
            Line::Plain(hop) => hop.record_counts(counting),
            Line::General(hop) => hop.record_counts(counting),
            Line::Arq(hop) => hop.record_counts(counting),
        }
    }

    /// Counts before `now`, which no push or poll is after; none unless it counts.
    pub fn counts(&mut self, now: Instant) -> Option<LinkCounts> {
        match self {
            Line::Plain(hop) => hop.counts(now),
            Line::General(hop) => hop.counts(now),
            Line::Arq(hop) => hop.counts(now),
        }
    }

    /// Counts, and keeps what happens for [`Line::take_history`], from now on, or no longer; to be said before the first push.
    pub fn record_history(&mut self, recording: bool) {
        match self {
            Line::Plain(hop) => hop.record_history(recording),
            Line::General(hop) => hop.record_history(recording),
            Line::Arq(hop) => hop.record_history(recording),
        }
    }

    /// Bytes of memory that the history takes so far.
    #[must_use]
    pub fn history_bytes(&self) -> usize {
        match self {
            Line::Plain(hop) => hop.history_bytes(),
            Line::General(hop) => hop.history_bytes(),
            Line::Arq(hop) => hop.history_bytes(),
        }
    }

    /// Takes the records up to `now`, which no push or poll is before; none unless they are kept.
    pub fn take_history(&mut self, now: Instant) -> Option<LinkHistory> {
        match self {
            Line::Plain(hop) => hop.take_history(now),
            Line::General(hop) => hop.take_history(now),
            Line::Arq(hop) => hop.take_history(now),
        }
    }

    /// Number of packets, and repetitions that the link layer owes, that it holds; beyond [`super::MOST_HELD`] nothing happens
    /// any more on one that retransmits.
    #[must_use]
    pub fn held(&self) -> usize {
        match self {
            Line::Plain(hop) => hop.held(),
            Line::General(hop) => hop.held(),
            Line::Arq(hop) => hop.held(),
        }
    }

    /// Losses of packets up to the last push or poll.
    #[must_use]
    pub fn counters(&self) -> HopCounters {
        match self {
            Line::Plain(hop) => hop.counters(),
            Line::General(hop) => hop.counters(),
            Line::Arq(hop) => hop.counters(),
        }
    }

    /// Number of packets of `owner` that count (see [`Payload::is_counted`]) and were lost up to the last push or poll.
    #[must_use]
    pub fn lost(&self, owner: usize) -> u64 {
        match self {
            Line::Plain(hop) => hop.lost(owner),
            Line::General(hop) => hop.lost(owner),
            Line::Arq(hop) => hop.lost(owner),
        }
    }

    /// Number of second copies of them that it has made.
    #[must_use]
    pub fn copies(&self, owner: usize) -> u64 {
        match self {
            Line::General(hop) => hop.copies(owner),
            Line::Plain(_) | Line::Arq(_) => 0,
        }
    }

    /// Packets that have met the channel, and the losses at the exit before it.
    #[must_use]
    pub fn met(&self) -> Met {
        match self {
            Line::Plain(hop) => hop.met(),
            Line::General(hop) => hop.met(),
            Line::Arq(hop) => hop.met(),
        }
    }

    /// Time at which the next poll is of use, and the time since which that is certain; see [`Hop::due`].
    #[inline(always)]
    #[must_use]
    pub fn due(&self) -> (Instant, Instant) {
        match self {
            Line::Plain(hop) => hop.due(),
            Line::General(hop) => hop.due(),
            Line::Arq(hop) => hop.due(),
        }
    }

    /// Brings what is counted up to date: everything before `end` has happened.
    pub fn settle(&mut self, end: Instant) {
        if let Line::Arq(hop) = self {
            hop.catch_up(Instant::from_nanos(end.nanos() - 1));
        }
    }

    /// Transmissions of a link layer that retransmits for the packets of `owner`.
    #[must_use]
    pub fn air(&self, owner: usize) -> ArqCounters {
        match self {
            Line::Plain(_) | Line::General(_) => ArqCounters::default(),
            Line::Arq(hop) => hop.air(owner),
        }
    }
}

impl<P: Payload> Stage<P> for Line<P> {
    #[inline(always)]
    fn push(&mut self, now: Instant, payload: P) {
        match self {
            Line::Plain(hop) => hop.push(now, payload),
            Line::General(hop) => hop.push(now, payload),
            Line::Arq(hop) => hop.push(now, payload),
        }
    }

    #[inline(always)]
    fn poll(&mut self, now: Instant) -> Next<P> {
        match self {
            Line::Plain(hop) => hop.poll(now),
            Line::General(hop) => hop.poll(now),
            Line::Arq(hop) => hop.poll(now),
        }
    }
}
