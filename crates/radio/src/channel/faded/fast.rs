//! One draw per word (a packet without a code is one word that corrects nothing), compared with bounds of the probability
//! that the word is lost. Only where the draw lies between them is that probability computed.

use super::gain::{BitRun, FadedChannel};
use crate::bits::bounds_of_any_error;
use crate::fading::POINTS_PER_CYCLE;
use airtcp_core::Stream;

/// Width of a piece of the quadrature in amplitude: what three nodes integrate to five digits.
const PIECE_WIDTH: f64 = 0.5;

/// Fewer bits in a piece are added up one by one.
const MAX_BITS_SUMMED: f64 = 16.0;

/// The most that a gain of amplitude 1 moves per grid step, about: it turns once in 64.
const MAX_GAIN_STEP: f64 = std::f64::consts::TAU / POINTS_PER_CYCLE as f64;

/// Gauss-Legendre with three nodes on [0, 1].
const NODES: [(f64, f64); 3] = [
    (0.112_701_665_379_258_31, 5.0 / 18.0),
    (0.5, 8.0 / 18.0),
    (0.887_298_334_620_741_7, 5.0 / 18.0),
];

impl FadedChannel {
    /// Returns whether `word` is lost.
    pub(super) fn loses_fast(&mut self, word: BitRun, draws: &mut Stream) -> bool {
        let (weakest, strongest) = self.amplitude_bounds(word);
        let (least, most) =
            (self.errors.error_probability(strongest), self.errors.error_probability(weakest));
        if most == 0.0 {
            return false;
        }
        let (lower, upper) = match &self.code {
            None => bounds_of_any_error(word.bits as f64, least, most),
            Some((_, code)) => code.loss_probability_bounds(least, most),
        };
        let draw = draws.uniform();
        draw < lower || (draw < upper && draw < self.loss_probability(word))
    }

    /// Bounds of the amplitude over the word.
    fn amplitude_bounds(&mut self, word: BitRun) -> (f64, f64) {
        let (start, end) = (word.start, word.end());
        let (mut weakest, mut strongest) = (f64::INFINITY, 0.0_f64);
        let mut step = start.floor();
        loop {
            let (from, to) = ((start - step).max(0.0), (end - step).min(1.0));
            let (least, most) = self.path.segment_from(step as i64).bounds(from, to);
            (weakest, strongest) = (weakest.min(least), strongest.max(most));
            step += 1.0;
            if step >= end || self.watch.is_cancelled() {
                return (
                    weakest * self.amplitude_at_unit_gain,
                    strongest * self.amplitude_at_unit_gain,
                );
            }
        }
    }

    /// The probability that the word is lost, given the fading.
    #[cold]
    fn loss_probability(&mut self, word: BitRun) -> f64 {
        let FadedChannel { code, path, errors, amplitude_at_unit_gain: scale, .. } = self;
        match code {
            None => -libm::expm1(-self.word_hazard(word)),
            Some((_, code)) => code.loss_probability(|bit| {
                let gain = path.gain(word.bit_middle(u64::from(bit)));
                errors.error_probability(*scale * gain.norm_sqr().sqrt())
            }),
        }
    }

    /// `-ln P(no bit in error)`: the integral over the word of that of one bit, by pieces that are
    /// short on the scale on which errors set in.
    fn word_hazard(&mut self, word: BitRun) -> f64 {
        let (mut start, end, mut sum) = (word.start, word.end(), 0.0);
        if start == end {
            return word.bits as f64 * self.bit_hazard(start);
        }
        if MAX_BITS_SUMMED * word.steps_per_bit * MAX_GAIN_STEP * self.amplitude_at_unit_gain
            > PIECE_WIDTH
        {
            let mut bits = 0..word.bits;
            return std::iter::from_fn(|| {
                let bit = bits.next().filter(|_| !self.watch.is_cancelled())?;
                Some(self.bit_hazard(word.bit_middle(bit)))
            })
            .sum();
        }
        while start < end && !self.watch.is_cancelled() {
            let step = start.floor();
            let slope =
                self.path.segment_from(step as i64).max_slope() * self.amplitude_at_unit_gain;
            let width = (PIECE_WIDTH / slope).min(end - start).min(step + 1.0 - start);
            let piece = NODES.iter().map(|(x, w)| w * self.bit_hazard(start + x * width));
            sum += piece.sum::<f64>() * width;
            start = if start + width > start { start + width } else { end };
        }
        sum / word.steps_per_bit
    }

    fn bit_hazard(&mut self, place: f64) -> f64 {
        -libm::log1p(-self.bit_error(place))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Mode;
    use super::*;
    use crate::bits::{Code, ErrorTable, Modulation};
    use crate::fading::{Clarke, GainPath, Generator};
    use airtcp_core::Frequency;

    fn faded(doppler: &str, snr: f64, code: Option<&str>, seed: u64) -> FadedChannel {
        let stream = Stream::new(seed, "test", 0);
        let doppler = Frequency::try_from(doppler.to_owned()).unwrap();
        let path = GainPath::new(Generator::Clarke(Box::new(Clarke::new(&stream))), doppler, 0.0);
        let code = code.map(|name| Code::try_from(name.to_owned()).unwrap());
        FadedChannel::new(path, snr, ErrorTable::new(Modulation::Bpsk), code, Mode::Fast, &stream)
    }

    /// Bit by bit against the quadrature; and both within the bounds.
    #[test]
    fn the_probability_of_a_packet_is_that_of_its_bits() {
        for (doppler, snr) in [("1Hz", 10.0), ("100Hz", 100.0), ("100Hz", 1e4), ("5kHz", 100.0)] {
            let mut faded = faded(doppler, snr, None, 7);
            let mut undecided = 0;
            for packet in 0..4000 {
                let start = faded.path.grid_place(packet * 10_000_000);
                let pace = faded.path.grid_place(667);
                let word = BitRun { start, steps_per_bit: pace, bits: 256 };
                let exact: f64 = (0..256).map(|bit| faded.bit_hazard(word.bit_middle(bit))).sum();
                let exact = -libm::expm1(-exact);
                let found = faded.loss_probability(word);
                assert!((found - exact).abs() < 2e-5, "{doppler} {packet}: {found} {exact}");
                let (weakest, strongest) = faded.amplitude_bounds(word);
                let (least, most) = (
                    faded.errors.error_probability(strongest),
                    faded.errors.error_probability(weakest),
                );
                let (lower, upper) = bounds_of_any_error(256.0, least, most);
                assert!(lower <= exact + 1e-12 && exact <= upper + 1e-12, "{doppler} {packet}");
                undecided += u32::from(lower < 0.9 * upper);
            }
            assert!(undecided > 0, "{doppler}: no packet puts the bounds to the test");
        }
    }

    #[test]
    fn bounds_of_words_hold() {
        let mut faded = faded("100Hz", 10.0, Some("bch(255,87)"), 8);
        let mut open = 0;
        for packet in 0..1000 {
            let start = faded.path.grid_place(packet * 10_000_000);
            let word = BitRun { start, steps_per_bit: faded.path.grid_place(667), bits: 255 };
            let exact = faded.loss_probability(word);
            let (weakest, strongest) = faded.amplitude_bounds(word);
            let (least, most) = (
                faded.errors.error_probability(strongest),
                faded.errors.error_probability(weakest),
            );
            let (lower, upper) =
                faded.code.as_ref().unwrap().1.loss_probability_bounds(least, most);
            assert!(lower <= exact + 1e-12 && exact <= upper + 1e-12, "{packet}");
            open += u32::from(0.01 < exact && exact < 0.99);
        }
        assert!(open > 50, "{open}");
    }
}
