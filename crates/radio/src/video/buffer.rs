//! By the buffer alone (BBA-0) [huang2014, algorithm 1]: the lowest bitrate while no more than a `reservoir` is in it, the highest from
//! `full` on, and in between a line from one to the other. The bitrate changes only where the line has passed the next higher or
//! lower one, so that small changes of the buffer change nothing.
//!
//! The paper's buffer is of 240 s, with a reservoir of 90 s and its line up to 216 s. Here both are shares of what is in the buffer at
//! most when a chunk is asked for, `buffer` less a chunk: by shares of `buffer` itself a short one would never ask for the highest bitrate.
//!
//! ```toml
//! kind = "buffer"
//! reservoir = 0.375
//! full = 0.9
//! ```

use super::view::View;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// By the buffer alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "BufferBased")]
pub struct Buffer {
    /// Share of `buffer` less one chunk up to which the bitrate is the lowest.
    #[schemars(range(min = 0, max = 1))]
    pub reservoir: f64,
    /// Share of `buffer` less one chunk from which the bitrate is the highest.
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
    fn line(self, view: &View<'_>) -> f64 {
        let (low, high) = (view.bitrates[0], view.bitrates[view.bitrates.len() - 1]);
        let share = (view.fill - self.reservoir) / (self.full - self.reservoir);
        low + (high - low) * share
    }

    pub(super) fn next(self, view: &View<'_>) -> usize {
        let top = view.bitrates.len() - 1;
        if view.fill <= self.reservoir {
            return 0;
        }
        if view.fill >= self.full {
            return top;
        }
        let (line, last) = (self.line(view), view.last);
        if line >= view.bitrates[(last + 1).min(top)] {
            view.highest(|rate| rate < line)
        } else if line <= view.bitrates[last.saturating_sub(1)] {
            view.lowest(|rate| rate > line)
        } else {
            last
        }
    }
}
