//! Values between those of a sequence that holds nothing beyond a quarter of its rate: a sinc under a
//! Kaiser window [Oppenheim and Schafer, Discrete-Time Signal Processing, section 7.5].

use num_complex::Complex64;
use std::f64::consts::PI;
use std::sync::LazyLock;

/// Places in between at which values are known.
pub(super) const PHASES: i64 = 16;
/// Values that one in between is made of: `TAPS_BEFORE` up to its place, as many after.
const TAPS: usize = 16;
pub(super) const TAPS_BEFORE: i64 = 7;
pub(super) const TAPS_AFTER: i64 = 8;
/// Shape of the window: values in between are off by less than 6e-6 of the amplitude.
const BETA: f64 = 11.5;

static WEIGHTS: LazyLock<Vec<[f64; TAPS]>> =
    LazyLock::new(|| (0..PHASES).map(kaiser_weights).collect());

/// The value `phase / PHASES` after number `TAPS_BEFORE` of `values`, of which there are `TAPS`.
#[inline]
pub(super) fn interpolate(values: &[Complex64], phase: i64) -> Complex64 {
    if phase == 0 {
        return values[TAPS_BEFORE as usize];
    }
    let weights = &WEIGHTS[phase as usize];
    weights.iter().zip(values).map(|(w, z)| z * w).sum()
}

fn kaiser_weights(phase: i64) -> [f64; TAPS] {
    std::array::from_fn(|i| {
        let x = phase as f64 / PHASES as f64 + (TAPS_BEFORE - i as i64) as f64;
        sinc(x) * kaiser(x / TAPS_AFTER as f64)
    })
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { libm::sin(PI * x) / (PI * x) }
}

fn kaiser(x: f64) -> f64 {
    bessel_i0(BETA * (1.0 - x * x).max(0.0).sqrt()) / bessel_i0(BETA)
}

/// I0 by its series, whose terms are positive.
fn bessel_i0(x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..60 {
        term *= x * x / f64::from(4 * k * k);
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fading::spectrum::unit_phasor;

    #[test]
    fn waves_up_to_a_quarter_of_the_rate_pass() {
        for i in -50..=50 {
            let angle = 2.0 * PI * 0.25 * f64::from(i) / 50.0;
            let values: Vec<_> =
                (0..TAPS as i64).map(|k| unit_phasor(angle * (k - TAPS_BEFORE) as f64)).collect();
            for phase in 0..PHASES {
                let exact = unit_phasor(angle * phase as f64 / PHASES as f64);
                let error = (interpolate(&values, phase) - exact).norm_sqr().sqrt();
                assert!(error < 6e-6, "{i} {phase}: {error}");
            }
        }
    }
}
