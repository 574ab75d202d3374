//! Lengths of any marginal distribution that depend on each other: a Gaussian copula.
//!
//! With each draw a standard normal number `z` becomes `correlation z + sqrt(1 - correlation^2) e`, where `e` is a new
//! standard normal number; the length is the quantile of the marginal distribution at the normal distribution function
//! of `z`. The first number is drawn from the standard normal distribution, so all lengths have the marginal
//! distribution. The correlation counts draws, not time: as a hop's `jitter` the process advances with every packet.
//! For a log-normal marginal distribution, the logarithm of the lengths is an autoregressive process of order 1.
//! Recorded `values` may be the marginal distribution too; their order does not matter.
//!
//! netem's `correlation`, a key of some distributions, is different and has hardly any effect.
//!
//! ```toml
//! kind = "autoregressive"
//! marginal = {kind = "gamma", shape = 2.5, mean = "8ms"}
//! correlation = 0.9
//! ```

use super::DistributionSpec;
use super::draws::Draws;
use super::inverse::normal_cdf;
use super::spec::{Quantile, Spec};
use crate::normal::normal;
use crate::spec_error::SpecError;
use airtcp_core::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An autoregressive distribution of order 1 in normal scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AutoregressiveLaw")]
pub struct Autoregressive {
    /// Distribution of each length by itself; it must not have a correlation of its own. Example: `{kind =
    /// "exponential", mean = "1s"}`.
    pub marginal: Box<DistributionSpec>,
    /// Correlation between the normal scores of one draw and the next, between -1 and 1. Example: `0.8`.
    #[schemars(range(min = -1, max = 1))]
    pub correlation: f64,
}

impl Autoregressive {
    fn marginal_quantile(&self) -> Result<Quantile, SpecError> {
        self.marginal.build().map_err(|e| e.within("marginal"))?;
        self.marginal.quantile().ok_or_else(|| {
            let name = self.marginal.entry().name;
            let message =
                format!("the draws of this {name:?} depend on each other; give a distribution with independent draws");
            SpecError::new("marginal", message)
        })
    }
}

impl Spec for Autoregressive {
    fn build(&self) -> Result<Draws, SpecError> {
        let weight = self.correlation;
        if weight.is_nan() || weight.abs() >= 1.0 {
            let message = format!(
                "{weight} would repeat the first draw for ever; must be above -1 and below 1"
            );
            return Err(SpecError::new("correlation", message));
        }
        let (quantile, fresh) =
            (self.marginal_quantile()?, ((1.0 - weight) * (1.0 + weight)).sqrt());
        let mut last: Option<f64> = None;
        Ok(Draws::new(move |stream: &mut Stream| {
            let new = normal(stream);
            let score = last.map_or(new, |last| weight * last + fresh * new);
            last = Some(score);
            Some(quantile(normal_cdf(score).min(LARGEST_BELOW_ONE)))
        }))
    }

    fn mean(&self) -> f64 {
        self.marginal.mean()
    }

    fn bounds(&self) -> (f64, f64) {
        self.marginal.bounds()
    }

    fn is_random(&self) -> bool {
        // The list of values is a distribution here, not an order.
        match self.marginal.as_ref() {
            DistributionSpec::Values(list) => list.bounds().0 < list.bounds().1,
            marginal => marginal.is_random(),
        }
    }
}

/// The largest number below 1, at which quantiles are finite.
const LARGEST_BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;
