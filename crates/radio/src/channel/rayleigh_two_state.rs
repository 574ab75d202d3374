//! The two-state chain of a threshold on Rayleigh fading [zorzi, section III-A].
//!
//! A packet is lost when the faded power at its instant is below 1/F of the mean. `loss_rate` follows from the fading
//! margin F as 1 - exp(-1/F). `doppler` is f_d T = v f_c T / c for speed v, carrier f_c and airtime T: at 900 MHz and
//! 7.5 ms, .01 is a pedestrian (1.6 km/h) and .64 a car (103 km/h). The chain has the joint distribution of two
//! consecutive packets under fading; for longer sequences it is an approximation.
//!
//! ```toml
//! kind = "rayleigh-two-state"
//! loss_rate = 0.01
//! doppler = 0.01    # a pedestrian; a car: 0.64
//! ```

use super::clock::{Clock, chain_on_slots};
use super::process::{Process, markov, without_slots};
use super::spec::{Spec, is_random};
use crate::rayleigh::rayleigh_two_state;
use crate::spec_error::SpecError;
use crate::two_state::TwoState;
use airtcp_core::{Probability, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Two-state Markov losses of a fading link, given by its loss rate (or fading margin) and Doppler.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RayleighTwoState {
    /// Normalised Doppler bandwidth `f_dT`, a number without unit: maximum Doppler shift times packet airtime.
    /// Example: `0.01`.
    #[schemars(range(min = 1e-9, max = 1e3))]
    pub doppler: f64,
    /// Mean loss rate: the probability that a packet is lost, below 1. Absent: `fading_margin_db` must be given.
    /// Example: `0.01`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss_rate: Option<Probability>,
    /// Fading margin, in dB. Absent: `loss_rate` must be given. Example: `20`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -20.0, max = 200.0))]
    pub fading_margin_db: Option<f64>,
    /// Step of the chain: a slot, or a packet. Example: `"packet"`.
    #[serde(default)]
    pub clock: Clock,
}

impl RayleighTwoState {
    fn chain(&self) -> Result<TwoState, SpecError> {
        if !(1e-9..=1e3).contains(&self.doppler) {
            return Err(SpecError::new(
                "doppler",
                format!("{} is outside 1e-9 to 1e3", self.doppler),
            ));
        }
        let inverse_margin = self.inverse_margin()?;
        if inverse_margin == 0.0 {
            return Ok(TwoState { p_gb: 0.0, p_bg: 1.0 });
        }
        Ok(rayleigh_two_state(inverse_margin, self.doppler))
    }

    /// 1/F.
    fn inverse_margin(&self) -> Result<f64, SpecError> {
        match (self.loss_rate, self.fading_margin_db) {
            (Some(p), None) if p.value() < 1.0 => Ok(-libm::log1p(-p.value())),
            (Some(_), None) => {
                Err(SpecError::new("loss_rate", "1 has no fading margin; must be below 1"))
            }
            (None, Some(db)) if (-20.0..=200.0).contains(&db) => Ok(libm::pow(10.0, -db / 10.0)),
            (None, Some(db)) => {
                Err(SpecError::new("fading_margin_db", format!("{db} dB is outside -20 to 200")))
            }
            _ => Err(SpecError::new(
                "loss_rate",
                "give exactly one of `loss_rate` and `fading_margin_db`",
            )),
        }
    }
}

impl Spec for RayleighTwoState {
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
