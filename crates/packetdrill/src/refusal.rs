//! Reason why a script is not played: one line with the place, the text there, and what is allowed.

use std::fmt;

/// Limit on the characters of a value that a refusal shows.
const MAX_SHOWN: usize = 60;
/// Limit on the names that a refusal lists.
const MAX_LISTED: usize = 16;
/// Least similarity at which a name is suggested.
const MIN_SIMILARITY: f64 = 0.7;

/// Reason why a script is not played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Name of the script.
    pub script: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Description of what is wrong and of what is allowed, in one line.
    pub message: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal { script, line, column, message } = self;
        write!(
            f,
            "{}:{line}:{column}: {}",
            without_control_characters(script),
            without_control_characters(message)
        )
    }
}

impl std::error::Error for Refusal {}

/// Replaces line breaks and control characters by blanks.
fn without_control_characters(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A value as a refusal shows it: in quotes, without control characters, not too long.
pub(crate) fn shown(text: &str) -> String {
    let short: String = text.chars().take(MAX_SHOWN).collect();
    let rest = if short.len() < text.len() { "…" } else { "" };
    format!("'{}{rest}'", without_control_characters(&short))
}

/// Suggests the nearest of `known`, or lists all of them if they are few.
pub(crate) fn suggestion(name: &str, known: &[&str]) -> String {
    let likeness = |k: &str| strsim::jaro_winkler(&name.to_lowercase(), &k.to_lowercase());
    let name_is_short = name.len() <= MAX_SHOWN;
    let mut scored: Vec<(f64, &str)> =
        known.iter().filter(|_| name_is_short).map(|k| (likeness(k), *k)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    match scored.first() {
        Some((score, nearest)) if *score >= MIN_SIMILARITY => format!("; did you mean {nearest}?"),
        _ if known.len() <= MAX_LISTED && !known.is_empty() => {
            format!("; known: {}", known.join(", "))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_one_line() {
        let refusal =
            Refusal { script: "a\nb".into(), line: 3, column: 7, message: "x\ty\nz".into() };
        assert_eq!(refusal.to_string(), "a b:3:7: x y z");
    }

    #[test]
    fn long_values_are_cut_and_near_names_are_found() {
        assert_eq!(shown(&"a".repeat(99)).chars().count(), MAX_SHOWN + 3);
        assert_eq!(suggestion("conect", &["accept", "connect"]), "; did you mean connect?");
        assert_eq!(suggestion("zzz", &["accept"]), "; known: accept");
    }
}
