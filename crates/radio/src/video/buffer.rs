//! The bitrate follows the fill level of the buffer alone (BBA-0) [huang2014, algorithm 1]: the lowest bitrate up to
//! `reservoir`, the highest from `full` on, and a straight line in between. The bitrate changes only when the line has
//! passed the next higher or lower bitrate, so small changes of the buffer have no effect.
//!
//! The paper's buffer has 240 s, with a reservoir of 90 s and the end of the line at 216 s. Here both are shares of the
//! largest fill level at which a chunk is requested, `buffer` minus one chunk: with shares of `buffer` itself, a short
//! buffer could never reach the highest bitrate.
//!
//! ```toml
//! kind = "buffer"
//! reservoir = 0.375
//! full = 0.9
//! ```

use super::view::PlayerView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A choice by the fill level of the buffer alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "BufferBased")]
pub struct Buffer {
    /// Fill level up to which the bitrate is the lowest, as a share of `buffer` minus one chunk. Example: `0.2`.
    #[schemars(range(min = 0, max = 1))]
    pub reservoir: f64,
    /// Fill level from which the bitrate is the highest, as a share of `buffer` minus one chunk. Example: `0.8`.
    #[schemars(range(min = 0, max = 1))]
    pub full: f64,
}

impl Default for Buffer {
    fn default() -> Self {
        Buffer { reservoir: 0.375, full: 0.9 }
    }
}

impl Buffer {
    /// The bitrate that the line says.
    fn bitrate_on_line(self, view: &PlayerView<'_>) -> f64 {
        let (low, high) = (view.bitrates[0], view.bitrates[view.bitrates.len() - 1]);
        let share = (view.fill - self.reservoir) / (self.full - self.reservoir);
        low + (high - low) * share
    }

    pub(super) fn next(self, view: &PlayerView<'_>) -> usize {
        let top = view.bitrates.len() - 1;
        if view.fill <= self.reservoir {
            return 0;
        }
        if view.fill >= self.full {
            return top;
        }
        let (line, last) = (self.bitrate_on_line(view), view.last);
        if line >= view.bitrates[(last + 1).min(top)] {
            view.highest_where(|rate| rate < line)
        } else if line <= view.bitrates[last.saturating_sub(1)] {
            view.lowest_where(|rate| rate > line)
        } else {
            last
        }
    }
}
