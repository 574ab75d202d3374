//! A channel is a stochastic process asked about an interval: it goes on while nobody sends.

mod bit_errors;
mod burst;
mod clock;
mod epochs;
mod faded;
mod fate;
mod gilbert_elliott;
mod iid;
mod jakes;
mod markov;
mod on_off;
mod process;
mod rayleigh;
mod rayleigh_two_state;
mod series;
mod sojourn;
mod spec;
mod states;
mod trace;
mod two_state;

pub use crate::spec_error::SpecError;
use crate::two_state::TwoState;
use airtcp_core::{Probability, Rate, Span, Stream, registry};

pub use bit_errors::BitErrors;
pub use burst::Burst as BurstSpec;
pub use clock::Clock;
pub use epochs::{EpochLoss, EpochNoise, Epochs, Handover};
pub use faded::Mode;
pub use fate::{ChainTally, Channel, Fate, Transmission};
pub use gilbert_elliott::GilbertElliott;
pub use iid::Iid;
pub use jakes::Jakes;
pub use markov::MarkovLoss;
pub use on_off::OnOff;
pub use process::Process;
pub use rayleigh::Rayleigh;
pub use rayleigh_two_state::RayleighTwoState;
pub use series::Series;
pub use sojourn::{Extent, Sojourn};
pub use spec::Spec;
pub use states::States;
pub use trace::{Trace, TraceClock};
pub use two_state::TwoStateSpec;

registry! {
    /// A loss process, by name.
    pub enum ChannelSpec: Spec {
        "iid" => Iid(iid::Iid), "Independent losses.", "zorzi2000";
        "two-state" => TwoState(two_state::TwoStateSpec), "Two-state Markov losses by their transition probabilities.", "zorzi2000, gilbert1960";
        "burst" => Burst(burst::Burst), "Two-state Markov losses by mean loss rate and mean burst length.", "gilbert1960";
        "rayleigh-two-state" => RayleighTwoState(rayleigh_two_state::RayleighTwoState), "Two-state Markov losses, fitted to Rayleigh fading below and above a threshold.", "zorzi2000, jakes1974";
        "rayleigh" => Rayleigh(rayleigh::Rayleigh), "Bit errors under Rayleigh or Rician fading, with or without a code.", "jakes1974, clarke1968, proakis1995";
        "jakes" => Jakes(jakes::Jakes), "Bit errors under Jakes' sum of oscillators, which only approximates Rayleigh fading; with or without a code.", "jakes1974, proakis1995";
        "gilbert-elliott" => GilbertElliott(gilbert_elliott::GilbertElliott), "Two states with a loss probability each, in netem's parameters; kind burst takes a loss rate and a mean burst length instead.", "gilbert1960, elliott1963";
        "states" => States(states::States), "A Markov chain of up to eight states with a loss probability each; netem's loss state has four.", "salsano2012, gilbert1960";
        "bit-errors" => BitErrors(bit_errors::BitErrors), "Independent bit errors: long packets are lost more often.", "proakis1995";
        "sojourn" => Sojourn(sojourn::Sojourn), "A good and a bad state with exponential lengths, each in bits, packets or time.", "elaarag2000";
        "on-off" => OnOff(on_off::OnOff), "On and Off phases in time; losses with a probability while On.", "lahanas2002";
        "epochs" => Epochs(epochs::Epochs), "Delay and loss rate that change together at equal times, as Starlink's do every 15 s.", "airtcp, cario1996";
        "trace" => Trace(trace::Trace), "Recorded losses, replayed.", "airtcp";
        "series" => Series(series::Series), "Several channels in series: a packet must survive them all.", "airtcp";
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

    fn delays(&self) -> bool {
        self.spec().delays()
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
