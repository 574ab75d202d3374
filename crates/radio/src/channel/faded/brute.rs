//! Bit by bit. Over a block of bits a rate is known that none of theirs exceeds; errors at that rate
//! are drawn by the gaps between them, and each is kept with the probability that its bit's own rate asks for
//! (thinning [Lewis and Shedler 1979]): the same in distribution as a draw per bit.

use super::gain::{BitRun, FadedChannel};
use crate::exponential::exponential;
use airtcp_core::Stream;

/// Largest variation of the amplitude over a block.
const BLOCK_AMPLITUDE_CHANGE: f64 = 0.2;

impl FadedChannel {
    /// Returns whether `word` has more errors than are corrected.
    pub(super) fn loses_bitwise(&mut self, word: BitRun, draws: &mut Stream) -> bool {
        let corrected = self.code.as_ref().map_or(0, |(code, _)| code.correctable_errors());
        let (mut bit, mut errors) = (0, 0);
        // The rest of the gap to the next error: bits times their rates.
        let mut gap = exponential(draws, 1.0);
        while bit < word.bits && !self.watch.is_cancelled() {
            let (bits, most) = self.block_at(word, bit);
            // A bit without an error costs `hazard`, so that it is in error with `rate` >= `most`.
            let hazard = most / (1.0 - most);
            let rate = -libm::expm1(-hazard);
            let next = bit + bits;
            while gap < (next - bit) as f64 * hazard {
                bit += ((gap / hazard) as u64).min(next - bit - 1);
                if draws.chance(self.bit_error(word.bit_middle(bit)) / rate) {
                    errors += 1;
                    if errors > corrected {
                        return true;
                    }
                }
                bit += 1;
                gap = exponential(draws, 1.0);
            }
            gap -= (next - bit) as f64 * hazard;
            bit = next;
        }
        false
    }

    /// Number of bits from `bit` on that make a block, and a bound of their error rates.
    fn block_at(&mut self, word: BitRun, bit: u64) -> (u64, f64) {
        let (first, left) = (word.bit_middle(bit), word.bits - bit);
        let step = first.floor();
        let segment = self.path.segment_from(step as i64);
        let width = (BLOCK_AMPLITUDE_CHANGE / (segment.max_slope() * self.amplitude_at_unit_gain))
            .min(step + 1.0 - first);
        let bits = if word.steps_per_bit * left as f64 <= width {
            left
        } else {
            ((width / word.steps_per_bit) as u64).clamp(1, left)
        };
        let last = first + word.steps_per_bit * (bits - 1) as f64;
        let (weakest, _) = segment.bounds(first - step, (last - step).min(1.0));
        (bits, self.errors.error_probability(weakest * self.amplitude_at_unit_gain))
    }
}
