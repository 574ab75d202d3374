//! A quarter of a normal and three quarters of a Pareto quantile, as netem has them (`distribution paretonormal`); no length is
//! below 0.
//!
//! The example is netem's `delay 100ms 20ms 25% distribution paretonormal`.
//!
//! ```toml
//! kind = "paretonormal"
//! mean = "100ms"
//! deviation = "20ms"
//! correlation = 0.25
//! ```

use super::table::{ByTable, Table, Tabled};
use airtcp_core::{Duration, Probability};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Pareto-normal distribution of netem.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ParetoNormalLaw")]
pub struct ParetoNormal {
    /// Mean length before negative lengths are cut at 0.
    pub mean: Duration,
    /// Jitter as netem calls it: the scale of its table, whose standard deviation is 0.83 of it.
    pub deviation: Duration,
    /// Correlation as netem computes it, which has almost no effect on delays below a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Probability")]
    pub correlation: Option<Probability>,
}

impl ByTable for ParetoNormal {
    fn tabled(&self) -> Tabled {
        let ParetoNormal { mean, deviation, correlation } = *self;
        Tabled { table: Table::ParetoNormal, mean, deviation, correlation }
    }
}
