//! Random walk of the rate, within bounds.
//!
//! ```toml
//! kind = "random-walk"
//! low = "2Mbps"
//! high = "20Mbps"
//! step = "1Mbps"
//! every = "100ms"
//! ```

use super::change::RateOrZero;
use super::course::{RateCourse, Segment};
use super::process::Rates;
use super::spec::Spec;
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Instant, Rate, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A random walk of the rate, reflected at a lowest and a highest rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RandomWalkRates")]
pub struct RandomWalk {
    /// Lowest rate; may be 0bps. Example: `"1Mbps"`.
    pub low: RateOrZero,
    /// Highest rate. Example: `"5Mbps"`.
    pub high: Rate,
    /// Step of the random walk, up or down with probability 1/2 each; at most half of `high` minus `low`. Example:
    /// `"500kbps"`.
    pub step: Rate,
    /// Time between two steps. Example: `"100ms"`.
    pub every: Duration,
    /// Rate at the start of the run. Absent: halfway between `low` and `high`. Example: `"2Mbps"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Rate")]
    pub start: Option<Rate>,
}

impl RandomWalk {
    fn bounds(&self) -> (f64, f64) {
        (self.low.0.map_or(0.0, Rate::bits_per_second), self.high.bits_per_second())
    }

    fn check(&self) -> Result<(), SpecError> {
        let (low, high) = self.bounds();
        if low >= high {
            let message = format!("{} is not above low", self.high);
            return Err(SpecError::new("high", message));
        }
        // A longer one may be thrown back to where it was.
        if self.step.bits_per_second() > (high - low) / 2.0 {
            let message = format!("{} is more than half of high minus low", self.step);
            return Err(SpecError::new("step", message));
        }
        SpecError::refuse_zero("every", self.every)?;
        match self.start.filter(|start| !(low..=high).contains(&start.bits_per_second())) {
            Some(start) => Err(SpecError::new("start", format!("{start} is not from low to high"))),
            None => Ok(()),
        }
    }
}

impl Spec for RandomWalk {
    fn build(&self, stream: Stream) -> Result<Rates, SpecError> {
        self.check()?;
        let (low, high) = self.bounds();
        let rate = self.start.map_or((low + high) / 2.0, Rate::bits_per_second);
        let step = self.step.bits_per_second();
        let until = Instant::START;
        let (bounds, every) = ((low, high), self.every.span());
        Ok(Rates::new(RandomWalkCourse { bounds, step, every, rate, until, stream }))
    }

    fn shortest(&self) -> Span {
        self.every.span()
    }

    fn mean(&self) -> f64 {
        let (low, high) = self.bounds();
        (low + high) / 2.0
    }

    fn is_random(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct RandomWalkCourse {
    bounds: (f64, f64),
    step: f64,
    every: Span,
    rate: f64,
    /// Instant until which the rate stays.
    until: Instant,
    stream: Stream,
}

impl RandomWalkCourse {
    fn step_once(&mut self) {
        let (low, high) = self.bounds;
        let step = if self.stream.chance(0.5) { self.step } else { -self.step };
        let to = self.rate + step;
        let thrown = if to < low { 2.0 * low - to } else { to };
        self.rate = if thrown > high { 2.0 * high - thrown } else { thrown };
    }
}

impl RateCourse for RandomWalkCourse {
    fn next(&mut self) -> Segment {
        if self.until > Instant::START {
            self.step_once();
        }
        let from = self.until;
        self.until = self.until + self.every;
        Segment { from, until: self.until, rate: Rate::from_bits_per_second(self.rate) }
    }
}
