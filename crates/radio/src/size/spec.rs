//! Interface of every registered distribution of sizes.

use super::sizes::Sizes;
use crate::spec_error::SpecError;

/// Interface of every registered distribution of sizes. Sizes are in bytes.
pub trait Spec {
    /// Builds the draws of sizes, from the first on.
    ///
    /// # Errors
    /// If the values contradict each other.
    fn build(&self) -> Result<Sizes, SpecError>;

    /// The mean in the long run, of a distribution that can be built.
    fn mean(&self) -> f64;

    /// Returns whether chance decides the sizes.
    fn is_random(&self) -> bool {
        true
    }
}

/// A number above 0.
pub(super) fn check_above_zero(key: &str, value: f64) -> Result<(), SpecError> {
    if value > 0.0 {
        return Ok(());
    }
    Err(SpecError::new(key, format!("{value} is not above 0")))
}
