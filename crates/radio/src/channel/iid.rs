//! Independent losses: a chain without memory [zorzi, section III-A].
//!
//! ```toml
//! kind = "iid"
//! loss_rate = 0.01
//! ```

use super::clock::Clock;
use super::process::{Process, markov};
use super::spec::Spec;
use crate::spec_error::SpecError;
use crate::two_state::TwoState;
use airtcp_core::{Probability, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Independent losses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Iid {
    /// Probability that a packet is lost. Example: `0.01`.
    pub loss_rate: Probability,
}

impl Spec for Iid {
    fn build(&self, slot: Span, stream: Stream) -> Result<Process, SpecError> {
        Ok(markov(TwoState::iid(self.loss_rate), Clock::Slot, slot, stream))
    }

    /// One draw per packet, also where it meets two slots.
    fn build_unslotted(&self, packet: Span, stream: Stream) -> Result<Process, SpecError> {
        Ok(markov(TwoState::iid(self.loss_rate), Clock::Packet, packet, stream))
    }

    fn two_state(&self) -> Result<Option<TwoState>, SpecError> {
        Ok(Some(TwoState::iid(self.loss_rate)))
    }

    fn is_random(&self) -> bool {
        !TwoState::iid(self.loss_rate).is_certain()
    }
}
