//! Replay of a capture.

use crate::interrupt::reported;
use crate::scenarios::ScenarioError;
use airtcp_replay::{Explanation, Progress, UserFacts, explain_with_progress};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// Number of checks for a signal per report of the replay's progress.
const EVERY: u32 = 50;

/// Replays a sender of a capture; returns the findings as JSON. Ctrl-C ends it. `report` is called with the furthest
/// segment that was replayed, the number of segments, and the number of trials.
#[pyfunction]
#[pyo3(signature = (capture, *, control, nodelay, sndbuf, sysctl, changes, differences, connection, report))]
#[allow(clippy::too_many_arguments, clippy::needless_pass_by_value)] // Each is a word of the Python side, as it hands it over.
pub(crate) fn replay_capture(
    py: Python<'_>,
    capture: &[u8],
    control: Option<String>,
    nodelay: Option<bool>,
    sndbuf: Option<u64>,
    sysctl: Vec<(String, String)>,
    changes: Vec<String>,
    differences: usize,
    connection: Option<usize>,
    report: Option<Py<PyAny>>,
) -> PyResult<String> {
    let facts = UserFacts { control, nodelay, sndbuf, sysctl, changes, differences, connection };
    let progress = Progress::default();
    let mut looks = 0;
    let result = reported(
        py,
        |cancel| explain_with_progress(capture, &facts, cancel, &progress),
        |py| {
            looks += 1;
            match &report {
                Some(report) if looks % EVERY == 0 => {
                    report.call1(py, progress.counts()).map(|_| ())
                }
                _ => Ok(()),
            }
        },
    )?;
    let explained = result.map_err(|why| ScenarioError::new_err(("", why.to_string())))?;
    Ok(as_json(&explained).to_string())
}

fn as_json(explained: &Explanation) -> Value {
    let mut as_json = explained.verdict.json();
    as_json["connection"] = json!(explained.connection);
    as_json["sender"] = json!(explained.endpoints.source.to_string());
    as_json["receiver"] = json!(explained.endpoints.destination.to_string());
    as_json["control"] = json!(explained.control);
    as_json["tried"] = explained.tried_controls.iter().map(tried).collect();
    as_json["described"] = json!(explained.has_host_facts);
    as_json["text"] = json!(
        explained
            .verdict
            .differences
            .iter()
            .map(|difference| difference.text())
            .collect::<Vec<_>>()
    );
    as_json
}

fn tried(control: &airtcp_replay::TriedControl) -> Value {
    json!({
        "control": control.control, "first": control.before_first_difference, "explained": control.explained,
        "differences": control.differences,
    })
}
