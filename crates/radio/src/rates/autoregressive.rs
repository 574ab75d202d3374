//! A rate each of which depends on those before it, of any distribution: a Gaussian copula with memories of several lengths.
//!
//! Every `every` a standard normal number is drawn: the sum of independent autoregressive processes of order 1, one for each of
//! `memories`, and of new noise. Of its variance a memory has the part `share`, of which the correlation falls by e with every
//! `time`; what the shares leave to 1 is new with every step. The rate is the quantile of `levels` at the normal distribution
//! function of that number, so that all rates have the distribution of `levels` and keep the memory of the numbers: an
//! autoregressive process to anything. The first number is drawn from the standard normal distribution. Without `memories` rates are independent.
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
use crate::memories::{Memory, ROUNDING, Scores, check_memories};
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Instant, Probability, Rate, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An autoregressive process in normal scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AutoregressiveRates")]
pub struct Autoregressive {
    /// Time for which a rate stays.
    pub every: Duration,
    /// The distribution of the rates, from the lowest to the highest.
    #[schemars(length(min = 1, max = 10_000))]
    pub levels: Vec<RateLevel>,
    /// The memories of the process. Absent: every rate is new.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 20))]
    pub memories: Vec<Memory>,
}

/// A rate, and how often it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateLevel {
    /// The rate; 0bps: nothing is sent.
    pub rate: RateOrZero,
    /// Probability of the rate; those of all levels sum to 1.
    pub share: Probability,
}

fn bits_per_second(level: &RateLevel) -> f64 {
    level.rate.0.map_or(0.0, Rate::bits_per_second)
}

impl Autoregressive {
    fn check(&self) -> Result<(), SpecError> {
        SpecError::refuse_zero("every", self.every)?;
        if self.levels.is_empty() {
            return Err(SpecError::new("levels", "holds no rate: give at least one"));
        }
        let sum: f64 = self.levels.iter().map(|level| level.share.get()).sum();
        if (sum - 1.0).abs() > ROUNDING {
            let message = format!("the shares sum to {sum}: to 1");
            return Err(SpecError::new("levels", message));
        }
        let rate = bits_per_second;
        if let Some(i) = self.levels.windows(2).position(|pair| rate(&pair[0]) >= rate(&pair[1])) {
            let [before, this] = [i, i + 1].map(|i| String::from(self.levels[i].rate));
            let message = format!("{this} after {before}: the rates must increase");
            return Err(SpecError::new(format!("levels[{}].rate", i + 1), message));
        }
        check_memories(&self.memories)?;
        if self.mean() > 0.0 {
            return Ok(());
        }
        Err(SpecError::new("levels", "all rates are 0: at least one is above"))
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
        let scores = Scores::new(&self.memories, every);
        let rates = self.levels.iter().map(|level| level.rate.0).collect();
        let until = Instant::START;
        Ok(Rates::new(Levels { every, rates, cuts, scores, until, stream }))
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

#[derive(Debug)]
struct Levels {
    every: Span,
    rates: Vec<Option<Rate>>,
    /// Normal numbers from which on the next rate is that.
    cuts: Vec<f64>,
    scores: Scores,
    /// Until when the rate stays.
    until: Instant,
    stream: Stream,
}

impl Course for Levels {
    fn next(&mut self) -> Segment {
        let score = self.scores.next(&mut self.stream);
        let rate = self.rates[self.cuts.partition_point(|cut| *cut <= score)];
        let from = self.until;
        self.until = self.until + self.every;
        Segment { from, until: self.until, rate }
    }
}
