//! Gamma lengths above a shortest length, `shift`: delays above a base, with a tail like an exponential one.
//!
//! Without the shift, the standard deviation is the mean divided by the square root of the shape. Shape 1 is the
//! exponential distribution.
//!
//! ```toml
//! kind = "gamma"
//! shape = 2.5
//! mean = "30ms"
//! shift = "20ms"    # 0s by default
//! ```

use super::draws::{Draws, nanos};
use super::inverse::gamma_quantile;
use super::spec::{Quantile, Spec, check_above_zero};
use crate::spec_error::SpecError;
use airtcp_core::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A gamma distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GammaLaw")]
pub struct Gamma {
    /// Shape parameter, a number without unit; 1: exponential; below 1: more short lengths than that. Example: `0.5`.
    #[schemars(range(min = 0.01, max = 1000))]
    pub shape: f64,
    /// Mean length, including the shift. Example: `"20ms"`.
    pub mean: Duration,
    /// Shortest length. Example: `"5ms"`.
    #[serde(default = "default_shift")]
    pub shift: Duration,
}

fn default_shift() -> Duration {
    Duration::ZERO
}

impl Gamma {
    fn quantile_function(&self) -> impl Fn(f64) -> f64 + Send + 'static {
        let (shape, shift) = (self.shape, nanos(self.shift));
        let scale = (nanos(self.mean) - shift) / shape;
        move |u| shift + scale * gamma_quantile(u, shape)
    }
}

impl Spec for Gamma {
    fn build(&self) -> Result<Draws, SpecError> {
        check_above_zero("shape", self.shape)?;
        if self.mean <= self.shift {
            let message = format!("{} is not above shift, {}", self.mean, self.shift);
            return Err(SpecError::new("mean", message));
        }
        Ok(Draws::from_quantile(self.quantile_function()))
    }

    fn mean(&self) -> f64 {
        nanos(self.mean)
    }

    fn bounds(&self) -> (f64, f64) {
        (nanos(self.shift), f64::INFINITY)
    }

    fn quantile(&self) -> Option<Quantile> {
        Some(Box::new(self.quantile_function()))
    }
}
