//! Two-state Markov losses by mean loss rate and mean burst length.
//!
//! ```toml
//! kind = "burst"
//! loss_rate = 0.01
//! mean_burst = 4
//! ```

use super::clock::{Clock, chain_on_slots};
use super::process::{Process, markov, without_slots};
use super::spec::{Spec, is_random};
use crate::spec_error::SpecError;
use crate::two_state::{ROUNDING, TwoState};
use airtcp_core::{Probability, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Two-state Markov losses, given by loss rate and mean burst.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Burst {
    /// Mean loss rate: the probability that a packet is lost. Example: `0.01`.
    pub loss_rate: Probability,
    /// Mean number of packets lost in a row, at least 1. At 1 no loss follows another. For independent losses, whose
    /// bursts have the mean 1 / (1 - loss_rate), use `iid`. Example: `5`.
    #[schemars(range(min = 1.0))]
    pub mean_burst: f64,
    /// Step of the chain: a slot, or a packet. Example: `"packet"`.
    #[serde(default)]
    pub clock: Clock,
}

impl Burst {
    fn chain(&self) -> Result<TwoState, SpecError> {
        let (loss, burst) = (self.loss_rate.value(), self.mean_burst);
        if burst.is_nan() || burst < 1.0 {
            return Err(SpecError::new("mean_burst", format!("{burst} is below 1 packet")));
        }
        if loss == 1.0 {
            return Err(SpecError::new("loss_rate", "at 1 a burst never ends; must be below 1"));
        }
        let p_bg = 1.0 / burst;
        let p_gb = p_bg * loss / (1.0 - loss);
        if p_gb > 1.0 + ROUNDING {
            let least = loss / (1.0 - loss);
            return Err(SpecError::new(
                "mean_burst",
                format!("{burst} is too short for a loss rate of {loss}; must be at least {least}"),
            ));
        }
        Ok(TwoState { p_gb: p_gb.min(1.0), p_bg })
    }
}

impl Spec for Burst {
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
