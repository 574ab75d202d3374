//! The spectrum at one edge, in the frame that turns with it: a band, and the narrower ones
//! interpolated from a grid four times as wide.

use super::interpolate::{PHASES, TAPS_AFTER, TAPS_BEFORE, interpolate};
use super::noise::gaussian;
use super::sliding::SlidingValues;
use super::spectrum::{TAPS_PER_SIDE, Taps};
use airtcp_core::Stream;
use num_complex::Complex64;

/// Points of a band's grid per point of the next narrower one's.
const DECIMATION: i64 = 4;

/// A band and what is narrower.
#[derive(Clone, Debug)]
pub(super) struct EdgeBands {
    kernel: &'static Taps,
    draws: Stream,
    noise: SlidingValues,
    values: SlidingValues,
    narrower: Option<Box<EdgeBands>>,
}

impl EdgeBands {
    /// The bands with these kernels, from wide to narrow; none if there are none.
    pub(super) fn new(kernels: &'static [Taps], stream: &Stream) -> Option<Box<Self>> {
        let (kernel, rest) = kernels.split_first()?;
        Some(Box::new(EdgeBands {
            kernel,
            draws: stream.child(1),
            noise: SlidingValues::default(),
            values: SlidingValues::default(),
            narrower: EdgeBands::new(rest, &stream.child(1)),
        }))
    }

    /// The value at point `n` of a grid four times as fine as this one.
    #[inline]
    pub(super) fn value_between(&mut self, n: i64) -> Complex64 {
        let EdgeBands { kernel, draws, noise, values, narrower } = self;
        let at = n.div_euclid(DECIMATION);
        let around = values.values_between(at - TAPS_BEFORE, at + TAPS_AFTER, |m| {
            let rest = narrower.as_mut().map_or(Complex64::ZERO, |edge| edge.value_between(m));
            shaped_noise(kernel, noise, draws, m) + rest
        });
        interpolate(around, n.rem_euclid(DECIMATION) * (PHASES / DECIMATION))
    }
}

/// Point `n` of white noise shaped by a Hermitian kernel.
pub(super) fn shaped_noise(
    kernel: &Taps,
    noise: &mut SlidingValues,
    draws: &Stream,
    n: i64,
) -> Complex64 {
    let reach = TAPS_PER_SIDE as i64;
    let around = noise.values_between(n - reach, n + reach, |k| gaussian(draws, k));
    let (before, from) = around.split_at(TAPS_PER_SIDE);
    let (mut even, mut odd) = (from[0] * kernel[0].re, Complex64::ZERO);
    for ((tap, after), before) in kernel[1..].iter().zip(&from[1..]).zip(before.iter().rev()) {
        even += (before + after) * tap.re;
        odd += (before - after) * tap.im;
    }
    even + Complex64::I * odd
}
