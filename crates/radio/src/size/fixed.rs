//! Always the same size.
//!
//! ```toml
//! kind = "fixed"
//! value = "100kB"
//! ```

use super::sizes::Sizes;
use super::spec::Spec;
use crate::spec_error::SpecError;
use airtcp_core::Size;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A constant size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FixedSize")]
pub struct Fixed {
    /// Size of every transfer. Example: `"100kB"`.
    pub value: Size,
}

impl Spec for Fixed {
    fn build(&self) -> Result<Sizes, SpecError> {
        let size = self.mean();
        Ok(Sizes::new(move |_| Some(size)))
    }

    fn mean(&self) -> f64 {
        self.value.bytes() as f64
    }

    fn is_random(&self) -> bool {
        false
    }
}
