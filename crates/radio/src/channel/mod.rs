//! A channel is a stochastic process asked about an interval: it goes on while nobody sends.

mod burst;
mod faded;
mod gilbert_elliott;
mod iid;
mod jakes;
mod markov;
mod on_off;
mod rayleigh;
mod rayleigh_two_state;
mod series;
mod sojourn;
mod trace;
mod two_state;

pub use crate::spec_error::SpecError;
use crate::two_state::TwoState;
use airtcp_core::{Cancel, Instant, Probability, Rate, Span, Stream, registry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use burst::Burst as BurstSpec;
pub use faded::Mode;
pub use gilbert_elliott::GilbertElliott;
pub use iid::Iid;
pub use jakes::Jakes;
pub use markov::MarkovLoss;
pub use on_off::OnOff;
pub use rayleigh::Rayleigh;
pub use rayleigh_two_state::RayleighTwoState;
pub use series::Series;
pub use sojourn::{Extent, Sojourn};
pub use trace::{Trace, TraceClock};
pub use two_state::TwoStateSpec;

/// One transmission: it occupies the medium in `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// First instant.
    pub start: Instant,
    /// First instant after it.
    pub end: Instant,
    /// Bits of the packet, without what a code adds.
    pub bits: u64,
}

/// What became of a transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrived.
    Clean,
    /// It is lost.
    Erased,
}

/// A loss process. Bursts are asked about in the order of their start, and do not overlap.
pub trait Channel: std::fmt::Debug {
    /// The fate of `burst`.
    fn fate(&mut self, burst: Burst) -> Fate;

    /// From now on answers come soon after `cancel` is set, and mean nothing then: passing a long idle time, or a long
    /// packet, may take minutes.
    fn watch(&mut self, _cancel: &Cancel) {}

    /// The bits on the air for `bits` bits of a packet: more where there is a code.
    fn bits_on_air(&self, bits: u64) -> u64 {
        bits
    }
}

/// What a chain's steps are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Clock {
    /// The chain steps once per slot (one packet's airtime), also while nobody sends.
    #[default]
    Slot,
    /// The chain steps once per packet and stands still in between.
    Packet,
}

/// A channel in motion. The kinds on the hot path have a place of their own, which saves a call through
/// a pointer per packet.
#[derive(Debug)]
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
    /// Whether fates depend on when packets are sent, not on how many were sent before.
    pub(crate) fn is_timed(&self) -> bool {
        match self {
            Process::Perfect => false,
            Process::Markov(chain) => chain.is_timed(),
            Process::Other(_) => true,
        }
    }
}

