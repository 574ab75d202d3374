//! Evenly spread between two lengths.
//!
//! ```toml
//! kind = "uniform"
//! min = "10s"
//! max = "50s"
//! ```
//!
//! netem's `delay 100ms 20ms 25%` is `min = "80ms"`, `max = "120ms"` and `correlation = 0.25`.

use super::correlated::{Correlated, last_share};
use super::draws::{Draws, nanos};
use super::remainder::mean_remainder;
use super::spec::{Quantile, Spec};
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Probability};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A uniform distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "UniformLaw")]
pub struct Uniform {
    /// Shortest length. Example: `"10ms"`.
    pub min: Duration,
    /// Longest length. Example: `"30ms"`.
    pub max: Duration,
    /// Correlation of successive draws as netem computes it, which has almost no effect on delays below a second.
    /// Absent: 0, which means independent draws. Example: `0.25`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Probability")]
    pub correlation: Option<Probability>,
}

impl Uniform {
    /// The weight of the last draw, if it has one.
    fn last_weight(&self) -> Option<f64> {
        self.correlation.map(last_share).filter(|weight| *weight > 0.0)
    }

    /// Number of lengths that netem draws from: a number of 32 bits leaves a remainder for each of them.
    fn length_count(&self) -> Result<u32, SpecError> {
        let spread = self.max.span().nanos() - self.min.span().nanos();
        u32::try_from(spread.max(1)).map_err(|_| {
            let message =
                "not possible where max is more than 4294967295ns above min, the range of netem's numbers";
            SpecError::new("correlation", message)
        })
    }

    fn inverse(&self) -> impl Fn(f64) -> f64 + Send + 'static {
        let (min, max) = self.bounds();
        move |u| min + (max - min) * u
    }

    fn correlated_draws(&self) -> Result<Draws, SpecError> {
        let (least, lengths) = (nanos(self.min), self.length_count()?);
        let mut numbers = Correlated::new(self.correlation)?;
        Ok(Draws::new(move |stream| Some(least + f64::from(numbers.next(stream) % lengths))))
    }
}

impl Spec for Uniform {
    fn build(&self) -> Result<Draws, SpecError> {
        if self.min > self.max {
            return Err(SpecError::new("min", format!("{} is above max, {}", self.min, self.max)));
        }
        if self.last_weight().is_some() {
            return self.correlated_draws();
        }
        Ok(Draws::from_quantile(self.inverse()))
    }

    fn mean(&self) -> f64 {
        match (self.last_weight(), self.length_count()) {
            (Some(weight), Ok(lengths)) => nanos(self.min) + mean_remainder(lengths, weight),
            _ => f64::midpoint(nanos(self.min), nanos(self.max)),
        }
    }

    fn bounds(&self) -> (f64, f64) {
        (nanos(self.min), nanos(self.max))
    }

    fn is_random(&self) -> bool {
        self.min < self.max
    }

    fn quantile(&self) -> Option<Quantile> {
        self.last_weight().is_none().then(|| Box::new(self.inverse()) as Quantile)
    }
}
