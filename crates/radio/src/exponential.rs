//! Exponential lengths, by inversion.

use airtcp_core::Stream;

/// A draw of an exponential variable with this mean; at least 0.
pub(crate) fn exponential(stream: &mut Stream, mean: f64) -> f64 {
    -mean * libm::log1p(-stream.uniform())
}
