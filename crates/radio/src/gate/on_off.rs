//! Up and down for exponential times; up at first.
//!
//! ```toml
//! kind = "on-off"
//! up = "2s"
//! down = "0.3s"
//! ```

use super::outages::{Outage, Outages};
use super::process::{GateProcess, Loses};
use super::spec::Spec;
use crate::exponential::exponential;
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Instant, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Exponential up and down times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnOff {
    /// Mean time up.
    pub up: Duration,
    /// Mean time down.
    pub down: Duration,
    /// Packets that an outage destroys.
    #[serde(default)]
    pub loses: Loses,
}

impl Spec for OnOff {
    fn build(&self, stream: Stream) -> Result<GateProcess, SpecError> {
        SpecError::refuse_zero("up", self.up)?;
        SpecError::refuse_zero("down", self.down)?;
        let means = [self.up, self.down].map(|d| d.span().nanos() as f64);
        Ok(GateProcess::new(Alternation { means, now: Instant::START, stream }, self.loses))
    }
}

#[derive(Debug)]
struct Alternation {
    /// Means of the times up and down, in nanoseconds.
    means: [f64; 2],
    now: Instant,
    stream: Stream,
}

impl Alternation {
    /// The end of a stay of exponential length, at least a nanosecond, that begins now.
    fn after(&mut self, mean: f64) -> Instant {
        let length = exponential(&mut self.stream, mean);
        self.now = self.now + Span::from_nanos((length.round() as i64).max(1));
        self.now
    }
}

impl Outages for Alternation {
    fn next(&mut self) -> Outage {
        let [up, down] = self.means;
        let down_at = self.after(up);
        Outage { down: down_at, up: self.after(down) }
    }
}
