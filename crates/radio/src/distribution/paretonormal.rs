//! A mixture as netem draws it (`distribution paretonormal`): a quarter of a normal quantile plus three quarters of a
//! Pareto quantile; no length is below 0.
//!
//! The example is netem's `delay 100ms 20ms 25% distribution paretonormal`.
//!
//! ```toml
//! kind = "paretonormal"
//! mean = "100ms"
//! deviation = "20ms"
//! correlation = 0.25
//! ```

use super::table::{NetemDistribution, NetemTable, TableDistribution};
use airtcp_core::{Duration, Probability};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Pareto-normal distribution of netem.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ParetoNormalLaw")]
pub struct ParetoNormal {
    /// Mean length before negative lengths are cut at 0. Example: `"10ms"`.
    pub mean: Duration,
    /// Jitter as netem calls it: the scale of its table; the standard deviation is 0.83 times that. Example: `"3ms"`.
    pub deviation: Duration,
    /// Correlation of successive draws as netem computes it, which has almost no effect on delays below a second.
    /// Absent: 0. Example: `0.25`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Probability")]
    pub correlation: Option<Probability>,
}

impl NetemDistribution for ParetoNormal {
    fn netem_table(&self) -> TableDistribution {
        let ParetoNormal { mean, deviation, correlation } = *self;
        TableDistribution { table: NetemTable::ParetoNormal, mean, deviation, correlation }
    }
}
