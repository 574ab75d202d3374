//! Standard normal numbers at equal steps, each of which depends on those before it over several times.
//!
//! A number is the sum of independent autoregressive processes of order 1, one for each memory, and of new noise. Of its
//! variance a memory has the part `share`, of which the correlation falls by e with every `time`; what the shares leave to
//! 1 is new with every step. The first number is drawn from the standard normal distribution.

use crate::normal::normal;
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Probability, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One term of an autocorrelation that is a sum of exponentials: `share` times exp(-lag / `time`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ScoreMemory")]
pub struct Memory {
    /// Time constant: the lag at which the term has fallen to 1/e. Example: `"2s"`.
    pub time: Duration,
    /// Weight of the term, its share of the variance. The shares of all terms sum to at most 1; the rest of the
    /// variance is uncorrelated. Example: `0.8`.
    pub share: Probability,
}

/// Largest difference of a sum of shares from 1: what decimal places leave.
pub(crate) const ROUNDING: f64 = 1e-9;

fn sum_of_shares(memories: &[Memory]) -> f64 {
    memories.iter().map(|memory| memory.share.value()).sum()
}

/// Refuses memories that last no time, or that have more than the whole variance; the field is `memories`.
pub(crate) fn check_memories(memories: &[Memory]) -> Result<(), SpecError> {
    if let Some(i) = memories.iter().position(|memory| memory.time.span() == Span::ZERO) {
        let message = "0s is too short; must be above 0s";
        return Err(SpecError::new(format!("memories[{i}].time"), message));
    }
    let kept = sum_of_shares(memories);
    if kept > 1.0 + ROUNDING {
        let message = format!("the shares sum to {kept}; they must sum to at most 1");
        return Err(SpecError::new("memories", message));
    }
    Ok(())
}

/// The numbers, one for each step.
#[derive(Clone, Debug)]
pub(crate) struct NormalScores {
    parts: Vec<MemoryProcess>,
    /// Standard deviation of what is new with every step.
    innovation_deviation: f64,
}

impl NormalScores {
    /// Numbers at steps of length `every`, by memories that were checked.
    pub(crate) fn new(memories: &[Memory], every: Span) -> Self {
        let parts = memories.iter().map(|memory| MemoryProcess::new(memory, every)).collect();
        NormalScores {
            parts,
            innovation_deviation: (1.0 - sum_of_shares(memories)).max(0.0).sqrt(),
        }
    }

    pub(crate) fn next_score(&mut self, stream: &mut Stream) -> f64 {
        let mut score: f64 = self.parts.iter_mut().map(|part| part.next(stream)).sum();
        if self.innovation_deviation > 0.0 {
            score += self.innovation_deviation * normal(stream);
        }
        score
    }
}

/// A memory as it goes on.
#[derive(Clone, Debug)]
struct MemoryProcess {
    /// Its standard deviation within the normal number.
    deviation: f64,
    /// Weights of the number of the step before, and of a new one.
    last_weight: f64,
    new_weight: f64,
    last_number: Option<f64>,
}

impl MemoryProcess {
    fn new(memory: &Memory, every: Span) -> Self {
        let steps = every.nanos() as f64 / memory.time.span().nanos() as f64;
        let (old, new) = (libm::exp(-steps), (-libm::expm1(-2.0 * steps)).sqrt());
        MemoryProcess {
            deviation: memory.share.value().sqrt(),
            last_weight: old,
            new_weight: new,
            last_number: None,
        }
    }

    fn next(&mut self, stream: &mut Stream) -> f64 {
        let new = normal(stream);
        let number = self
            .last_number
            .map_or(new, |before| self.last_weight * before + self.new_weight * new);
        self.last_number = Some(number);
        self.deviation * number
    }
}
