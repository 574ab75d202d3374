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

/// One term of the correlation in time: a part of the variance, whose correlation decays exponentially.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ScoreMemory")]
pub struct Memory {
    /// Time in which the correlation falls to 1/e. Example: `"2s"`.
    pub time: Duration,
    /// Share of the variance that has this memory; the shares of all memories sum to at most 1. Example: `0.8`.
    pub share: Probability,
}

/// Largest difference of a sum of shares from 1: what decimal places leave.
pub(crate) const ROUNDING: f64 = 1e-9;

fn kept(memories: &[Memory]) -> f64 {
    memories.iter().map(|memory| memory.share.get()).sum()
}

/// Refuses memories that last no time, or that have more than the whole variance; the field is `memories`.
pub(crate) fn check_memories(memories: &[Memory]) -> Result<(), SpecError> {
    if let Some(i) = memories.iter().position(|memory| memory.time.span() == Span::ZERO) {
        let message = "0s is too short; must be above 0s";
        return Err(SpecError::new(format!("memories[{i}].time"), message));
    }
    let kept = kept(memories);
    if kept > 1.0 + ROUNDING {
        let message = format!("the shares sum to {kept}; they must sum to at most 1");
        return Err(SpecError::new("memories", message));
    }
    Ok(())
}

/// The numbers, one for each step.
#[derive(Clone, Debug)]
pub(crate) struct Scores {
    parts: Vec<Part>,
    /// Standard deviation of what is new with every step.
    fresh: f64,
}

impl Scores {
    /// Numbers at steps of length `every`, by memories that were checked.
    pub(crate) fn new(memories: &[Memory], every: Span) -> Self {
        let parts = memories.iter().map(|memory| Part::new(memory, every)).collect();
        Scores { parts, fresh: (1.0 - kept(memories)).max(0.0).sqrt() }
    }

    pub(crate) fn next(&mut self, stream: &mut Stream) -> f64 {
        let mut score: f64 = self.parts.iter_mut().map(|part| part.next(stream)).sum();
        if self.fresh > 0.0 {
            score += self.fresh * normal(stream);
        }
        score
    }
}

/// A memory as it goes on.
#[derive(Clone, Debug)]
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
