//! Normal lengths as netem draws them (`distribution normal`), with a mean and a deviation; none is below 0.
//!
//! The example is netem's `delay 100ms 20ms 25% distribution normal`.
//!
//! ```toml
//! kind = "normal"
//! mean = "100ms"
//! deviation = "20ms"
//! correlation = 0.25
//! ```

use super::table::{NetemDistribution, NetemTable, TableDistribution};
use airtcp_core::{Duration, Probability};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A normal distribution of netem.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NormalLaw")]
pub struct Normal {
    /// Mean length before negative lengths are cut at 0. Example: `"10ms"`.
    pub mean: Duration,
    /// Standard deviation, which netem calls jitter. Example: `"3ms"`.
    pub deviation: Duration,
    /// Correlation of successive draws as netem computes it, which has almost no effect on delays below a second.
    /// Absent: 0. Example: `0.25`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Probability")]
    pub correlation: Option<Probability>,
}

impl NetemDistribution for Normal {
    fn netem_table(&self) -> TableDistribution {
        let Normal { mean, deviation, correlation } = *self;
        TableDistribution { table: NetemTable::Normal, mean, deviation, correlation }
    }
}
