//! Sizes as measured, in their order.
//!
//! ```toml
//! kind = "list"
//! values = ["12kB", "1.5MB", "700B"]    # or: file = "sizes.csv", with a column `size` in bytes
//! ```

use super::sizes::Sizes;
use super::spec::Spec;
use crate::spec_error::SpecError;
use airtcp_core::Size;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sizes from a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ListSize")]
pub struct List {
    /// Sizes in order. Absent: `file` must be given. Example: `["10kB", "1MB"]`.
    #[schemars(length(min = 1, max = 1_000_000))]
    pub values: Vec<Size>,
    /// True if the list is repeated; otherwise nothing is transferred after its end. Example: `false`.
    #[serde(default = "yes")]
    pub repeat: bool,
}

fn yes() -> bool {
    true
}

impl Spec for List {
    fn build(&self) -> Result<Sizes, SpecError> {
        if self.values.is_empty() {
            return Err(SpecError::new("values", "the list is empty; give at least one size"));
        }
        let sizes: Vec<f64> = self.values.iter().map(|size| size.bytes() as f64).collect();
        let (mut next, repeat) = (0, self.repeat);
        Ok(Sizes::new(move |_| {
            if repeat && next == sizes.len() {
                next = 0;
            }
            next += 1;
            sizes.get(next - 1).copied()
        }))
    }

    fn mean(&self) -> f64 {
        self.values.iter().map(|size| size.bytes() as f64).sum::<f64>() / self.values.len() as f64
    }

    fn is_random(&self) -> bool {
        false
    }
}
