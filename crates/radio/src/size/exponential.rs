//! Exponential sizes.
//!
//! ```toml
//! kind = "exponential"
//! mean = "100kB"
//! ```

use super::sizes::Sizes;
use super::spec::Spec;
use crate::exponential::exponential;
use crate::spec_error::SpecError;
use airtcp_core::Size;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An exponential distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ExponentialSize")]
pub struct Exponential {
    /// Mean size. Example: `"100kB"`.
    pub mean: Size,
}

impl Spec for Exponential {
    fn build(&self) -> Result<Sizes, SpecError> {
        let mean = self.mean();
        Ok(Sizes::new(move |stream| Some(exponential(stream, mean))))
    }

    fn mean(&self) -> f64 {
        self.mean.bytes() as f64
    }
}
