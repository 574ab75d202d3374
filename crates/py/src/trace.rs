//! The event table of one run, as records of fixed layout.

use crate::interrupt::cancellable;
use crate::memory::Words;
use crate::scenarios::{contradiction, path_point};
use airtcp_core::Cancel;
use airtcp_sim::network::{EVENT, PROBE, SACK, STAMP, STATE, STEADY, trace_within};
use airtcp_tcp::Variant;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Everything that happens in one run: for "events", "states", "steady", "sacks", "stamps" and "probes" the fields of a
/// record, (name, NumPy's name of the type), and the records, which take `room` bytes at most.
#[pyfunction]
#[pyo3(signature = (json, seed, replication, room = usize::MAX))]
pub(crate) fn trace<'py>(
    py: Python<'py>,
    json: &str,
    seed: u64,
    replication: u64,
    room: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let scenario = path_point(json)?;
    let run = |cancel: &Cancel| trace_within(&scenario, seed, replication, room, cancel);
    let run = cancellable(py, run)?;
    let table = run.map_err(contradiction)?.expect("only an interrupt cancels");
    let tables = PyDict::new(py);
    tables.set_item("events", (EVENT.to_vec(), words(table.events)))?;
    tables.set_item("states", (STATE.to_vec(), words(table.states)))?;
    tables.set_item("steady", (STEADY.to_vec(), words(table.steady)))?;
    tables.set_item("sacks", (SACK.to_vec(), words(table.sacks)))?;
    tables.set_item("stamps", (STAMP.to_vec(), words(table.stamps)))?;
    tables.set_item("probes", (PROBE.to_vec(), words(table.probes)))?;
    Ok(tables)
}

/// Records as little-endian words.
fn words<const N: usize>(mut records: Vec<[u64; N]>) -> Words {
    records.as_flattened_mut().iter_mut().for_each(|word| *word = word.to_le());
    records.into()
}

/// What the table's numbers mean: sequence numbers per full packet, payload and headers in bytes,
/// timestamps, hops, flows.
#[pyfunction]
pub(crate) fn trace_facts<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyDict>> {
    let scenario = path_point(json)?;
    let facts = PyDict::new(py);
    facts.set_item("unit", scenario.unit())?;
    facts.set_item("header", scenario.header().map_or(0, |h| h.bytes()))?;
    facts.set_item("payload", scenario.payload_bytes())?;
    facts.set_item("timestamps", scenario.timestamps())?;
    facts.set_item("hops", scenario.path.hop.len())?;
    facts.set_item("flows", scenario.flows())?;
    facts.set_item("windows", scenario.windows())?;
    facts.set_item("profile", scenario.profile.entry().name)?;
    let variants = scenario.variants().into_iter().map(Variant::name).collect::<Vec<_>>();
    facts.set_item("variant", variants[0])?;
    facts.set_item("variants", variants)?;
    Ok(facts)
}
