//! Limits on the cost of a script's code: its steps, the bytes and depth of the values that it makes, and the text
//! that it prints.

use super::datum::Datum;
use super::trouble::EvaluationError;
use crate::limits;

/// The cost of the code since the script began.
#[derive(Default)]
pub(super) struct Budget {
    steps: u64,
    bytes: usize,
    lines: usize,
    printed: usize,
}

impl Budget {
    pub(super) fn step(&mut self) -> Result<(), EvaluationError> {
        self.steps += 1;
        ensure(self.steps <= limits::STEPS_OF_CODE, || {
            format!("code takes more than {} steps", limits::STEPS_OF_CODE)
        })
    }

    /// Charges for a value that was made or copied: a copy costs as much as the original.
    pub(super) fn value(&mut self, value: &Datum) -> Result<(), EvaluationError> {
        let deep = || {
            EvaluationError::LimitExceeded(format!("a tuple of more than {} levels", limits::DEPTH))
        };
        self.bytes += value.bytes(limits::DEPTH).ok_or_else(deep)?;
        ensure(self.bytes <= limits::CODE_BYTES, || {
            format!("code makes values of more than {} bytes in all", limits::CODE_BYTES)
        })
    }

    pub(super) fn line(&mut self, line: &str) -> Result<(), EvaluationError> {
        self.lines += 1;
        self.printed += line.len();
        ensure(self.lines <= limits::PRINTED, || {
            format!("code prints more than {} lines", limits::PRINTED)
        })?;
        ensure(self.printed <= limits::PRINTED_BYTES, || {
            format!("code prints more than {} bytes in all", limits::PRINTED_BYTES)
        })
    }
}

/// The text of a value, if it is no longer than a text may be.
pub(super) fn text_of(value: &Datum) -> Result<String, EvaluationError> {
    value.text(limits::CODE_TEXT).ok_or_else(long_text)
}

pub(super) fn long_text() -> EvaluationError {
    EvaluationError::LimitExceeded(format!("a text of more than {} bytes", limits::CODE_TEXT))
}

fn ensure(it_is: bool, message: impl Fn() -> String) -> Result<(), EvaluationError> {
    if it_is { Ok(()) } else { Err(EvaluationError::LimitExceeded(message())) }
}
