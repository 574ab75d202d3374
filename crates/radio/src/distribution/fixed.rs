//! Always the same length.
//!
//! ```toml
//! kind = "fixed"
//! value = "30s"
//! ```

use super::draws::{Draws, nanos};
use super::spec::{Quantile, Spec};
use crate::spec_error::SpecError;
use airtcp_core::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A constant length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FixedLaw")]
pub struct Fixed {
    /// Length of every draw. Example: `"50ms"`.
    pub value: Duration,
}

impl Spec for Fixed {
    fn build(&self) -> Result<Draws, SpecError> {
        let value = nanos(self.value);
        Ok(Draws::new(move |_| Some(value)))
    }

    fn mean(&self) -> f64 {
        nanos(self.value)
    }

    fn bounds(&self) -> (f64, f64) {
        (nanos(self.value), nanos(self.value))
    }

    fn is_random(&self) -> bool {
        false
    }

    fn quantile(&self) -> Option<Quantile> {
        let value = nanos(self.value);
        Some(Box::new(move |_| value))
    }
}
