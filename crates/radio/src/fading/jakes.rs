//! The classical simulator: a sum of `N` oscillators and one at the maximum Doppler shift
//! [Jakes 1974, section 1.7.2: N_0, with alpha = 0 and beta_n = pi n/(N_0 + 1)], at random phases.
//!
//! It is not Rayleigh fading. With few oscillators the envelope is too seldom near zero, and the path
//! repeats itself almost: its correlation does not decay.

use super::spectrum::{POINTS_PER_CYCLE, unit_phasor};
use airtcp_core::Stream;
use num_complex::Complex64;
use std::f64::consts::{PI, SQRT_2, TAU};

/// The most oscillators.
pub const MAX_OSCILLATORS: u32 = 1024;

/// A sum of oscillators.
#[derive(Clone, Debug)]
pub struct Jakes {
    oscillators: Vec<Oscillator>,
}

#[derive(Clone, Debug)]
struct Oscillator {
    amplitude: Complex64,
    /// Frequency in units of the maximum Doppler shift.
    frequency: f64,
    /// Phase in turns.
    phase: f64,
}

impl Jakes {
    /// Makes a generator of so many oscillators (`N_0`, 1 to [`MAX_OSCILLATORS`]) below the maximum Doppler shift.
    #[must_use]
    pub fn new(oscillators: u32, mut stream: Stream) -> Self {
        let n0 = f64::from(oscillators);
        // <x_c^2> = N_0, <x_s^2> = N_0 + 1.
        let scale = 1.0 / (2.0 * n0 + 1.0).sqrt();
        let mut phase = || stream.uniform();
        let at_the_edge = Oscillator {
            amplitude: Complex64::from(SQRT_2 * scale),
            frequency: 1.0,
            phase: phase(),
        };
        let below = (1..=oscillators).map(|n| Oscillator {
            amplitude: unit_phasor(PI * f64::from(n) / (n0 + 1.0)) * (2.0 * scale),
            frequency: libm::cos(TAU * f64::from(n) / (4.0 * n0 + 2.0)),
            phase: phase(),
        });
        let below: Vec<Oscillator> = below.collect();
        Jakes { oscillators: std::iter::once(at_the_edge).chain(below).collect() }
    }

    /// The gain at grid point `n`.
    #[must_use]
    pub fn sample(&self, n: i64) -> Complex64 {
        let cycles = n as f64 / POINTS_PER_CYCLE as f64;
        let wave = |o: &Oscillator| {
            let turns = o.frequency * cycles + o.phase;
            o.amplitude * libm::cos(TAU * (turns - turns.floor()))
        };
        self.oscillators.iter().map(wave).sum()
    }
}