impl Channel for Process {
    #[inline]
    fn fate(&mut self, burst: Burst) -> Fate {
        match self {
            Process::Perfect => Fate::Clean,
            Process::Markov(chain) => chain.fate(burst),
            Process::Other(channel) => channel.fate(burst),
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
}

registry! {
    /// A loss process, by name.
    pub enum ChannelSpec: Spec {
        "iid" => Iid(iid::Iid), "Independent losses.", "zorzi2000";
        "two-state" => TwoState(two_state::TwoStateSpec), "Two-state Markov losses by their transition probabilities.", "zorzi2000, gilbert1960";
        "burst" => Burst(burst::Burst), "Two-state Markov losses by mean loss rate and mean burst length.", "gilbert1960";
        "rayleigh-two-state" => RayleighTwoState(rayleigh_two_state::RayleighTwoState), "The two-state chain of a threshold on Rayleigh fading.", "zorzi2000, jakes1974";
        "rayleigh" => Rayleigh(rayleigh::Rayleigh), "Bit errors under Rayleigh or Rician fading, with or without a code.", "jakes1974, clarke1968, proakis1995";
        "jakes" => Jakes(jakes::Jakes), "The same under Jakes' sum of oscillators, which is not Rayleigh fading.", "jakes1974, proakis1995";
        "gilbert-elliott" => GilbertElliott(gilbert_elliott::GilbertElliott), "Two states with a loss probability each, in netem's parameters.", "gilbert1960, elliott1963";
        "sojourn" => Sojourn(sojourn::Sojourn), "Good and bad for exponential lengths, each in bits, packets or time.", "elaarag2000";
        "on-off" => OnOff(on_off::OnOff), "On and Off phases in time; losses with a probability while On.", "lahanas2002";
        "trace" => Trace(trace::Trace), "Losses as recorded.", "airtcp";
        "series" => Series(series::Series), "Several channels one after the other.", "airtcp";
    }
}

/// What every registered channel can do.
pub trait Spec {
    /// The process on slots of length `slot`, driven by `stream`.
    ///
    /// # Errors
    /// If the values contradict each other.
    fn build(&self, slot: Span, stream: Stream) -> Result<Process, SpecError>;

    /// The process where packets start at any time: a slot is then the airtime `packet` of a full
    /// packet, and transmissions do not keep to slots.
    ///
    /// # Errors
    /// If the values contradict each other.
    fn build_unslotted(&self, packet: Span, stream: Stream) -> Result<Process, SpecError> {
        self.build(packet, stream)
    }

    /// [`Spec::build_unslotted`] for one of the two directions of a hop: `own` is the stream of this one,
    /// `common` that of both, for what they share.
    ///
    /// # Errors
    /// If the values contradict each other.
    fn build_paired(
        &self,
        packet: Span,
        own: Stream,
        _common: Stream,
    ) -> Result<Process, SpecError> {
        self.build_unslotted(packet, own)
    }

    /// The two-state chain of the losses, if they form one exactly on the slot clock (which is what
    /// the analysis is about).
    ///
    /// # Errors
    /// If the values contradict each other.
    fn two_state(&self) -> Result<Option<TwoState>, SpecError>;

    /// Whether its steps are slots.
    fn counts_slots(&self) -> bool {
        false
    }

    /// The bits on the air for `bits` bits of a packet: more where there is a code.
    fn bits_on_air(&self, bits: u64) -> u64 {
        bits
    }

    /// Whether chance decides fates. A channel that can be built and says no gives the same fates on every
    /// stream.
    fn is_random(&self) -> bool {
        true
    }

    /// Checks what depends on the rate at which bits are sent.
    ///
    /// # Errors
    /// If the values contradict it.
    fn check_rate(&self, _rate: Rate) -> Result<(), SpecError> {
        Ok(())
    }

    /// Checks what depends on how long the channel is asked about.
    ///
    /// # Errors
    /// If the values contradict it.
    fn check_end(&self, _seconds: f64) -> Result<(), SpecError> {
        Ok(())
    }
}

impl ChannelSpec {
    /// Losses that are independent from packet to packet, whenever those are sent.
    #[must_use]
    pub fn independent_per_packet(loss_rate: Probability) -> Self {
        let chain = TwoState::iid(loss_rate);
        let probability = |p| Probability::new(p).expect("complements of a probability");
        ChannelSpec::TwoState(two_state::TwoStateSpec {
            p_gb: probability(chain.p_gb),
            p_bg: probability(chain.p_bg),
            clock: Clock::Packet,
        })
    }
}

impl Spec for ChannelSpec {
    fn build(&self, slot: Span, stream: Stream) -> Result<Process, SpecError> {
        self.spec().build(slot, stream)
    }

    fn build_unslotted(&self, packet: Span, stream: Stream) -> Result<Process, SpecError> {
        self.spec().build_unslotted(packet, stream)
    }

    fn build_paired(
        &self,
        packet: Span,
        own: Stream,
        common: Stream,
    ) -> Result<Process, SpecError> {
        self.spec().build_paired(packet, own, common)
    }

    fn two_state(&self) -> Result<Option<TwoState>, SpecError> {
        self.spec().two_state()
    }

    fn counts_slots(&self) -> bool {
        self.spec().counts_slots()
    }

    fn bits_on_air(&self, bits: u64) -> u64 {
        self.spec().bits_on_air(bits)
    }

    fn is_random(&self) -> bool {
        self.spec().is_random()
    }

    fn check_rate(&self, rate: Rate) -> Result<(), SpecError> {
        self.spec().check_rate(rate)
    }

    fn check_end(&self, seconds: f64) -> Result<(), SpecError> {
        self.spec().check_end(seconds)
    }
}

/// The process of a chain without any loss of its own in the good state.
fn markov(chain: TwoState, clock: Clock, slot: Span, stream: Stream) -> Process {
    Process::Markov(MarkovLoss::new(chain, clock, slot, stream))
}

/// Whether chance decides what a chain does; one that contradicts itself does nothing.
fn is_random(chain: &Result<TwoState, SpecError>) -> bool {
    chain.as_ref().is_ok_and(|chain| !chain.is_certain())
}

/// The summary on the slot clock; a chain that stands still between packets has none, unless it has no
/// memory either.
fn on_slots(chain: TwoState, clock: Clock) -> Option<TwoState> {
    (clock == Clock::Slot || chain.is_memoryless()).then_some(chain)
}
