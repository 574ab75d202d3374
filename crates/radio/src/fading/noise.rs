//! White noise with random access.

use airtcp_core::Stream;
use num_complex::Complex64;
use std::f64::consts::TAU;

/// Number `n` of a sequence of independent complex Gaussian variables of mean power 1
/// [Box and Muller 1958].
pub(super) fn gaussian(stream: &Stream, n: i64) -> Complex64 {
    let mut draws = stream.at_index(n);
    let power = -libm::log1p(-draws.uniform());
    let (sin, cos) = libm::sincos(TAU * draws.uniform());
    Complex64::new(cos, sin) * power.sqrt()
}
