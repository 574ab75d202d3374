//! Refusals of the values of a channel or a gate.

use airtcp_core::Duration;

/// A value that a channel or a gate cannot have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// The key within the table; of a part within it, dotted.
    pub field: String,
    /// The fault, and the values that are allowed.
    pub message: String,
}

impl SpecError {
    /// A fault of the value of `field`.
    #[must_use]
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        SpecError { field: field.into(), message: message.into() }
    }

    /// Moves the fault into a table that lies at `place` within another.
    #[must_use]
    pub fn within(mut self, place: &str) -> Self {
        self.field = format!("{place}.{}", self.field);
        self
    }

    pub(crate) fn refuse_zero(field: &str, time: Duration) -> Result<(), SpecError> {
        if time == Duration::ZERO {
            return Err(SpecError::new(field, "0s is too short; must be above 0s"));
        }
        Ok(())
    }
}
