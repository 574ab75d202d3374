//! A gain at any instant: cubics between the points of the grid.

use super::generator::Generator;
use super::spectrum::POINTS_PER_CYCLE;
use crate::spec_error::SpecError;
use airtcp_core::Frequency;
use num_complex::Complex64;

/// The most cycles of the Doppler shift in a path: there, with 2^42 steps of the grid, a double knows the
/// place to a thousandth of a step, in which the gain moves by 1e-4 of its mean amplitude.
const MAX_CYCLES: f64 = (1_i64 << 36) as f64;

/// Checks that a path at this maximum Doppler shift can be followed for so many seconds.
///
/// # Errors
/// If it has too many cycles.
pub fn check_cycles(doppler: Frequency, seconds: f64) -> Result<(), SpecError> {
    let most = MAX_CYCLES / seconds;
    if doppler.hertz() <= most {
        return Ok(());
    }
    let message = format!(
        "{doppler} for {seconds} s is more than 2^36 cycles of fading; must be at most {most:.4}Hz for that long"
    );
    Err(SpecError::new("doppler", message))
}

/// The gain of one link over time.
#[derive(Clone, Debug)]
pub struct GainPath {
    generator: Generator,
    /// Amplitudes of what is scattered and of what comes directly.
    scattered: f64,
    direct: f64,
    /// Grid steps per nanosecond.
    steps_per_nanosecond: f64,
    index: i64,
    points: [Complex64; 4],
    segment: Segment,
}

/// The gain over one step of the grid: a cubic.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    coefficients: [Complex64; 4],
    /// The most that the gain moves within, per step.
    slope: f64,
}

impl GainPath {
    /// A path that `generator` makes, at the maximum Doppler shift `doppler`. With a Rician factor above 0
    /// a constant component (a direct path from across the direction of motion) has `rician_k`
    /// times the power of what is scattered; their sum keeps the mean power 1.
    #[must_use]
    pub fn new(mut generator: Generator, doppler: Frequency, rician_k: f64) -> Self {
        let scattered = (1.0 / (1.0 + rician_k)).sqrt();
        let direct = (rician_k / (1.0 + rician_k)).sqrt();
        let points = [-1, 0, 1, 2].map(|n| generator.sample(n) * scattered + direct);
        GainPath {
            generator,
            scattered,
            direct,
            steps_per_nanosecond: doppler.hertz() * 1e-9 * POINTS_PER_CYCLE as f64,
            index: 0,
            points,
            segment: Segment::through_points(&points),
        }
    }

    /// Place of an instant on the grid, in steps.
    #[inline]
    #[must_use]
    pub fn grid_place(&self, nanos: i64) -> f64 {
        nanos as f64 * self.steps_per_nanosecond
    }

    /// The gain at a time, in seconds from the start.
    pub fn gain_at(&mut self, seconds: f64) -> Complex64 {
        self.gain(seconds * 1e9 * self.steps_per_nanosecond)
    }

    /// The gain at a place on the grid.
    pub fn gain(&mut self, place: f64) -> Complex64 {
        let step = place.floor();
        self.segment_from(step as i64).gain_at_share(place - step)
    }

    /// The gain from grid point `n` to the next.
    #[inline]
    pub fn segment_from(&mut self, n: i64) -> &Segment {
        if n != self.index {
            self.advance_to(n);
        }
        &self.segment
    }

    fn advance_to(&mut self, n: i64) {
        let (known, before) = (n - self.index, self.points);
        self.points = std::array::from_fn(|i| match usize::try_from(i as i64 + known) {
            Ok(from) if from < 4 => before[from],
            _ => self.generator.sample(n + i as i64 - 1) * self.scattered + self.direct,
        });
        self.index = n;
        self.segment = Segment::through_points(&self.points);
    }
}

impl Segment {
    /// The cubic through points at -1, 0, 1 and 2, by Lagrange.
    fn through_points(&[a, b, c, d]: &[Complex64; 4]) -> Self {
        let coefficients =
            [b, c - a / 3.0 - b / 2.0 - d / 6.0, (a + c) / 2.0 - b, (b - c) / 2.0 + (d - a) / 6.0];
        let [_, first, second, third] = coefficients.map(|z| z.norm_sqr().sqrt());
        Segment { coefficients, slope: first + 2.0 * second + 3.0 * third }
    }

    /// The gain a share `s` of the way, 0 to 1.
    #[inline]
    #[must_use]
    pub fn gain_at_share(&self, s: f64) -> Complex64 {
        let [c0, c1, c2, c3] = self.coefficients;
        ((c3 * s + c2) * s + c1) * s + c0
    }

    /// The least and the greatest amplitude between shares `from` and `to`, by a bound that is the
    /// tighter the closer they are.
    #[inline]
    #[must_use]
    pub fn bounds(&self, from: f64, to: f64) -> (f64, f64) {
        let middle = self.gain_at_share(f64::midpoint(from, to)).norm_sqr().sqrt();
        let reach = self.slope * (to - from) / 2.0;
        ((middle - reach).max(0.0), middle + reach)
    }

    /// The most that the gain moves per step.
    #[inline]
    #[must_use]
    pub fn max_slope(&self) -> f64 {
        self.slope
    }
}
