//! Errors of input, each in one line.

use airtcp_radio::SpecError;
use std::fmt;

/// A refusal of a scenario: the key that is wrong, and the values that are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    /// Dotted path of the key.
    pub path: String,
    /// The value, what is allowed, the nearest valid name.
    pub message: String,
}

impl InputError {
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        InputError { path: path.into(), message: message.into() }
    }

    /// The error of a part that lies at `place`, such as a channel or a gate.
    pub(crate) fn within(error: SpecError, place: &str) -> Self {
        InputError::new(format!("{place}.{}", error.field), error.message)
    }

    /// The key that the error refuses in the table at its path, if it refuses one.
    pub(crate) fn unknown_key(&self) -> Option<&str> {
        self.message.strip_prefix("unknown key \"")?.split('"').next()
    }

    /// Adds to the message the name of the case in which the error came up, in a document that has cases.
    pub(crate) fn in_case(mut self, case: Option<&str>) -> Self {
        if let Some(name) = case {
            self.message = format!("{} (in the case {name:?})", self.message);
        }
        self
    }

    /// The error of a name that is not among `known`.
    pub(crate) fn unknown(path: &str, what: &str, name: &str, known: &[&str]) -> Self {
        let hint = hint(name, known);
        InputError::new(
            path,
            format!("unknown {what} {name:?}{hint} (allowed: {})", known.join(", ")),
        )
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}: {}", self.path, self.message)
    }
}

impl std::error::Error for InputError {}

/// Suggests the known name nearest to `name`, as the end of a message; empty if none is near.
pub(crate) fn hint(name: &str, known: &[&str]) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!("; did you mean {near:?}?"))
}

pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    // Jaro-Winkler likes a common beginning, Damerau-Levenshtein sees two letters swapped.
    let score = |k: &&str| {
        let (name, k) = (name.to_lowercase(), k.to_lowercase());
        strsim::jaro_winkler(&name, &k).max(strsim::normalized_damerau_levenshtein(&name, &k) + 0.1)
    };
    let best = known.iter().max_by(|a, b| score(a).total_cmp(&score(b)))?;
    (score(best) > 0.7).then_some(*best)
}
