//! Lengths as measured, in their order.
//!
//! ```toml
//! kind = "values"
//! values = ["12.5s", "48s", "31s"]    # or: file = "intervals.csv", with a column `value` in seconds
//! ```

use super::draws::{Draws, nanos};
use super::spec::{Quantile, Spec};
use crate::spec_error::SpecError;
use airtcp_core::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lengths from a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ValuesLaw")]
pub struct Values {
    /// Lengths in order. Absent: `file` must be given. Example: `["1s", "250ms"]`.
    #[schemars(length(min = 1))]
    pub values: Vec<Duration>,
    /// True if the list is repeated; otherwise nothing happens after its end. Example: `false`.
    #[serde(default = "yes")]
    pub repeat: bool,
}

fn yes() -> bool {
    true
}

impl Spec for Values {
    fn build(&self) -> Result<Draws, SpecError> {
        if self.values.is_empty() {
            return Err(SpecError::new("values", "the list is empty; give at least one length"));
        }
        let lengths: Vec<f64> = self.values.iter().map(|value| nanos(*value)).collect();
        let (mut next, repeat) = (0, self.repeat);
        Ok(Draws::new(move |_| {
            if repeat && next == lengths.len() {
                next = 0;
            }
            next += 1;
            lengths.get(next - 1).copied()
        }))
    }

    fn mean(&self) -> f64 {
        self.values.iter().map(|value| nanos(*value)).sum::<f64>() / self.values.len() as f64
    }

    fn bounds(&self) -> (f64, f64) {
        let lengths = || self.values.iter().map(|value| nanos(*value));
        (lengths().fold(f64::INFINITY, f64::min), lengths().fold(0.0, f64::max))
    }

    fn is_random(&self) -> bool {
        false
    }

    fn is_finite(&self) -> bool {
        !self.repeat
    }

    fn quantile(&self) -> Option<Quantile> {
        if !self.repeat {
            return None;
        }
        let mut lengths: Vec<f64> = self.values.iter().map(|value| nanos(*value)).collect();
        lengths.sort_by(f64::total_cmp);
        Some(Box::new(move |u| lengths[(u * lengths.len() as f64) as usize]))
    }
}
