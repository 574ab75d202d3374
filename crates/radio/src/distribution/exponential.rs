//! Exponential lengths: an event that may come at any time, whenever the last one was.
//!
//! ```toml
//! kind = "exponential"
//! mean = "30s"
//! ```

use super::draws::{Draws, nanos};
use super::spec::{Quantile, Spec};
use crate::exponential::exponential;
use crate::spec_error::SpecError;
use airtcp_core::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An exponential distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ExponentialLaw")]
pub struct Exponential {
    /// Mean length. Example: `"500ms"`.
    pub mean: Duration,
}

impl Spec for Exponential {
    fn build(&self) -> Result<Draws, SpecError> {
        let mean = nanos(self.mean);
        Ok(Draws::new(move |stream| Some(exponential(stream, mean))))
    }

    fn mean(&self) -> f64 {
        nanos(self.mean)
    }

    fn bounds(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn quantile(&self) -> Option<Quantile> {
        let mean = nanos(self.mean);
        Some(Box::new(move |u| -mean * libm::log1p(-u)))
    }
}
