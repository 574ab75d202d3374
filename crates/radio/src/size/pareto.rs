//! Pareto's distribution: `P(S > s) = (min/s)^shape`. Most transfers are short, and most bytes are in long ones; files
//! on the web have a shape near 1.1 [crovella1997].
//!
//! Its mean is `min shape/(shape - 1)`; give either `mean` or `min`. With `max`, larger sizes are drawn again, and the
//! mean becomes smaller.
//!
//! ```toml
//! kind = "pareto"
//! shape = 1.2
//! mean = "100kB"    # or: min = "16667B"
//! ```

use super::sizes::Sizes;
use super::spec::Spec;
use crate::spec_error::SpecError;
use airtcp_core::Size;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Pareto distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ParetoSize")]
pub struct Pareto {
    /// Tail index, a number above 1; up to 2 the variance is infinite. Example: `1.2`.
    #[schemars(range(min = 1, max = 1000))]
    pub shape: f64,
    /// Mean size; not with `max`. Absent: `min` must be given. Example: `"100kB"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub mean: Option<Size>,
    /// Smallest size. Absent: `mean` must be given. Example: `"10kB"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub min: Option<Size>,
    /// Largest size. Absent: no limit. Example: `"10MB"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub max: Option<Size>,
}

fn bytes_as_f64(size: Size) -> f64 {
    size.bytes() as f64
}

impl Pareto {
    fn least_bytes(&self) -> f64 {
        let from_mean = |mean| bytes_as_f64(mean) * (self.shape - 1.0) / self.shape;
        self.min.map(bytes_as_f64).or(self.mean.map(from_mean)).unwrap_or(0.0)
    }

    /// Probability that a size is at most `max`.
    fn share_up_to_max(&self) -> f64 {
        self.max
            .map_or(1.0, |max| 1.0 - libm::pow(self.least_bytes() / bytes_as_f64(max), self.shape))
    }
}

impl Spec for Pareto {
    fn build(&self) -> Result<Sizes, SpecError> {
        if self.shape <= 1.0 {
            let message = format!("{} gives an infinite mean; must be above 1", self.shape);
            return Err(SpecError::new("shape", message));
        }
        if self.mean.is_some() == self.min.is_some() {
            let message = if self.mean.is_some() { "both given" } else { "missing" };
            return Err(SpecError::new("mean", format!("{message}: give one of mean and min")));
        }
        let (least, shape, kept) = (self.least_bytes(), self.shape, self.share_up_to_max());
        if let Some(max) = self.max.filter(|max| bytes_as_f64(*max) <= least) {
            let message = format!("{max} is not above the smallest size, {least:.0}B");
            return Err(SpecError::new("max", message));
        }
        let quantile = move |u: f64| least * libm::exp(-libm::log1p(-u * kept) / shape);
        Ok(Sizes::by_quantile(quantile))
    }

    fn mean(&self) -> f64 {
        let (least, shape) = (self.least_bytes(), self.shape);
        let all = least * shape / (shape - 1.0);
        let Some(max) = self.max.map(bytes_as_f64) else { return all };
        all * (1.0 - libm::pow(least / max, shape - 1.0)) / self.share_up_to_max()
    }
}
