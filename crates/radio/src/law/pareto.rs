//! Pareto's law of type I, from a least length on: `P(T > t) = (min/t)^shape`.
//!
//! Its mean is `min shape/(shape - 1)`; either of the two is given.
//!
//! ```toml
//! kind = "pareto"
//! shape = 1.5
//! mean = "30s"    # or: min = "10s"
//! ```

use super::draws::{Draws, nanos};
use super::spec::{Spec, check_shape};
use crate::spec_error::SpecError;
use airtcp_core::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Pareto law of type I.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ParetoLaw")]
pub struct Pareto {
    /// How fast the tail falls, above 1; up to 2 the variance is infinite.
    #[schemars(range(min = 1, max = 1000))]
    pub shape: f64,
    /// Mean length. Absent: `min` says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub mean: Option<Duration>,
    /// Shortest length. Absent: `mean` says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub min: Option<Duration>,
}

impl Pareto {
    fn least(&self) -> f64 {
        let from_mean = |mean| nanos(mean) * (self.shape - 1.0) / self.shape;
        self.min.map(nanos).or(self.mean.map(from_mean)).unwrap_or(0.0)
    }
}

impl Spec for Pareto {
    fn build(&self) -> Result<Draws, SpecError> {
        check_shape(self.shape)?;
        if self.mean.is_some() == self.min.is_some() {
            let said = if self.mean.is_some() { "both given" } else { "missing" };
            return Err(SpecError::new("mean", format!("{said}: give one of mean and min")));
        }
        let (least, shape) = (self.least(), self.shape);
        Ok(Draws::by_quantile(move |u| least * libm::exp(-libm::log1p(-u) / shape)))
    }

    fn mean(&self) -> f64 {
        self.least() * self.shape / (self.shape - 1.0)
    }

    fn bounds(&self) -> (f64, f64) {
        (self.least(), f64::INFINITY)
    }
}
