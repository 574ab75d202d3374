//! One direction of a hop: foreseen packet by packet, with a queue that decides, or with a link layer that retransmits.

use super::arq::{ArqCounters, ArqHop};
use super::counts::Volume;
use super::hop::{Hop, HopConfig};
use super::ledger::{HopLedger, Observed};
use super::transmitter::Transmitter;
use crate::channel::ChainTally;
use airtcp_core::{Cancel, Instant, Payload, PollResult, Stage};

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
            None if config.is_fate_known_on_arrival() => Line::Plain(Hop::new(config)),
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

    /// Number of packets, and repetitions that the link layer owes, that it holds; beyond [`super::MAX_HELD`] nothing happens
    /// any more on one that retransmits.
    #[must_use]
    pub fn held_items(&self) -> usize {
        match self {
            Line::Plain(hop) => hop.packets_held(),
            Line::General(hop) => hop.packets_held(),
            Line::Arq(hop) => hop.held_items(),
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

    /// Transmissions of a link layer that retransmits for the packets of `owner`.
    #[must_use]
    pub fn air(&self, owner: usize) -> ArqCounters {
        match self {
            Line::Plain(_) | Line::General(_) => ArqCounters::default(),
            Line::Arq(hop) => hop.arq_counters(owner),
        }
    }
}

impl<P: Payload> Observed<P> for Line<P> {
    fn ledger(&self) -> &HopLedger<P> {
        match self {
            Line::Plain(hop) => hop.ledger(),
            Line::General(hop) => hop.ledger(),
            Line::Arq(hop) => hop.ledger(),
        }
    }

    #[inline]
    fn ledger_mut(&mut self) -> &mut HopLedger<P> {
        match self {
            Line::Plain(hop) => hop.ledger_mut(),
            Line::General(hop) => hop.ledger_mut(),
            Line::Arq(hop) => hop.ledger_mut(),
        }
    }

    fn advance_to(&mut self, now: Instant) {
        match self {
            Line::Plain(hop) => hop.advance_to(now),
            Line::General(hop) => hop.advance_to(now),
            Line::Arq(hop) => hop.advance_to(now),
        }
    }

    fn held_volume(&self) -> Volume {
        match self {
            Line::Plain(hop) => hop.held_volume(),
            Line::General(hop) => hop.held_volume(),
            Line::Arq(hop) => hop.held_volume(),
        }
    }

    fn met(&self) -> ChainTally {
        match self {
            Line::Plain(hop) => hop.met(),
            Line::General(hop) => hop.met(),
            Line::Arq(hop) => hop.met(),
        }
    }

    fn set_recording(&mut self, recording: bool) {
        match self {
            Line::Plain(hop) => hop.set_recording(recording),
            Line::General(hop) => hop.set_recording(recording),
            Line::Arq(hop) => hop.set_recording(recording),
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
    fn poll(&mut self, now: Instant) -> PollResult<P> {
        match self {
            Line::Plain(hop) => hop.poll(now),
            Line::General(hop) => hop.poll(now),
            Line::Arq(hop) => hop.poll(now),
        }
    }
}
