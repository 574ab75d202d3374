//! Rayleigh fading: a complex Gaussian process with the Clarke/Jakes spectrum, whose autocorrelation is
//! `J0(2 pi f_d tau)` [Clarke 1968; Jakes 1974, section 1.2].
//!
//! White noise on a grid, random access by counter, shaped by a kernel: this is Gaussian by
//! construction, needs no state but what it has computed, and goes on for ever, so that time averages
//! converge (those of a fixed set of sinusoids stay where its frequencies and powers put them).
//! One kernel will not do: the spectrum has a pole at both of its edges, from which the correlation gets
//! its long tail, and any short kernel loses it. Hence a base and, towards each edge, bands that
//! become four times as narrow from one to the next, each on a grid as wide as its band is narrow: all kernels have
//! the same number of taps, and the cost per grid point is bounded however long the tail.
//!
//! The autocorrelation is within 1e-4 of J0 up to lags of 1000 cycles, and within 0.004 at all lags: beyond
//! 10^4 cycles, where J0 itself is below 0.004, the last band ends the correlation sooner.

use super::edge::{Edge, shaped};
use super::interpolate::{AFTER, BEFORE, PHASES, between};
use super::sliding::Sliding;
use super::spectrum::KERNELS;
use airtcp_core::Stream;
use num_complex::Complex64;

/// The process on a grid of 64 points per cycle.
#[derive(Clone, Debug)]
pub struct Clarke {
    draws: Stream,
    noise: Sliding,
    values: Sliding,
    edges: [Box<Edge>; 2],
}

/// Parts of a stream between those of the two edges.
const EDGE: u64 = 64;

impl Clarke {
    /// The process that `stream` drives.
    ///
    /// # Panics
    /// Never: there are bands.
    #[must_use]
    pub fn new(stream: &Stream) -> Self {
        let edge = |part| Edge::new(&KERNELS.bands, &stream.child(part)).expect("there are bands");
        Clarke {
            draws: stream.clone(),
            noise: Sliding::default(),
            values: Sliding::default(),
            edges: [edge(EDGE), edge(2 * EDGE)],
        }
    }

    /// The gain at grid point `n`.
    pub fn sample(&mut self, n: i64) -> Complex64 {
        let Clarke { draws, noise, values, edges: [upper, lower] } = self;
        let at = n.div_euclid(PHASES);
        let around = values.range(at - BEFORE, at + AFTER, |m| {
            // A quarter of a turn per point brings the upper edge to its place; the lower one mirrors it.
            let up = quarter_turns(upper.between(m), m);
            let down = quarter_turns(lower.between(m), m).conj();
            shaped(&KERNELS.base, noise, draws, m) + up + down
        });
        between(around, n.rem_euclid(PHASES))
    }
}

fn quarter_turns(z: Complex64, turns: i64) -> Complex64 {
    match turns.rem_euclid(4) {
        0 => z,
        1 => Complex64::new(-z.im, z.re),
        2 => -z,
        _ => Complex64::new(z.im, -z.re),
    }
}
