//! Interface of every registered kind of rates.

use super::process::Rates;
use crate::spec_error::SpecError;
use airtcp_core::{Span, Stream};

/// Interface of every registered kind of rates.
pub trait Spec {
    /// The rates, driven by `stream`.
    ///
    /// # Errors
    /// If the values contradict each other.
    fn build(&self, stream: Stream) -> Result<Rates, SpecError>;

    /// The mean over the time that the spec covers, in bit/s; of one that can be built it is above 0.
    fn mean(&self) -> f64;

    /// The shortest time for which a rate stays.
    fn shortest(&self) -> Span;

    /// True if chance decides the rates.
    fn is_random(&self) -> bool {
        false
    }
}
