//! A mixture of exponential lengths: each is of one of several kinds, such as short and long outages [feldmann1998].
//!
//! ```toml
//! kind = "hyper-exponential"
//! weights = [0.9, 0.1]
//! means = ["0.2s", "15s"]
//! ```

use super::draws::{Draws, nanos};
use super::inverse::mixture_quantile;
use super::spec::{Quantile, Spec, check_above_zero};
use crate::exponential::exponential;
use crate::spec_error::SpecError;
use crate::transitions::pick_state;
use airtcp_core::{Duration, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A hyper-exponential distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "HyperExponentialLaw")]
pub struct HyperExponential {
    /// Weights of the components, above 0; they are divided by their sum. Example: `[0.9, 0.1]`.
    #[schemars(length(min = 1, max = 100))]
    pub weights: Vec<f64>,
    /// Mean length of each component. Example: `["100ms", "2s"]`.
    #[schemars(length(min = 1, max = 100))]
    pub means: Vec<Duration>,
}

impl HyperExponential {
    /// Shares, of sum 1, and means of the kinds.
    fn shares_and_means(&self) -> Vec<(f64, f64)> {
        let sum: f64 = self.weights.iter().sum();
        let shares = self.weights.iter().map(|weight| weight / sum);
        shares.zip(self.means.iter().map(|mean| nanos(*mean))).collect()
    }
}

impl Spec for HyperExponential {
    fn build(&self) -> Result<Draws, SpecError> {
        let (weights, means) = (self.weights.len(), self.means.len());
        if weights == 0 {
            return Err(SpecError::new("weights", "the list is empty; give at least one weight"));
        }
        if weights != means {
            let message =
                format!("{means} means for {weights} weights; give one mean for each weight");
            return Err(SpecError::new("means", message));
        }
        for (i, weight) in self.weights.iter().enumerate() {
            check_above_zero(&format!("weights[{i}]"), *weight)?;
        }
        for (i, mean) in self.means.iter().enumerate() {
            SpecError::refuse_zero(&format!("means[{i}]"), *mean)?;
        }
        let (shares, means): (Vec<f64>, Vec<f64>) = self.shares_and_means().into_iter().unzip();
        Ok(Draws::new(move |stream: &mut Stream| {
            let kind = pick_state(&shares, stream);
            Some(exponential(stream, means[kind]))
        }))
    }

    fn mean(&self) -> f64 {
        self.shares_and_means().iter().map(|(share, mean)| share * mean).sum()
    }

    fn bounds(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn quantile(&self) -> Option<Quantile> {
        let phases = self.shares_and_means();
        Some(Box::new(move |u| mixture_quantile(u, &phases)))
    }
}
