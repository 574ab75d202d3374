//! Interface of every registered law.

use super::draws::Draws;
use crate::spec_error::SpecError;

/// Interface of every registered law. Lengths are in nanoseconds.
pub trait Spec {
    /// Builds the draws of the law, from the first on.
    ///
    /// # Errors
    /// If the values contradict each other.
    fn build(&self) -> Result<Draws, SpecError>;

    /// The mean in the long run, of a law that can be built.
    fn mean(&self) -> f64;

    /// The shortest and the longest length, of a law that can be built.
    fn bounds(&self) -> (f64, f64);

    /// Returns whether there is a last length.
    fn ends(&self) -> bool {
        false
    }

    /// Returns whether chance decides the lengths. A law that can be built and says no has the same lengths on
    /// every stream.
    fn is_random(&self) -> bool {
        true
    }
}

/// A shape for which there is a mean.
pub(super) fn check_shape(shape: f64) -> Result<(), SpecError> {
    if shape > 1.0 {
        return Ok(());
    }
    Err(SpecError::new("shape", format!("{shape} gives an infinite mean: above 1")))
}
