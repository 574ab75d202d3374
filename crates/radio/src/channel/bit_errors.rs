//! Independent bit errors: a packet of n bits, headers included, is lost with probability `1 - (1 - p)^n`, so that long
//! packets are lost more often, and ACKs less often than data.
//!
//! ```toml
//! kind = "bit-errors"
//! bit_error_rate = 1e-6
//! ```

use super::fate::{Channel, Fate, Transmission};
use super::process::Process;
use super::spec::Spec;
use crate::spec_error::SpecError;
use crate::two_state::TwoState;
use airtcp_core::{Probability, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Independent bit errors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BitErrors {
    /// Probability that a bit is wrong, for each bit independently. Example: `1e-5`.
    pub bit_error_rate: Probability,
}

impl Spec for BitErrors {
    fn build(&self, _: Span, stream: Stream) -> Result<Process, SpecError> {
        let log_right = libm::log1p(-self.bit_error_rate.value());
        Ok(Process::Other(Box::new(BitErrorProcess {
            log_right,
            last_loss_probability: (0, 0.0),
            stream,
        })))
    }

    /// The channel does not know how long packets are.
    fn two_state(&self) -> Result<Option<TwoState>, SpecError> {
        Ok(None)
    }

    fn is_random(&self) -> bool {
        Probability::ZERO < self.bit_error_rate && self.bit_error_rate < Probability::ONE
    }
}

#[derive(Debug)]
struct BitErrorProcess {
    /// Logarithm of the probability that a bit is right.
    log_right: f64,
    /// The length of the last packet, in bits, and the probability that one of it is lost.
    last_loss_probability: (u64, f64),
    stream: Stream,
}

impl Channel for BitErrorProcess {
    fn fate_of(&mut self, burst: Transmission) -> Fate {
        if burst.bits != self.last_loss_probability.0 {
            self.last_loss_probability =
                (burst.bits, -libm::expm1(burst.bits as f64 * self.log_right));
        }
        if self.stream.chance(self.last_loss_probability.1) { Fate::Erased } else { Fate::Clean }
    }
}
