//! Replay of a capture.

use crate::interrupt::reported;
use crate::scenarios::ScenarioError;
use airtcp_replay::{Explained, Progress, UserFacts, explain_with_progress};
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
    let asked = UserFacts { control, nodelay, sndbuf, sysctl, changes, differences, connection };
    let progress = Progress::default();
    let mut looks = 0;
    let found = reported(
        py,
        |cancel| explain_with_progress(capture, &asked, cancel, &progress),
        |py| {
            looks += 1;
            match &report {
                Some(report) if looks % EVERY == 0 => report.call1(py, progress.read()).map(|_| ()),
                _ => Ok(()),
            }
        },
    )?;
    let found = found.map_err(|why| ScenarioError::new_err(("", why.to_string())))?;
    Ok(as_json(&found).to_string())
}

fn as_json(found: &Explained) -> Value {
    let mut as_json = found.verdict.json();
    as_json["connection"] = json!(found.connection);
    as_json["sender"] = json!(found.endpoints.source.to_string());
    as_json["receiver"] = json!(found.endpoints.destination.to_string());
    as_json["control"] = json!(found.control);
    as_json["tried"] = found.tried.iter().map(tried).collect();
    as_json["described"] = json!(found.described);
    as_json["text"] =
        json!(found.verdict.differences.iter().map(|one| one.text()).collect::<Vec<_>>());
    as_json
}

fn tried(one: &airtcp_replay::TriedControl) -> Value {
    json!({
        "control": one.control, "first": one.before_first_difference, "explained": one.explained,
        "differences": one.differences,
    })
}
