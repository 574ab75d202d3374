//! A rate that swings around its mean.
//!
//! ```toml
//! kind = "sine"
//! mean = "10Mbps"
//! amplitude = "8Mbps"
//! period = "20s"
//! ```

use super::change::RateRow;
use super::listing::{End, Listing};
use super::process::Rates;
use super::spec::Spec;
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Rate, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// A sine wave in steps, which starts at its mean and rises.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SineRates")]
pub struct Sine {
    /// Mean rate. Example: `"4Mbps"`.
    pub mean: Rate,
    /// Largest deviation from the mean; at most the mean. Example: `"2Mbps"`.
    pub amplitude: Rate,
    /// Time from one peak to the next. Example: `"10s"`.
    pub period: Duration,
    /// Number of equal steps per period, each at its mean rate. Example: `50`.
    #[serde(default = "default_steps")]
    #[schemars(range(min = 2, max = 100_000))]
    pub steps: u32,
}

fn default_steps() -> u32 {
    100
}

impl Sine {
    /// The mean of the sine over step `i`.
    fn step_rate(&self, i: u32) -> f64 {
        let angle = |i: u32| TAU * f64::from(i) / f64::from(self.steps);
        let mean = (libm::cos(angle(i)) - libm::cos(angle(i + 1))) / angle(1);
        let rate = self.mean.bits_per_second() + self.amplitude.bits_per_second() * mean;
        if rate < 1.0 { 0.0 } else { rate }
    }

    fn step_start(&self, i: u32) -> i64 {
        (i128::from(self.period.span().nanos()) * i128::from(i) / i128::from(self.steps)) as i64
    }
}

impl Spec for Sine {
    fn build(&self, _stream: Stream) -> Result<Rates, SpecError> {
        if self.amplitude > self.mean {
            let message = format!("{} is more than the mean, {}", self.amplitude, self.mean);
            return Err(SpecError::new("amplitude", message));
        }
        if self.step_start(1) == 0 {
            let message = format!("{} is too short for {} steps", self.period, self.steps);
            return Err(SpecError::new("period", message));
        }
        let row = |i| RateRow { at: self.step_start(i), bits_per_second: self.step_rate(i) };
        Ok(Rates::new(Listing::new(
            (0..self.steps).map(row).collect(),
            End::Repeat(self.period.span().nanos()),
        )))
    }

    fn shortest(&self) -> Span {
        Span::from_nanos(self.step_start(1))
    }

    fn mean(&self) -> f64 {
        self.mean.bits_per_second()
    }
}
