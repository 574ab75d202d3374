//! The event table of one run, as records of fixed layout.

use crate::interrupt::cancellable;
use crate::memory::Words;
use crate::scenarios::{contradiction, path_point};
use airtcp_core::{Cancel, Size};
use airtcp_scenario::PathTcp;
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

/// What the table's numbers mean: hops, flows, and of each flow the sequence numbers per full packet, payload and
/// headers in bytes, timestamps, window, variant, growth. Those with a name in the singular are of the first flow.
#[pyfunction]
pub(crate) fn trace_facts<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyDict>> {
    let scenario = path_point(json)?;
    let facts = PyDict::new(py);
    let (tcp, header) =
        (scenario.first_tcp(), |tcp: &PathTcp| tcp.headers().map_or(0, Size::bytes));
    facts.set_item("unit", tcp.unit())?;
    facts.set_item("header", header(tcp))?;
    facts.set_item("payload", tcp.payload_bytes())?;
    facts.set_item(
        "timestamps",
        scenario.flow.iter().any(|flow| scenario.tcp_of(flow).timestamps()),
    )?;
    facts.set_item("hops", scenario.path.hop.len())?;
    facts.set_item("flows", scenario.flows())?;
    if scenario.flow.iter().any(|flow| flow.sender.is_some() || flow.receiver.is_some()) {
        let mut routes = scenario.routes();
        let ends = scenario.per_flow(|flow| routes.nodes().of(flow));
        let receivers: Vec<_> = ends.iter().flatten().map(|ends| ends.to).collect();
        facts.set_item("receivers", receivers)?;
        let mut next = |ends| {
            let (hop, is_back) = routes.way(ends)[0];
            let ends = routes.nodes().hops()[hop];
            if is_back { ends.from } else { ends.to }
        };
        facts.set_item(
            "neighbours",
            ends.iter().flatten().map(|ends| next(*ends)).collect::<Vec<_>>(),
        )?;
    }
    facts.set_item("windows", scenario.windows())?;
    facts.set_item("profile", scenario.profile.entry().name)?;
    let variants = scenario.variants().into_iter().map(Variant::name).collect::<Vec<_>>();
    facts.set_item("variant", variants[0])?;
    facts.set_item("variants", variants)?;
    if scenario.flow.iter().any(|flow| flow.tcp.is_some()) {
        let facts_of =
            |fact: &dyn Fn(&PathTcp) -> u64| scenario.per_flow(|flow| fact(scenario.tcp_of(flow)));
        facts.set_item("units", facts_of(&PathTcp::unit))?;
        facts.set_item("headers", facts_of(&header))?;
        facts.set_item("payloads", facts_of(&PathTcp::payload_bytes))?;
        facts.set_item("thresholds", facts_of(&|tcp| tcp.dupacks.into()))?;
        facts.set_item("stamped", facts_of(&|tcp| tcp.timestamps().into()))?;
    }
    Ok(facts)
}
