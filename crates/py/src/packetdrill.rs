//! Scripts of packetdrill on the TCP of Linux.

use crate::interrupt::cancellable;
use airtcp_core::Cancel;
use airtcp_packetdrill::{Definitions, Report, Script, Verdict, play_on_linux};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// Plays scripts, each a name and a text, on machines of their own; returns a verdict for each, as JSON. Ctrl-C
/// ends it.
#[pyfunction]
pub(crate) fn packetdrill(py: Python<'_>, scripts: Vec<(String, String)>) -> PyResult<String> {
    let definitions = Definitions::of_linux_selftests();
    let work = |cancel: &Cancel| {
        let played = scripts.into_iter().map_while(|(name, text)| {
            let known = match Script::parse(&name, &text, &definitions) {
                Ok(script) => play_on_linux(&script, cancel)?,
                Err(refusal) => Report { verdict: Verdict::Refused(refusal), printed: vec![] },
            };
            Some(report_dict(&name, &known))
        });
        Value::Array(played.collect())
    };
    Ok(cancellable(py, work)?.to_string())
}

fn report_dict(name: &str, report: &Report) -> Value {
    let printed = &report.printed;
    match &report.verdict {
        Verdict::Passes => json!({"script": name, "verdict": "passes", "printed": printed}),
        Verdict::Fails(failure) => json!({
            "script": name, "verdict": "fails", "line": failure.line,
            "expected": failure.expected, "came": failure.actual, "printed": printed,
        }),
        Verdict::Refused(refusal) => json!({
            "script": name, "verdict": "refused", "line": refusal.line, "column": refusal.column,
            "reason": refusal.message, "printed": printed,
        }),
    }
}
