//! Two-state Markov losses by their transition probabilities [zorzi eq. 1].
//!
//! ```toml
//! kind = "two-state"
//! p_gb = 0.002
//! p_bg = 0.2
//! ```

use super::clock::{Clock, chain_on_slots};
use super::process::{Process, markov, without_slots};
use super::spec::{Spec, is_random};
use crate::spec_error::SpecError;
use crate::two_state::TwoState;
use airtcp_core::{Probability, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Two-state Markov losses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TwoState")]
pub struct TwoStateSpec {
    /// Probability that a packet is lost if the previous one arrived. Example: `0.01`.
    pub p_gb: Probability,
    /// Probability that a packet arrives if the previous one was lost. Example: `0.2`.
    pub p_bg: Probability,
    /// Step of the chain: a slot, or a packet. Example: `"packet"`.
    #[serde(default)]
    pub clock: Clock,
}

impl TwoStateSpec {
    fn chain(&self) -> Result<TwoState, SpecError> {
        let chain = TwoState { p_gb: self.p_gb.value(), p_bg: self.p_bg.value() };
        if chain.p_gb + chain.p_bg == 0.0 {
            return Err(SpecError::new(
                "p_bg",
                "p_gb and p_bg are both 0; at least one must be positive",
            ));
        }
        Ok(chain)
    }
}

impl Spec for TwoStateSpec {
    fn build(&self, slot: Span, stream: Stream) -> Result<Process, SpecError> {
        Ok(markov(self.chain()?, self.clock, slot, stream))
    }

    fn build_unslotted(&self, packet: Span, stream: Stream) -> Result<Process, SpecError> {
        Ok(without_slots(self.build(packet, stream)?))
    }

    fn counts_slots(&self) -> bool {
        self.clock == Clock::Slot
    }

    fn two_state(&self) -> Result<Option<TwoState>, SpecError> {
        Ok(chain_on_slots(self.chain()?, self.clock))
    }

    fn is_random(&self) -> bool {
        is_random(&self.chain())
    }
}
