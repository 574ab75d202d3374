//! State of a channel in a run.

use super::clock::Clock;
use super::fate::{Burst, Channel, Fate, Met};
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
    /// Returns whether fates depend on when packets are sent, not on how many were sent before.
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
    fn fate(&mut self, burst: Burst) -> Fate {
        match self {
            Process::Perfect => Fate::Clean,
            Process::Markov(chain) => chain.fate(burst),
            Process::Other(channel) => channel.fate(burst),
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

    fn met(&self) -> Met {
        match self {
            Process::Perfect => Met::default(),
            Process::Markov(chain) => chain.met(),
            Process::Other(channel) => channel.met(),
        }
    }
}

/// The process of a chain without any loss of its own in the good state.
pub(super) fn markov(chain: TwoState, clock: Clock, slot: Span, stream: Stream) -> Process {
    Process::Markov(MarkovLoss::new(chain, clock, slot, stream).expecting(chain.loss_rate()))
}

/// A chain where transmissions do not keep to slots.
pub(super) fn unslotted(process: Process) -> Process {
    match process {
        Process::Markov(chain) => Process::Markov(chain.met_at_start()),
        other => other,
    }
}
