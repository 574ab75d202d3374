//! Probability that a word of so many bits has more errors than can be corrected, and bounds
//! of it that cost next to nothing.

use super::bch::Code;

/// A word of `bits` bits that is lost if more than `corrected` of them are in error.
#[derive(Clone, Debug)]
pub struct Word {
    bits: u32,
    corrected: u32,
    /// For words that correct errors: P(lost) where every bit is in error with probability i/CELLS.
    loss_bounds: Vec<f64>,
}

/// Cells of the table of bounds, over probabilities 0 to 1/2.
const CELLS: usize = 2048;

impl Word {
    /// A word of `code`.
    #[must_use]
    pub fn for_code(code: Code) -> Self {
        let (bits, corrected) = (code.word_bits(), code.correctable_errors());
        let rate = |i: usize| 0.5 * i as f64 / CELLS as f64;
        let lost = |i| binomial_probability_of_more_errors(bits, rate(i), corrected);
        Word { bits, corrected, loss_bounds: (0..=CELLS).map(lost).collect() }
    }

    /// Bits of the word.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Errors that are corrected.
    #[must_use]
    pub fn corrected(&self) -> u32 {
        self.corrected
    }

    /// Bounds of P(lost) if every bit is in error with a probability between `least` and `most`.
    #[inline]
    #[must_use]
    pub fn loss_probability_bounds(&self, least: f64, most: f64) -> (f64, f64) {
        let cell = |p: f64| p * (2.0 * CELLS as f64);
        let (below, above) = (cell(least) as usize, cell(most) as usize + 1);
        (self.loss_bounds[below.min(CELLS)], self.loss_bounds[above.min(CELLS)])
    }

    /// P(lost) where bit `b` is in error with probability `rate(b)`.
    #[must_use]
    pub fn loss_probability(&self, rate: impl FnMut(u32) -> f64) -> f64 {
        probability_of_more_errors((0..self.bits).map(rate), self.corrected)
    }
}

/// The probability of more than `corrected` errors in bits that are in error with these
/// probabilities, independently: the distribution of their number, bit by bit.
fn probability_of_more_errors(rates: impl Iterator<Item = f64>, corrected: u32) -> f64 {
    let mut distribution = vec![0.0; corrected as usize + 1];
    distribution[0] = 1.0;
    let mut beyond = 0.0;
    for p in rates {
        beyond += distribution[corrected as usize] * p;
        for errors in (1..distribution.len()).rev() {
            distribution[errors] += (distribution[errors - 1] - distribution[errors]) * p;
        }
        distribution[0] -= distribution[0] * p;
    }
    beyond
}

/// Probability of more than `corrected` errors where each bit is in error with probability `rate`, by the distribution's terms downwards.
fn binomial_probability_of_more_errors(bits: u32, rate: f64, corrected: u32) -> f64 {
    if rate == 0.0 {
        return 0.0;
    }
    let (n, t) = (f64::from(bits), f64::from(corrected));
    let choices = libm::lgamma(n + 1.0) - libm::lgamma(t + 1.0) - libm::lgamma(n - t + 1.0);
    let mut term = libm::exp(choices + t * libm::log(rate) + (n - t) * libm::log1p(-rate));
    let mut within = term;
    for errors in (1..=corrected).rev() {
        let errors = f64::from(errors);
        term *= errors / (n - errors + 1.0) * (1.0 - rate) / rate;
        within += term;
    }
    (1.0 - within).clamp(0.0, 1.0)
}

/// Bounds of the probability that any of `bits` bits is in error, each with a probability between
/// `least` and `most`: `x/(1+x) <= 1 - exp(-x)`, and bits add up to no more than their sum.
#[inline]
pub(crate) fn bounds_of_any_error(bits: f64, least: f64, most: f64) -> (f64, f64) {
    let expected = bits * least;
    (expected / (1.0 + expected), (bits * most).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word() -> Word {
        Word::for_code(Code::try_from("bch(15,7)".to_owned()).unwrap())
    }

    #[test]
    fn errors_are_binomial_where_all_bits_have_one_rate() {
        // P(Bin(15, 0.1) > 2), by hand.
        let q: f64 = 0.9;
        let terms = [(1.0, 0), (15.0, 1), (105.0, 2)];
        let at_most: f64 = terms
            .map(|(c, k)| c * libm::pow(0.1, f64::from(k)) * libm::pow(q, f64::from(15 - k)))
            .iter()
            .sum();
        assert!((word().loss_probability(|_| 0.1) - (1.0 - at_most)).abs() < 1e-14);
    }

    #[test]
    fn bounds_hold() {
        let word = word();
        let exact = word.loss_probability(|b| 0.1 + 0.001 * f64::from(b));
        let (lower, upper) = word.loss_probability_bounds(0.1, 0.114);
        assert!(lower < exact && exact < upper && upper - lower < 0.1);
        assert!(
            (word.loss_probability_bounds(0.5, 0.5).1 - word.loss_probability(|_| 0.5)).abs()
                < 1e-13
        );
        let (lower, upper) = bounds_of_any_error(100.0, 0.01, 0.01);
        assert!(lower < 0.634 && 0.634 < upper);
    }
}
