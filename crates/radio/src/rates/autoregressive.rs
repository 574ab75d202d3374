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
use super::course::{Course, Segment};
use super::process::Rates;
use super::spec::Spec;
use crate::distribution::normal_quantile;
use crate::normal::normal;
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

/// One term of the correlation in time: a part of the variance, whose correlation decays exponentially.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RateMemory")]
pub struct Memory {
    /// Time in which the correlation falls to 1/e. Example: `"2s"`.
    pub time: Duration,
    /// Share of the variance that has this memory; the shares of all memories sum to at most 1. Example: `0.8`.
    pub share: Probability,
}

/// Largest difference of a sum of shares from 1: what decimal places leave.
const ROUNDING: f64 = 1e-9;

fn bits_per_second(level: &RateLevel) -> f64 {
    level.rate.0.map_or(0.0, Rate::bits_per_second)
}

impl Autoregressive {
    fn check(&self) -> Result<(), SpecError> {
        SpecError::refuse_zero("every", self.every)?;
        if self.levels.is_empty() {
            return Err(SpecError::new("levels", "the list is empty; give at least one rate"));
        }
        let sum: f64 = self.levels.iter().map(|level| level.share.get()).sum();
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
        if let Some(i) = self.memories.iter().position(|memory| memory.time.span() == Span::ZERO) {
            let message = "0s is too short; must be above 0s";
            return Err(SpecError::new(format!("memories[{i}].time"), message));
        }
        let kept: f64 = self.memories.iter().map(|memory| memory.share.get()).sum();
        if kept > 1.0 + ROUNDING {
            let message = format!("the shares sum to {kept}; they must sum to at most 1");
            return Err(SpecError::new("memories", message));
        }
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
            below += level.share.get();
            if below < 1.0 { normal_quantile(below) } else { f64::INFINITY }
        };
        let cuts = self.levels[..self.levels.len() - 1].iter().map(cut).collect();
        let every = self.every.span();
        let parts: Vec<Part> =
            self.memories.iter().map(|memory| Part::new(memory, every)).collect();
        let kept: f64 = self.memories.iter().map(|memory| memory.share.get()).sum();
        let fresh = (1.0 - kept).max(0.0).sqrt();
        let rates = self.levels.iter().map(|level| level.rate.0).collect();
        let until = Instant::START;
        Ok(Rates::new(Scores { every, rates, cuts, parts, fresh, until, stream }))
    }

    fn mean(&self) -> f64 {
        self.levels.iter().map(|level| level.share.get() * bits_per_second(level)).sum()
    }

    fn shortest(&self) -> Span {
        self.every.span()
    }

    fn is_random(&self) -> bool {
        self.levels.iter().filter(|level| level.share > Probability::ZERO).count() > 1
    }
}

/// A memory as it goes on.
#[derive(Debug)]
struct Part {
    /// Its standard deviation within the normal number.
    deviation: f64,
    /// By how much the number of the step before counts, and by how much a new one.
    old: f64,
    new: f64,
    number: Option<f64>,
}

impl Part {
    fn new(memory: &Memory, every: Span) -> Self {
        let steps = every.nanos() as f64 / memory.time.span().nanos() as f64;
        let (old, new) = (libm::exp(-steps), (-libm::expm1(-2.0 * steps)).sqrt());
        Part { deviation: memory.share.get().sqrt(), old, new, number: None }
    }

    fn next(&mut self, stream: &mut Stream) -> f64 {
        let new = normal(stream);
        let number = self.number.map_or(new, |before| self.old * before + self.new * new);
        self.number = Some(number);
        self.deviation * number
    }
}

#[derive(Debug)]
struct Scores {
    every: Span,
    rates: Vec<Option<Rate>>,
    /// Normal numbers from which on the next rate is that.
    cuts: Vec<f64>,
    parts: Vec<Part>,
    /// Standard deviation of what is new with every step.
    fresh: f64,
    /// Until when the rate stays.
    until: Instant,
    stream: Stream,
}

impl Course for Scores {
    fn next(&mut self) -> Segment {
        let stream = &mut self.stream;
        let mut score: f64 = self.parts.iter_mut().map(|part| part.next(stream)).sum();
        if self.fresh > 0.0 {
            score += self.fresh * normal(stream);
        }
        let rate = self.rates[self.cuts.partition_point(|cut| *cut <= score)];
        let from = self.until;
        self.until = self.until + self.every;
        Segment { from, until: self.until, rate }
    }
}
