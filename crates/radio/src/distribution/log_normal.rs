//! Lengths whose logarithm is normal [downey2005]: most are similar, and a few are very long.
//!
//! The mean is `median exp(sigma^2/2)`; give either `mean` or `median`.
//!
//! ```toml
//! kind = "log-normal"
//! mean = "30s"    # or: median = "9.74s"
//! sigma = 1.5
//! ```

use super::draws::{Draws, nanos};
use super::inverse::normal_quantile;
use super::spec::{Quantile, Spec, check_above_zero};
use crate::spec_error::SpecError;
use airtcp_core::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A log-normal distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LogNormalLaw")]
pub struct LogNormal {
    /// Mean length. Absent: `median` must be given. Example: `"1s"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub mean: Option<Duration>,
    /// Median length. Absent: `mean` must be given. Example: `"800ms"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub median: Option<Duration>,
    /// Standard deviation of the natural logarithm of a length, a number without unit. Example: `0.5`.
    #[schemars(range(min = 0, max = 10))]
    pub sigma: f64,
}

impl LogNormal {
    fn median_nanos(&self) -> Result<f64, SpecError> {
        match (self.mean, self.median) {
            (Some(mean), None) => Ok(nanos(mean) / self.mean_over_median()),
            (None, Some(median)) => Ok(nanos(median)),
            (mean, _) => {
                let message = if mean.is_some() { "both given" } else { "missing" };
                Err(SpecError::new("mean", format!("{message}: give one of mean and median")))
            }
        }
    }

    fn mean_over_median(&self) -> f64 {
        libm::exp(self.sigma * self.sigma / 2.0)
    }
}

fn quantile_function(median: f64, sigma: f64) -> impl Fn(f64) -> f64 + Send + 'static {
    move |u| median * libm::exp(sigma * normal_quantile(u))
}

impl Spec for LogNormal {
    fn build(&self) -> Result<Draws, SpecError> {
        check_above_zero("sigma", self.sigma)?;
        Ok(Draws::from_quantile(quantile_function(self.median_nanos()?, self.sigma)))
    }

    fn mean(&self) -> f64 {
        self.median_nanos().map_or(0.0, |median| median * self.mean_over_median())
    }

    fn bounds(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn quantile(&self) -> Option<Quantile> {
        Some(Box::new(quantile_function(self.median_nanos().ok()?, self.sigma)))
    }
}
