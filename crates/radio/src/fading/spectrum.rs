//! The Clarke/Jakes spectrum, `S(f) = 1/(pi sqrt(1 - f^2))` for |f| < 1 in units of the maximum Doppler
//! shift [Jakes 1974, section 1.2], cut into bands, and the kernel of each.
//!
//! Let u = 1 - |f| be the distance from the edge. The base takes the part above u = 1/4, band j of an
//! edge the part between `4^-(j+2)` and `4^-j`, and the last band all that is left, as a smooth
//! spectrum of the same power. Parts overlap smoothly: their squares add up to one.

use num_complex::Complex64;
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::LazyLock;

/// Grid points per cycle of the maximum Doppler shift.
pub const POINTS_PER_CYCLE: i64 = 64;
/// Grid points per cycle of the base: twice what its band needs, so that short filters do.
pub(super) const BASE_RATE: f64 = 4.0;
/// Bands at each edge. Correlations fade out where the last one's do, beyond 10^4 cycles.
const BANDS: i32 = 8;
/// Taps of a kernel on each side: the power cut off is 1e-7 of the band's.
pub(super) const TAPS_PER_SIDE: usize = 60;
/// Begin and end of the ramp on which a band fades in, in units of its own rate.
const RAMP: [f64; 2] = [0.0625, 0.25];
/// Nodes of an integral. The integrands are smooth and end smoothly: the rule of equal steps is
/// as good as the kernels are short.
const NODES: u32 = 512;

/// Taps 0 to `TAPS_PER_SIDE` of a Hermitian kernel.
pub(super) type Taps = [Complex64; TAPS_PER_SIDE + 1];

/// The kernels of all bands.
pub(super) struct Kernels {
    pub(super) base: Taps,
    /// Bands at the upper edge, from wide to narrow, in the frame that turns with the edge.
    pub(super) bands: Vec<Taps>,
}

pub(super) static KERNELS: LazyLock<Kernels> = LazyLock::new(kernels);

fn kernels() -> Kernels {
    let mut base = base_kernel();
    let mut bands: Vec<Taps> = (1..BANDS).map(band_kernel).collect();
    bands.push(edge_kernel());
    let edge: f64 = bands.iter().map(kernel_power).sum();
    let scale = 1.0 / (kernel_power(&base) + 2.0 * edge).sqrt();
    for tap in bands.iter_mut().flatten().chain(&mut base) {
        *tap *= scale;
    }
    Kernels { base, bands }
}

fn kernel_power(taps: &Taps) -> f64 {
    2.0 * taps[1..].iter().map(Complex64::norm_sqr).sum::<f64>() + taps[0].norm_sqr()
}

fn base_kernel() -> Taps {
    let reach = 1.0 - RAMP[0];
    kernel_taps(
        -reach,
        reach,
        |f| spectrum_at(1.0 - f.abs()).sqrt() * band_amplitude(1.0 - f.abs()),
        BASE_RATE,
    )
}

/// Band `j` at the upper edge, at frequencies -u from it.
fn band_kernel(j: i32) -> Taps {
    let rate = libm::pow(4.0, f64::from(1 - j));
    let amplitude = |f: f64| {
        let u = -f / rate;
        spectrum_at(-f).sqrt() * remaining_amplitude(u) * band_amplitude(4.0 * u)
    };
    kernel_taps(-RAMP[1] * rate, -RAMP[0] / 4.0 * rate, amplitude, rate)
}

/// The power that is left at the edge, as a smooth spectrum about it.
fn edge_kernel() -> Taps {
    let mut taps = kernel_taps(-RAMP[1], RAMP[1], |f| remaining_amplitude(f.abs()), 1.0);
    let scale = (edge_power() / kernel_power(&taps)).sqrt();
    taps.iter_mut().for_each(|tap| *tap *= scale);
    taps
}

/// The power left at an edge, with `u = rate v^2` to take the pole out of the density.
fn edge_power() -> f64 {
    let rate = libm::pow(4.0, f64::from(1 - BANDS));
    let step = RAMP[1].sqrt() / f64::from(NODES);
    let part = |i| {
        let v = (f64::from(i) + 0.5) * step;
        let share = remaining_amplitude(v * v);
        share * share * spectrum_at(rate * v * v) * 2.0 * rate * v
    };
    (0..NODES).map(part).sum::<f64>() * step
}

/// The taps at `rate` of white noise's way to a spectrum of this amplitude from `low` to `high`.
fn kernel_taps(low: f64, high: f64, amplitude: impl Fn(f64) -> f64, rate: f64) -> Taps {
    let step = (high - low) / f64::from(NODES);
    let mut taps = [Complex64::ZERO; TAPS_PER_SIDE + 1];
    for i in 0..NODES {
        let f = low + (f64::from(i) + 0.5) * step;
        let turn = unit_phasor(TAU * f / rate);
        let mut wave = Complex64::from(amplitude(f) * step / rate.sqrt());
        for tap in &mut taps {
            *tap += wave;
            wave *= turn;
        }
    }
    taps
}

pub(super) fn unit_phasor(angle: f64) -> Complex64 {
    let (sin, cos) = libm::sincos(angle);
    Complex64::new(cos, sin)
}

/// The spectrum at distance `u` from an edge.
fn spectrum_at(u: f64) -> f64 {
    1.0 / (PI * (u * (2.0 - u)).sqrt())
}

/// The amplitude that begins at the lower end of the ramp.
fn band_amplitude(u: f64) -> f64 {
    libm::sin(FRAC_PI_2 * smooth_step(u))
}

/// Share that is left to the next band: `band_amplitude^2 + remaining_amplitude^2 = 1`.
fn remaining_amplitude(u: f64) -> f64 {
    libm::cos(FRAC_PI_2 * smooth_step(u))
}

/// Rises from 0 to 1 over the ramp, three times differentiable at its ends [Meyer 1985].
fn smooth_step(u: f64) -> f64 {
    let v = ((u - RAMP[0]) / (RAMP[1] - RAMP[0])).clamp(0.0, 1.0);
    let square = v * v;
    square * square * (35.0 - v * (84.0 - v * (70.0 - 20.0 * v)))
}
