//! Normal lengths as netem has them (`distribution normal`), of a mean and a deviation; none is below 0.
//!
//! The example is netem's `delay 100ms 20ms 25% distribution normal`.
//!
//! ```toml
//! kind = "normal"
//! mean = "100ms"
//! deviation = "20ms"
//! correlation = 0.25
//! ```

use super::draws::Draws;
use super::spec::Spec;
use super::table::{Table, Tabled};
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Probability};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A normal law of netem.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NormalLaw")]
pub struct Normal {
    /// Mean length, if none were cut at 0.
    pub mean: Duration,
    /// Standard deviation, which netem calls jitter.
    pub deviation: Duration,
    /// netem's correlation, which has next to no effect on delays of less than seconds, there as here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Probability")]
    pub correlation: Option<Probability>,
}

impl Normal {
    fn tabled(self) -> Tabled {
        let Normal { mean, deviation, correlation } = self;
        Tabled { table: Table::Normal, mean, deviation, correlation }
    }
}

impl Spec for Normal {
    fn build(&self) -> Result<Draws, SpecError> {
        self.tabled().build()
    }

    fn mean(&self) -> f64 {
        self.tabled().mean()
    }

    fn bounds(&self) -> (f64, f64) {
        self.tabled().bounds()
    }

    fn is_random(&self) -> bool {
        self.tabled().is_random()
    }
}
