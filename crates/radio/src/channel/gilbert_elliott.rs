//! The Gilbert-Elliott channel in netem's parameters: p = P(good to bad), r = P(bad to good),
//! 1-h the loss in bad, 1-k the loss in good.
//!
//! ```toml
//! kind = "gilbert-elliott"
//! p = 0.01
//! r = 0.2
//! h = 0.5           # in bad half of the packets arrive
//! k = 0.999         # in good nearly all
//! ```

use super::clock::{Clock, chain_on_slots};
use super::markov::MarkovLoss;
use super::process::{Process, without_slots};
use super::spec::Spec;
use crate::spec_error::SpecError;
use crate::two_state::TwoState;
use airtcp_core::{Probability, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Two states with a loss probability each.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliott {
    /// Probability of a step from the good state to the bad one. Example: `0.01`.
    pub p: Probability,
    /// Probability of a step from the bad state to the good one. Example: `0.2`.
    pub r: Probability,
    /// Probability that a packet arrives in the bad state. Example: `0.5`.
    #[serde(default = "zero_probability")]
    pub h: Probability,
    /// Probability that a packet arrives in the good state. Example: `0.999`.
    #[serde(default = "unit_probability")]
    pub k: Probability,
    /// Step of the chain: a slot, or a packet. Example: `"packet"`.
    #[serde(default)]
    pub clock: Clock,
}

fn zero_probability() -> Probability {
    Probability::ZERO
}

fn unit_probability() -> Probability {
    Probability::ONE
}

impl GilbertElliott {
    fn chain(&self) -> Result<TwoState, SpecError> {
        let chain = TwoState { p_gb: self.p.value(), p_bg: self.r.value() };
        if chain.p_gb + chain.p_bg == 0.0 {
            return Err(SpecError::new("r", "p and r are both 0; at least one must be positive"));
        }
        Ok(chain)
    }

    fn is_state_equal_to_loss(&self) -> bool {
        self.h == Probability::ZERO && self.k == Probability::ONE
    }
}

impl Spec for GilbertElliott {
    fn build(&self, slot: Span, stream: Stream) -> Result<Process, SpecError> {
        let losses = stream.child(1);
        let chain = self.chain()?;
        let bad = chain.loss_rate();
        let lost = bad * self.h.complement() + (1.0 - bad) * self.k.complement();
        let process = MarkovLoss::new(chain, self.clock, slot, stream).with_stated_loss_rate(lost);
        Ok(Process::Markov(if self.is_state_equal_to_loss() {
            process
        } else {
            process.with_loss(self.k.complement(), self.h.complement(), losses)
        }))
    }

    fn build_unslotted(&self, packet: Span, stream: Stream) -> Result<Process, SpecError> {
        Ok(without_slots(self.build(packet, stream)?))
    }

    fn counts_slots(&self) -> bool {
        self.clock == Clock::Slot
    }

    /// A hidden chain is no two-state chain of losses, but for these: the losses are the states
    /// (h = 0, k = 1) or their opposites (h = 1, k = 0), or losses are independent because the states
    /// do not matter (h = k), have no memory (p + r = 1), or are never left (p = 0 or r = 0).
    fn two_state(&self) -> Result<Option<TwoState>, SpecError> {
        let chain = self.chain()?;
        let (good, bad) = (self.k.complement(), self.h.complement());
        if (good, bad) == (0.0, 1.0) {
            return Ok(chain_on_slots(chain, self.clock));
        }
        if (good, bad) == (1.0, 0.0) {
            return Ok(chain_on_slots(TwoState { p_gb: chain.p_bg, p_bg: chain.p_gb }, self.clock));
        }
        let never_left = chain.p_gb == 0.0 || chain.p_bg == 0.0;
        let independent = good == bad || never_left || chain.is_memoryless();
        let mean = good + (bad - good) * chain.loss_rate();
        Ok(independent.then_some(TwoState { p_gb: mean, p_bg: 1.0 - mean }))
    }

    fn is_random(&self) -> bool {
        let certain = |p: Probability| p == Probability::ZERO || p == Probability::ONE;
        let states_do_not_matter = self.h == self.k && certain(self.h);
        let never_bad = self.p == Probability::ZERO && certain(self.k);
        let never_good = self.r == Probability::ZERO && certain(self.h);
        !(states_do_not_matter || never_bad || never_good)
    }
}
