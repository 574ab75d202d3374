//! A number in [0, 1] that cannot be anything else.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A probability.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Probability(f64);

impl Probability {
    /// Zero.
    pub const ZERO: Probability = Probability(0.0);
    /// One.
    pub const ONE: Probability = Probability(1.0);

    /// `value` if it lies in [0, 1].
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        // Adding zero turns -0.0 into 0.0: 1/ln(1 - p) must not change its sign.
        (0.0..=1.0).contains(&value).then_some(Probability(value + 0.0))
    }

    /// The number.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }

    /// `1 - self`.
    #[must_use]
    pub fn complement(self) -> f64 {
        1.0 - self.0
    }
}

impl TryFrom<f64> for Probability {
    type Error = String;
    fn try_from(value: f64) -> Result<Self, String> {
        Probability::new(value).ok_or_else(|| format!("{value} is not a probability (0 to 1)"))
    }
}

impl From<Probability> for f64 {
    fn from(p: Probability) -> f64 {
        p.0
    }
}

impl JsonSchema for Probability {
    fn schema_name() -> Cow<'static, str> {
        "Probability".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number", "minimum": 0, "maximum": 1})
    }
    fn inline_schema() -> bool {
        true
    }
}
