//! Replay of a capture.

use crate::interrupt::cancellable;
use crate::scenarios::ScenarioError;
use airtcp_replay::{Asked, explain};
use pyo3::prelude::*;
use serde_json::json;

/// Replays the busiest sender of a capture: what was found as JSON. Ctrl-C ends it.
#[pyfunction]
#[pyo3(signature = (capture, *, control, nodelay, sndbuf, sysctl, changes, differences))]
#[allow(clippy::too_many_arguments)] // Each is a word of the Python side.
pub(crate) fn replay_capture(
    py: Python<'_>,
    capture: &[u8],
    control: Option<String>,
    nodelay: Option<bool>,
    sndbuf: Option<u64>,
    sysctl: Vec<(String, String)>,
    changes: Vec<String>,
    differences: usize,
) -> PyResult<String> {
    let asked = Asked { control, nodelay, sndbuf, sysctl, changes, differences };
    let found = cancellable(py, |cancel| explain(capture, &asked, cancel))?;
    let found = found.map_err(|why| ScenarioError::new_err(("", why.to_string())))?;
    let mut said = found.verdict.json();
    said["sender"] = json!(found.way.source.to_string());
    said["receiver"] = json!(found.way.destination.to_string());
    said["control"] = json!(found.control);
    said["described"] = json!(found.described);
    said["text"] =
        json!(found.verdict.differences.iter().map(|one| one.text()).collect::<Vec<_>>());
    Ok(said.to_string())
}
