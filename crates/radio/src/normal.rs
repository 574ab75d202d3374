//! Standard normal numbers.

use airtcp_core::Stream;
use std::f64::consts::TAU;

/// A standard normal number, of two uniform ones [Box and Muller 1958].
pub(crate) fn normal(stream: &mut Stream) -> f64 {
    let (radius, angle) = (stream.uniform(), stream.uniform());
    (-2.0 * libm::log1p(-radius)).sqrt() * libm::cos(TAU * angle)
}
