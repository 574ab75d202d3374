//! Evenly spread between two lengths.
//!
//! ```toml
//! kind = "uniform"
//! min = "10s"
//! max = "50s"
//! ```
//!
//! netem's `delay 100ms 20ms 25%` is `min = "80ms"`, `max = "120ms"` and `correlation = 0.25`.

use super::correlated::Correlated;
use super::draws::{Draws, nanos};
use super::spec::Spec;
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Probability};
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
    /// netem's correlation, which has next to no effect on delays of less than seconds, there as here. Absent: draws are
    /// independent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Probability")]
    pub correlation: Option<Probability>,
}

impl Uniform {
    /// netem's remainder of a number of 32 bits.
    fn correlated(&self, correlation: Probability) -> Result<Draws, SpecError> {
        let least = nanos(self.min);
        let spread = self.max.span().nanos() - self.min.span().nanos();
        let Ok(spread) = u32::try_from(spread.max(1)) else {
            let message =
                "with max more than 4294967295ns above min: netem's numbers reach no further";
            return Err(SpecError::new("correlation", message));
        };
        let mut numbers = Correlated::new(Some(correlation))?;
        Ok(Draws::new(move |stream| Some(least + f64::from(numbers.next(stream) % spread))))
    }
}

impl Spec for Uniform {
    fn build(&self) -> Result<Draws, SpecError> {
        if self.min > self.max {
            return Err(SpecError::new("min", format!("{} is above max, {}", self.min, self.max)));
        }
        if let Some(correlation) = self.correlation {
            return self.correlated(correlation);
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
