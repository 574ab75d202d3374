//! Evenly spread between two lengths.
//!
//! ```toml
//! kind = "uniform"
//! min = "10s"
//! max = "50s"
//! ```

use super::draws::{Draws, nanos};
use super::spec::Spec;
use crate::spec_error::SpecError;
use airtcp_core::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A uniform law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "UniformLaw")]
pub struct Uniform {
    /// Shortest length.
    pub min: Duration,
    /// Longest length.
    pub max: Duration,
}

impl Spec for Uniform {
    fn build(&self) -> Result<Draws, SpecError> {
        if self.min > self.max {
            return Err(SpecError::new("min", format!("{} is above max, {}", self.min, self.max)));
        }
        let (min, max) = self.bounds();
        Ok(Draws::by_quantile(move |u| min + (max - min) * u))
    }

    fn mean(&self) -> f64 {
        f64::midpoint(nanos(self.min), nanos(self.max))
    }

    fn bounds(&self) -> (f64, f64) {
        (nanos(self.min), nanos(self.max))
    }

    fn is_random(&self) -> bool {
        self.min < self.max
    }
}
