//! Lengths each of which depends on the one before, of any marginal distribution: a Gaussian copula.
//!
//! A standard normal number `z` becomes `correlation z + sqrt(1 - correlation^2) e` with the next draw, `e` standard
//! normal too; the length is the quantile of the marginal distribution at the normal distribution function of `z`. The first
//! number is drawn from the standard normal distribution, so all lengths have the marginal distribution. Time does not count, draws
//! do: as a hop's `jitter` it moves on with every packet. Of a log-normal marginal distribution the logarithm is an
//! autoregressive process of order 1. The list of `values` serves as a marginal distribution too, whatever its order.
//!
//! netem's `correlation`, in distributions that have it, is another thing, with next to no effect.
//!
//! ```toml
//! kind = "autoregressive"
//! marginal = {kind = "gamma", shape = 2.5, mean = "8ms"}
//! correlation = 0.9
//! ```

use super::DistributionSpec;
use super::draws::Draws;
use super::inverse::normal_below;
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
    /// Marginal distribution of the lengths; its own draws must be independent.
    pub marginal: Box<DistributionSpec>,
    /// Correlation of the normal scores of one draw and the next, between -1 and 1.
    #[schemars(range(min = -1, max = 1))]
    pub correlation: f64,
}

impl Autoregressive {
    fn inverse(&self) -> Result<Quantile, SpecError> {
        self.marginal.build().map_err(|e| e.within("marginal"))?;
        self.marginal.quantile().ok_or_else(|| {
            let name = self.marginal.entry().name;
            let message =
                format!("draws of this {name:?} depend on each other: a distribution without that");
            SpecError::new("marginal", message)
        })
    }
}

impl Spec for Autoregressive {
    fn build(&self) -> Result<Draws, SpecError> {
        let weight = self.correlation;
        if weight.is_nan() || weight.abs() >= 1.0 {
            let message =
                format!("{weight} would repeat the first draw for ever: above -1 and below 1");
            return Err(SpecError::new("correlation", message));
        }
        let (quantile, fresh) = (self.inverse()?, ((1.0 - weight) * (1.0 + weight)).sqrt());
        let mut last: Option<f64> = None;
        Ok(Draws::new(move |stream: &mut Stream| {
            let new = normal(stream);
            let score = last.map_or(new, |last| weight * last + fresh * new);
            last = Some(score);
            Some(quantile(normal_below(score).min(MOST)))
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
const MOST: f64 = 1.0 - f64::EPSILON / 2.0;
