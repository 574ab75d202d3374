//! The emulator: runs it, and replays its log.

use crate::interrupt::cancellable;
use crate::points::Point;
use crate::scenarios::{ScenarioError, contradiction};
use airtcp_core::{Cancel, Instant};
use airtcp_live::emulator::{Difference, FIELDS, Fate, Record, WORD_COUNT, replay};
use pyo3::prelude::*;

/// Names and NumPy types of the fields of a log's records.
#[pyfunction]
pub(crate) fn live_record() -> Vec<(&'static str, &'static str)> {
    FIELDS.to_vec()
}

/// Names of the fates, in the order of their codes.
#[pyfunction]
pub(crate) fn live_fates() -> Vec<&'static str> {
    Fate::NAMED.map(|(_, name)| name).to_vec()
}

/// Runs a plan in this process, which has one thread and ends with its parent: the report as JSON.
#[pyfunction]
#[cfg(target_os = "linux")]
pub(crate) fn live_run(py: Python<'_>, plan: &str) -> PyResult<String> {
    use airtcp_live::emulator::host;
    let refused = |message: String| ScenarioError::new_err(("", message));
    let plan: host::Plan = serde_json::from_str(plan).map_err(|e| refused(e.to_string()))?;
    let report = py.detach(|| host::run(&plan)).map_err(refused)?;
    Ok(serde_json::to_string(&report).expect("a report is plain data"))
}

/// Refuses to run: the emulator needs Linux.
#[pyfunction]
#[cfg(not(target_os = "linux"))]
pub(crate) fn live_run(_plan: &str) -> PyResult<String> {
    Err(ScenarioError::new_err(("", "needs Linux")))
}

type Differing = ([i64; WORD_COUNT], [i64; WORD_COUNT]);

/// Replays a log; returns the number of packets, the number of further copies, and both records of each
/// packet or copy whose fate or times differ. Ctrl-C ends it.
#[pyfunction]
pub(crate) fn live_replay(
    py: Python<'_>,
    point: &Point,
    seed: u64,
    replication: u64,
    log: &[u8],
    end: i64,
) -> PyResult<(usize, usize, Vec<Differing>)> {
    let scenario = point.path()?;
    let records = records(log);
    let end = Instant::from_nanos(end);
    let work = |cancel: &Cancel| replay(scenario, (seed, replication), &records, end, cancel);
    let replay = cancellable(py, work)?.map_err(contradiction)?;
    let words = |difference: &Difference| (difference.logged.words(), difference.replayed.words());
    Ok((replay.packets, replay.copies, replay.differences.iter().map(words).collect()))
}

fn records(log: &[u8]) -> Vec<Record> {
    let (words, _) = log.as_chunks::<8>();
    let words: Vec<i64> = words.iter().map(|word| i64::from_le_bytes(*word)).collect();
    let (records, _) = words.as_chunks::<WORD_COUNT>();
    records.iter().map(|words| Record::from_words(*words)).collect()
}
