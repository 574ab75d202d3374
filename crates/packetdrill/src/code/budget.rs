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
    pub(super) fn charge_step(&mut self) -> Result<(), EvaluationError> {
        self.steps += 1;
        ensure(self.steps <= limits::MAX_CODE_STEPS, || {
            format!("code takes more than {} steps", limits::MAX_CODE_STEPS)
        })
    }

    /// Charges for a value that was made or copied: a copy costs as much as the original.
    pub(super) fn charge_value(&mut self, value: &Datum) -> Result<(), EvaluationError> {
        let deep = || {
            EvaluationError::LimitExceeded(format!(
                "a tuple of more than {} levels",
                limits::MAX_DEPTH
            ))
        };
        self.bytes += value.bytes(limits::MAX_DEPTH).ok_or_else(deep)?;
        ensure(self.bytes <= limits::MAX_CODE_BYTES, || {
            format!("code makes values of more than {} bytes in all", limits::MAX_CODE_BYTES)
        })
    }

    pub(super) fn charge_line(&mut self, line: &str) -> Result<(), EvaluationError> {
        self.lines += 1;
        self.printed += line.len();
        ensure(self.lines <= limits::MAX_PRINTED_LINES, || {
            format!("code prints more than {} lines", limits::MAX_PRINTED_LINES)
        })?;
        ensure(self.printed <= limits::MAX_PRINTED_BYTES, || {
            format!("code prints more than {} bytes in all", limits::MAX_PRINTED_BYTES)
        })
    }
}

/// The text of a value, if it is no longer than a text may be.
pub(super) fn text_of_value(value: &Datum) -> Result<String, EvaluationError> {
    value.text(limits::MAX_CODE_TEXT_BYTES).ok_or_else(long_text_error)
}

pub(super) fn long_text_error() -> EvaluationError {
    EvaluationError::LimitExceeded(format!(
        "a text of more than {} bytes",
        limits::MAX_CODE_TEXT_BYTES
    ))
}

fn ensure(it_is: bool, message: impl Fn() -> String) -> Result<(), EvaluationError> {
    if it_is { Ok(()) } else { Err(EvaluationError::LimitExceeded(message())) }
}
