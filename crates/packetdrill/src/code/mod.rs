//! The code between `%{` and `}%`: a few statements in the manner of Python, run by a small evaluator. It
//! has no loops, no definitions of functions, no attributes and no imports, so that every program ends;
//! numbers have 128 bits.
//!
//! The original tool runs all code together after the script; here each program runs at its time, with the
//! fields of `TCP_INFO` of that time. The same scripts pass; one that fails says so at the first failure.

mod budget;
mod datum;
mod evaluate;
mod format;
mod names;
mod operators;
mod reader;
mod syntax;
mod trouble;

pub(crate) use datum::Datum;
pub(crate) use evaluate::{Interpreter, ProgramFailure};
pub(crate) use names::KnownNames;
pub(crate) use syntax::Program;
use trouble::EvaluationError;

/// The value of an arithmetic expression without names.
pub(crate) fn constant_value(text: &str) -> Result<i128, String> {
    let program =
        Program::parse(text, &mut KnownNames::default()).map_err(|(_, message)| message)?;
    let value = Interpreter::default().value(&program, |_| None);
    match value {
        Ok(Datum::Int(number)) => Ok(number),
        Ok(_) => Err("expected a whole number".into()),
        Err(EvaluationError::Invalid(what) | EvaluationError::LimitExceeded(what)) => Err(what),
    }
}
