//! A rate that depends on earlier rates and has any distribution: a Gaussian copula with memories of several lengths.
//!
//! After every `every` a standard normal number is formed as a sum: one autoregressive process of order 1 for each of
//! `memories`, and new noise. A memory contributes the part `share` of the variance, and its correlation falls to 1/e
//! within `time`; the rest of the variance is new at every step. The number is turned into a rate as a quantile of
//! `levels`, so the rates have the distribution of `levels` and the memory of the numbers (an
//! autoregressive-to-anything process). The first number is drawn from the standard normal distribution. Without
//! `memories` the rates are independent.
//!
//! ```toml
//! kind = "autoregressive"
//! every = "20ms"
//! levels = [{rate = "0bps", share = 0.1}, {rate = "3Mbps", share = 0.6}, {rate = "12Mbps", share = 0.3}]
//! memories = [{time = "80ms", share = 0.3}, {time = "4s", share = 0.5}]
//! ```

use super::change::RateOrZero;
use super::course::{RateCourse, Segment};
use super::process::Rates;
use super::spec::Spec;
use crate::distribution::normal_quantile;
use crate::memories::{Memory, NormalScores, ROUNDING, check_memories};
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Instant, Probability, Rate, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An autoregressive process in normal scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AutoregressiveRates")]
pub struct Autoregressive {
    /// Time after which a new rate is drawn. Example: `"100ms"`.
    pub every: Duration,
    /// Rates that occur, from the lowest to the highest, each with its probability. Example: `[{rate = "1Mbps", share
    /// = 0.3}, {rate = "4Mbps", share = 0.7}]`.
    #[schemars(length(min = 1, max = 10_000))]
    pub levels: Vec<RateLevel>,
    /// Correlation in time, as a sum of exponentials. Absent: each rate is independent of those before. Example:
    /// `[{time = "2s", share = 0.8}]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 20))]
    pub memories: Vec<Memory>,
}

/// A rate that occurs, and its probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateLevel {
    /// The rate; 0bps: nothing is sent. Example: `"1Mbps"`.
    pub rate: RateOrZero,
    /// Probability of the rate; the probabilities of all levels sum to 1. Example: `0.3`.
    pub share: Probability,
}

fn bits_per_second(level: &RateLevel) -> f64 {
    level.rate.0.map_or(0.0, Rate::bits_per_second)
}

impl Autoregressive {
    fn check(&self) -> Result<(), SpecError> {
        SpecError::refuse_zero("every", self.every)?;
        if self.levels.is_empty() {
            return Err(SpecError::new("levels", "the list is empty; give at least one rate"));
        }
        let sum: f64 = self.levels.iter().map(|level| level.share.value()).sum();
        if (sum - 1.0).abs() > ROUNDING {
            let message = format!("the shares sum to {sum}; they must sum to 1");
            return Err(SpecError::new("levels", message));
        }
        let rate = bits_per_second;
        if let Some(i) = self.levels.windows(2).position(|pair| rate(&pair[0]) >= rate(&pair[1])) {
            let [before, this] = [i, i + 1].map(|i| String::from(self.levels[i].rate));
            let message = format!("{this} comes after {before}, but rates must increase");
            return Err(SpecError::new(format!("levels[{}].rate", i + 1), message));
        }
        check_memories(&self.memories)?;
        if self.mean() > 0.0 {
            return Ok(());
        }
        Err(SpecError::new("levels", "all rates are 0; at least one must be above 0"))
    }
}

impl Spec for Autoregressive {
    fn build(&self, stream: Stream) -> Result<Rates, SpecError> {
        self.check()?;
        let mut below = 0.0;
        let cut = |level: &RateLevel| {
            below += level.share.value();
            if below < 1.0 { normal_quantile(below) } else { f64::INFINITY }
        };
        let cuts = self.levels[..self.levels.len() - 1].iter().map(cut).collect();
        let every = self.every.span();
        let scores = NormalScores::new(&self.memories, every);
        let rates = self.levels.iter().map(|level| level.rate.0).collect();
        let until = Instant::START;
        Ok(Rates::new(LevelProcess { every, rates, level_thresholds: cuts, scores, until, stream }))
    }

    fn mean(&self) -> f64 {
        self.levels.iter().map(|level| level.share.value() * bits_per_second(level)).sum()
    }

    fn shortest(&self) -> Span {
        self.every.span()
    }

    fn is_random(&self) -> bool {
        self.levels.iter().filter(|level| level.share > Probability::ZERO).count() > 1
    }
}

#[derive(Debug)]
struct LevelProcess {
    every: Span,
    rates: Vec<Option<Rate>>,
    /// Normal numbers from which on the next rate is that.
    level_thresholds: Vec<f64>,
    scores: NormalScores,
    /// Instant until which the rate stays.
    until: Instant,
    stream: Stream,
}

impl RateCourse for LevelProcess {
    fn next(&mut self) -> Segment {
        let score = self.scores.next_score(&mut self.stream);
        let rate = self.rates[self.level_thresholds.partition_point(|cut| *cut <= score)];
        let from = self.until;
        self.until = self.until + self.every;
        Segment { from, until: self.until, rate }
    }
}
