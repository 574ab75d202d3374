//! The bitrate follows the throughput: it is the highest one that is at most `share` times the harmonic mean of the
//! throughputs of the last `chunks` chunks [jiang2012, sections 4.2 and 4.4, without gradual switching]. The harmonic
//! mean gives slow chunks more weight; the first chunk has the lowest bitrate.
//!
//! ```toml
//! kind = "throughput"
//! share = 0.85
//! chunks = 20
//! ```

use super::view::PlayerView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A choice by the measured throughput.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ThroughputBased")]
pub struct Throughput {
    /// Share of the mean throughput that the bitrate may reach. Example: `0.8`.
    #[schemars(range(min = 0, max = 10))]
    pub share: f64,
    /// Number of latest chunks over which the throughput is averaged. Example: `5`.
    #[schemars(range(min = 1, max = 1000))]
    pub chunks: u32,
}

impl Default for Throughput {
    fn default() -> Self {
        Throughput { share: 0.85, chunks: 20 }
    }
}

impl Throughput {
    pub(super) fn next(self, view: &PlayerView<'_>) -> usize {
        let first = view.throughputs.len().saturating_sub(self.chunks as usize);
        let last = &view.throughputs[first..];
        if last.is_empty() {
            return 0;
        }
        let mean = last.len() as f64 / last.iter().map(|rate| 1.0 / rate).sum::<f64>();
        view.highest_where(|rate| rate <= self.share * mean)
    }
}
