//! Interface of every registered distribution.

use super::draws::Draws;
use crate::spec_error::SpecError;

/// A quantile function.
pub type Quantile = Box<dyn Fn(f64) -> f64 + Send>;

/// Interface of every registered distribution. Lengths are in nanoseconds.
pub trait Spec {
    /// Builds the draws of the distribution, from the first on.
    ///
    /// # Errors
    /// If the values contradict each other.
    fn build(&self) -> Result<Draws, SpecError>;

    /// Long-run mean of a valid distribution.
    fn mean(&self) -> f64;

    /// Shortest and longest length of a valid distribution.
    fn bounds(&self) -> (f64, f64);

    /// The quantile function of a distribution that can be built and whose draws are independent of each other: from a number
    /// in [0, 1) to a length.
    fn quantile(&self) -> Option<Quantile> {
        None
    }

    /// Returns whether the draws end after a last length.
    fn is_finite(&self) -> bool {
        false
    }

    /// Returns whether the lengths are random. If not, a valid distribution has the same lengths on every stream.
    fn is_random(&self) -> bool {
        true
    }
}

/// Refuses a tail index for which the mean is infinite.
pub(super) fn check_shape(shape: f64) -> Result<(), SpecError> {
    if shape > 1.0 {
        return Ok(());
    }
    Err(SpecError::new("shape", format!("{shape} gives an infinite mean; must be above 1")))
}

pub(super) fn check_above_zero(key: &str, value: f64) -> Result<(), SpecError> {
    if value > 0.0 {
        return Ok(());
    }
    Err(SpecError::new(key, format!("{value} is not above 0")))
}
