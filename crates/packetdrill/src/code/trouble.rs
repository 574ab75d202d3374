//! Reasons why an expression has no value.

use super::datum::Datum;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum EvaluationError {
    /// The value cannot be computed.
    Invalid(String),
    /// The value would cost more than a script may.
    LimitExceeded(String),
}

pub(super) type Evaluated = Result<Datum, EvaluationError>;

impl From<String> for EvaluationError {
    fn from(message: String) -> Self {
        EvaluationError::Invalid(message)
    }
}

impl From<&str> for EvaluationError {
    fn from(message: &str) -> Self {
        EvaluationError::Invalid(message.into())
    }
}
