//! Lengths of time in motion.

use airtcp_core::{Span, Stream};

/// Lengths one after the other.
pub struct Draws(Box<Draw>);

type Draw = dyn FnMut(&mut Stream) -> Option<f64> + Send;

impl Draws {
    pub(super) fn new(draw: impl FnMut(&mut Stream) -> Option<f64> + Send + 'static) -> Self {
        Draws(Box::new(draw))
    }

    /// Independent draws: `quantile` of a uniform number in [0, 1).
    pub(super) fn from_quantile(quantile: impl Fn(f64) -> f64 + Send + 'static) -> Self {
        Draws::new(move |stream| Some(quantile(stream.uniform())))
    }

    /// The next length, at least a nanosecond; `None` after the last.
    pub fn next(&mut self, stream: &mut Stream) -> Option<Span> {
        self.next_nanos(stream).map(|length| Span::from_nanos((length.round() as i64).max(1)))
    }

    /// The next length, which may be none at all; `None` after the last.
    pub(crate) fn next_or_zero(&mut self, stream: &mut Stream) -> Option<Span> {
        self.next_nanos(stream).map(|length| Span::from_nanos(length.round() as i64))
    }

    pub(super) fn next_nanos(&mut self, stream: &mut Stream) -> Option<f64> {
        (self.0)(stream)
    }
}

impl std::fmt::Debug for Draws {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Draws").finish_non_exhaustive()
    }
}

pub(super) fn nanos(duration: airtcp_core::Duration) -> f64 {
    duration.span().nanos() as f64
}
