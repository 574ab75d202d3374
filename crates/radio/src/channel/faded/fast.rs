//! One draw per word (a packet without a code is one word that corrects nothing), compared with bounds of the probability
//! that the word is lost. Only where the draw lies between them is that probability computed.

use super::{Faded, Stretch};
use crate::bits::any_bounds;
use airtcp_core::Stream;

/// Width of a piece of the quadrature in amplitude: what three nodes integrate to five digits.
const PIECE: f64 = 0.5;

/// Gauss-Legendre with three nodes on [0, 1].
const NODES: [(f64, f64); 3] = [
    (0.112_701_665_379_258_31, 5.0 / 18.0),
    (0.5, 8.0 / 18.0),
    (0.887_298_334_620_741_7, 5.0 / 18.0),
];

impl Faded {
    /// Whether `word` is lost.
    pub(super) fn loses_fast(&mut self, word: Stretch, draws: &mut Stream) -> bool {
        let (weakest, strongest) = self.amplitudes(word);
        let (least, most) = (self.errors.at(strongest), self.errors.at(weakest));
        if most == 0.0 {
            return false;
        }
        let (lower, upper) = match &self.code {
            None => any_bounds(word.bits as f64, least, most),
            Some((_, code)) => code.bounds(least, most),
        };
        let draw = draws.uniform();
        draw < lower || (draw < upper && draw < self.probability(word))
    }

    /// Bounds of the amplitude over the word.
    fn amplitudes(&mut self, word: Stretch) -> (f64, f64) {
        let (start, end) = (word.start, word.end());
        let (mut weakest, mut strongest) = (f64::INFINITY, 0.0_f64);
        let mut step = start.floor();
        loop {
            let (from, to) = ((start - step).max(0.0), (end - step).min(1.0));
            let (least, most) = self.path.segment(step as i64).bounds(from, to);
            (weakest, strongest) = (weakest.min(least), strongest.max(most));
            step += 1.0;
            if step >= end {
                return (weakest * self.scale, strongest * self.scale);
            }
        }
    }

    /// The probability that the word is lost, given the fading.
    #[cold]
    fn probability(&mut self, word: Stretch) -> f64 {
        let Faded { code, path, errors, scale, .. } = self;
        match code {
            None => -libm::expm1(-self.hazard(word)),
            Some((_, code)) => code.lost(|bit| {
                let gain = path.gain(word.middle(u64::from(bit)));
                errors.at(*scale * gain.norm_sqr().sqrt())
            }),
        }
    }

    /// `-ln P(no bit in error)`: the integral over the word of that of one bit, by pieces that are
    /// short on the scale on which errors set in.
    fn hazard(&mut self, word: Stretch) -> f64 {
        let (mut start, end, mut sum) = (word.start, word.end(), 0.0);
        if start == end {
            return word.bits as f64 * self.bit_hazard(start);
        }
        while start < end {
            let step = start.floor();
            let slope = self.path.segment(step as i64).slope() * self.scale;
            let width = (PIECE / slope).min(end - start).min(step + 1.0 - start);
            let piece = NODES.iter().map(|(x, w)| w * self.bit_hazard(start + x * width));
            sum += piece.sum::<f64>() * width;
            start = if start + width > start { start + width } else { end };
        }
        sum / word.pace
    }

    fn bit_hazard(&mut self, place: f64) -> f64 {
        -libm::log1p(-self.bit_error(place))
    }
}
