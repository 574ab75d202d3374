//! The link is up and down in turn, up at first. Times are exponential with the given mean, or have any other
//! distribution.
//!
//! ```toml
//! kind = "on-off"
//! up = "2s"
//! down = "0.3s"
//! # or, for example: down = {kind = "hyper-exponential", weights = [0.9, 0.1], means = ["0.2s", "15s"]}
//! ```

use super::outages::{Outage, Outages};
use super::process::{GateProcess, OutageLosses};
use super::spec::Spec;
use crate::distribution::{DistributionSpec, Draws, Exponential, Spec as _};
use crate::exponential::exponential;
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Instant, Span, Stream};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Times that the link is up and down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnOff {
    /// Time that the link is up: a text gives the mean of an exponential time, a table any law. After the last of a
    /// finite list of lengths the link stays up. Example: `"10s"`.
    pub up: StayLength,
    /// Time that the link is down: a text gives the mean of an exponential time, a table any law. After the last of a
    /// finite list of lengths there are no more outages. Example: `{kind = "uniform", min = "100ms", max = "500ms"}`.
    pub down: StayLength,
    /// Packets that an outage destroys: `all` that wait, are on the way or arrive meanwhile; or `nothing`, in which
    /// case packets wait until it ends. Example: `"nothing"`.
    #[serde(default)]
    pub loses: OutageLosses,
}

/// Length of a time up or down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StayLength {
    /// Exponential, with this mean.
    Mean(Duration),
    /// Drawn from a distribution.
    Distribution(DistributionSpec),
}

impl JsonSchema for StayLength {
    fn schema_name() -> Cow<'static, str> {
        "Stay".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "object"], "format": "duration", "examples": ["2s"],
            "if": {"type": "object"}, "then": generator.subschema_for::<DistributionSpec>(),
        })
    }
    fn inline_schema() -> bool {
        true
    }
}

impl StayLength {
    /// The mean in the long run, in nanoseconds, of one that can be built.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self {
            StayLength::Mean(mean) => mean.span().nanos() as f64,
            StayLength::Distribution(distribution) => distribution.mean(),
        }
    }

    fn draws(&self) -> Result<Draws, SpecError> {
        match self {
            StayLength::Mean(mean) => Exponential { mean: *mean }.build(),
            StayLength::Distribution(distribution) => distribution.build(),
        }
    }

    fn is_random(&self) -> bool {
        match self {
            StayLength::Mean(_) => true,
            StayLength::Distribution(distribution) => distribution.is_random(),
        }
    }
}

impl Spec for OnOff {
    fn build(&self, stream: Stream) -> Result<GateProcess, SpecError> {
        for (field, stay) in [("up", &self.up), ("down", &self.down)] {
            match stay {
                StayLength::Mean(mean) => SpecError::refuse_zero(field, *mean)?,
                StayLength::Distribution(distribution) => {
                    distribution.build().map_err(|e| e.within(field))?;
                    if distribution.mean() < 1.0 {
                        let message = "a mean of 0s is too short; must be above 0s";
                        return Err(SpecError::new(field, message));
                    }
                }
            }
        }
        if let (StayLength::Mean(_), StayLength::Mean(_)) = (&self.up, &self.down) {
            let means = [self.up.mean(), self.down.mean()];
            let alternation = Alternation { means, now: Instant::START, stream };
            return Ok(GateProcess::new(alternation, self.loses));
        }
        let (up, down) = (self.up.draws()?, self.down.draws()?);
        let streams = [stream.child(1), stream.child(2)];
        Ok(GateProcess::new(
            DistributedStays { up, down, now: Instant::START, streams },
            self.loses,
        ))
    }

    fn is_random(&self) -> bool {
        self.up.is_random() || self.down.is_random()
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
    fn end_of_stay(&mut self, mean: f64) -> Instant {
        let length = exponential(&mut self.stream, mean);
        self.now = self.now + Span::from_nanos((length.round() as i64).max(1));
        self.now
    }
}

impl Outages for Alternation {
    fn next(&mut self) -> Outage {
        let [up, down] = self.means;
        let down_at = self.end_of_stay(up);
        Outage { down: down_at, up: self.end_of_stay(down) }
    }
}

/// Times by distributions.
#[derive(Debug)]
struct DistributedStays {
    up: Draws,
    down: Draws,
    now: Instant,
    /// Streams of the times up and down: the draws of one do not change the other.
    streams: [Stream; 2],
}

impl Outages for DistributedStays {
    fn next(&mut self) -> Outage {
        let [first, second] = &mut self.streams;
        let (Some(wait), Some(length)) = (self.up.next(first), self.down.next(second)) else {
            return Outage::NEVER;
        };
        let down = self.now + wait;
        self.now = down + length;
        if down < Instant::NEVER { Outage { down, up: self.now } } else { Outage::NEVER }
    }
}
