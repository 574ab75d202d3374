//! Sizes whose logarithm is normal [downey2005]: most are similar, and a few are very large.
//!
//! ```toml
//! kind = "log-normal"
//! mean = "100kB"
//! sigma = 1.5
//! ```

use super::sizes::Sizes;
use super::spec::{Spec, check_above_zero};
use crate::normal::normal;
use crate::spec_error::SpecError;
use airtcp_core::Size;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A log-normal distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LogNormalSize")]
pub struct LogNormal {
    /// Mean size. Example: `"100kB"`.
    pub mean: Size,
    /// Standard deviation of the natural logarithm of a size, a number without unit. Example: `1.5`.
    #[schemars(range(min = 0, max = 10))]
    pub sigma: f64,
}

impl Spec for LogNormal {
    fn build(&self) -> Result<Sizes, SpecError> {
        check_above_zero("sigma", self.sigma)?;
        // The mean is exp(mu + sigma^2/2).
        let (sigma, mu) = (self.sigma, libm::log(self.mean()) - self.sigma * self.sigma / 2.0);
        Ok(Sizes::new(move |stream| Some(libm::exp(mu + sigma * normal(stream)))))
    }

    fn mean(&self) -> f64 {
        self.mean.bytes() as f64
    }
}
