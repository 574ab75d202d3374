//! netem's numbers, each of which depends on the one before.
//!
//! A number of 32 bits is the mean of a new one and of the last, weighted by the correlation (`get_crandom` of
//! `net/sched/sch_netem.c`). Such numbers gather around the middle. A delay is a remainder of one (`tabledist`), which hardly
//! depends on the delay before; netem's documentation does not say so.

use crate::spec_error::SpecError;
use airtcp_core::{Probability, Stream};

/// Correlated numbers of 32 bits.
#[derive(Clone, Debug)]
pub(crate) struct Correlated {
    /// The weight of the last number, of 2^32; none: numbers are independent.
    weight: Option<u64>,
    last: Option<u32>,
}

/// The sum of the weights of the new number and the last one.
const WEIGHT_SUM: u64 = 1 << 32;

/// A probability in 32 bits, as tc has it.
pub(crate) fn in_32_bits(probability: Probability) -> u32 {
    (probability.value() * f64::from(u32::MAX)).round() as u32
}

/// The weight of the last number, of 2^32: one more than tc's, and none at 0.
fn last_weight(correlation: Probability) -> Option<u64> {
    let correlation = in_32_bits(correlation);
    (correlation > 0).then(|| u64::from(correlation) + 1)
}

/// The weight of the last number, of 1.
pub(super) fn last_share(correlation: Probability) -> f64 {
    last_weight(correlation).map_or(0.0, |weight| weight as f64 / WEIGHT_SUM as f64)
}

impl Correlated {
    /// Numbers of this correlation; none: independent ones.
    ///
    /// # Errors
    /// If it is 1, which would leave the first number for ever.
    pub(crate) fn new(correlation: Option<Probability>) -> Result<Self, SpecError> {
        let weight = correlation.and_then(last_weight);
        if weight == Some(WEIGHT_SUM) {
            let message = "1 would repeat the first draw for ever; must be below 1";
            return Err(SpecError::new("correlation", message));
        }
        Ok(Correlated { weight, last: None })
    }

    /// The next number.
    pub(crate) fn next(&mut self, stream: &mut Stream) -> u32 {
        let Some(weight) = self.weight else { return draw_32_bits(stream) };
        let last = self.last.unwrap_or_else(|| draw_32_bits(stream));
        let sum =
            u64::from(draw_32_bits(stream)) * (WEIGHT_SUM - weight) + u64::from(last) * weight;
        let next = (sum / WEIGHT_SUM) as u32;
        self.last = Some(next);
        next
    }
}

fn draw_32_bits(stream: &mut Stream) -> u32 {
    (stream.next_u64() >> 32) as u32
}
