//! Sizes in motion.

use airtcp_core::Stream;

/// The longest transfer, in bytes: a terabyte.
const MAX_BYTES: f64 = 1e12;

/// Sizes one after the other.
pub struct Sizes(Box<Draw>);

type Draw = dyn FnMut(&mut Stream) -> Option<f64> + Send;

impl Sizes {
    pub(super) fn new(draw: impl FnMut(&mut Stream) -> Option<f64> + Send + 'static) -> Self {
        Sizes(Box::new(draw))
    }

    /// Independent draws: `quantile` of a uniform number in [0, 1).
    pub(super) fn by_quantile(quantile: impl Fn(f64) -> f64 + Send + 'static) -> Self {
        Sizes::new(move |stream| Some(quantile(stream.uniform())))
    }

    /// The next size in whole bytes, from 1 to a terabyte; `None` after the last.
    pub fn next(&mut self, stream: &mut Stream) -> Option<u64> {
        (self.0)(stream).map(|size| size.round().clamp(1.0, MAX_BYTES) as u64)
    }
}

impl std::fmt::Debug for Sizes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sizes").finish_non_exhaustive()
    }
}
