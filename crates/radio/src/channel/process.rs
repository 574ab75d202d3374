//! State of a channel in a run.

use super::clock::Clock;
use super::fate::{ChainTally, Channel, Fate, Transmission};
use super::markov::MarkovLoss;
use crate::two_state::TwoState;
use airtcp_core::{Cancel, Instant, Span, Stream};

/// A channel in motion. The kinds on the hot path have a place of their own, which saves a call through
/// a pointer per packet. Its kind is a number of its own, and not hidden in a field, so that asking for it is a comparison.
#[derive(Debug)]
#[repr(u32)]
#[expect(
    clippy::large_enum_variant,
    reason = "one per link, on the hot path: a box would cost more"
)]
pub enum Process {
    /// Nothing is lost.
    Perfect,
    /// Losses driven by a two-state chain.
    Markov(MarkovLoss),
    /// Anything else.
    Other(Box<dyn Channel + Send>),
}

impl Process {
    /// Returns whether fates depend on the times at which packets are sent, not on the number sent before.
    pub(crate) fn is_timed(&self) -> bool {
        match self {
            Process::Perfect => false,
            Process::Markov(chain) => chain.is_timed(),
            Process::Other(_) => true,
        }
    }
}

impl Channel for Process {
    #[inline(always)]
    fn fate_of(&mut self, burst: Transmission) -> Fate {
        match self {
            Process::Perfect => Fate::Clean,
            Process::Markov(chain) => chain.fate_of(burst),
            Process::Other(channel) => channel.fate_of(burst),
        }
    }

    fn delays(&self) -> bool {
        matches!(self, Process::Other(channel) if channel.delays())
    }

    #[inline]
    fn delay(&mut self, start: Instant) -> Span {
        match self {
            Process::Perfect | Process::Markov(_) => Span::ZERO,
            Process::Other(channel) => channel.delay(start),
        }
    }

    fn watch(&mut self, cancel: &Cancel) {
        match self {
            Process::Perfect => {}
            Process::Markov(chain) => chain.watch(cancel),
            Process::Other(channel) => channel.watch(cancel),
        }
    }

    fn bits_on_air(&self, bits: u64) -> u64 {
        match self {
            Process::Perfect | Process::Markov(_) => bits,
            Process::Other(channel) => channel.bits_on_air(bits),
        }
    }

    fn chain_tally(&self) -> ChainTally {
        match self {
            Process::Perfect => ChainTally::default(),
            Process::Markov(chain) => chain.chain_tally(),
            Process::Other(channel) => channel.chain_tally(),
        }
    }
}

/// Process of a two-state chain that loses nothing in the good state and everything in the bad one.
pub(super) fn markov(chain: TwoState, clock: Clock, slot: Span, stream: Stream) -> Process {
    Process::Markov(
        MarkovLoss::new(chain, clock, slot, stream).with_stated_loss_rate(chain.loss_rate()),
    )
}

/// Adapts the process to transmissions that are not aligned to slots.
pub(super) fn without_slots(process: Process) -> Process {
    match process {
        Process::Markov(chain) => Process::Markov(chain.meeting_state_at_start()),
        other => other,
    }
}
