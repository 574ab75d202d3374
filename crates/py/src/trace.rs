//! The event table of one run, as records of fixed layout.

use crate::interrupt::cancellable;
use crate::memory::Words;
use crate::points::Point;
use crate::scenarios::contradiction;
use airtcp_core::{Cancel, Size};
use airtcp_radio::LinkHistory;
use airtcp_scenario::{PathTcp, Profile};
use airtcp_sim::network::{
    BUSY, DROP, EVENT, EventTable, LENGTH, MARK, MARKED, PROBE, RecordLayout, SACK, SLOW_STATE,
    SOJOURN, STAMP, STATE, TRAFFIC, flow_routes, trace_within, traffic_routes,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// All events of one run: for "events", "states", "steady", "sacks", "stamps", "probes", "marks" and "traffic" the
/// fields of a record, (name, NumPy's name of the type), and the records. With `links` the same for "drops", and for
/// "queue", "sojourns", "busy" and "marked" with a list of records per link; "end" is the end of the run (ns). All
/// records together take at most `room` bytes.
#[pyfunction]
#[pyo3(signature = (point, seed, replication, room = usize::MAX, links = false))]
pub(crate) fn trace<'py>(
    py: Python<'py>,
    point: &Point,
    seed: u64,
    replication: u64,
    room: usize,
    links: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let scenario = point.path()?;
    let empty = || {
        let table = EventTable::with_limit(room);
        if links { table.with_links() } else { table }
    };
    let run = |cancel: &Cancel| trace_within(scenario, seed, replication, empty(), cancel);
    let run = cancellable(py, run)?;
    let table = run.map_err(contradiction)?.expect("only an interrupt cancels");
    let tables = PyDict::new(py);
    tables.set_item("events", (EVENT.to_vec(), words(table.events)))?;
    tables.set_item("states", (STATE.to_vec(), words(table.states)))?;
    tables.set_item("steady", (SLOW_STATE.to_vec(), words(table.slow_states)))?;
    tables.set_item("sacks", (SACK.to_vec(), words(table.sacks)))?;
    tables.set_item("stamps", (STAMP.to_vec(), words(table.stamps)))?;
    tables.set_item("probes", (PROBE.to_vec(), words(table.probes)))?;
    tables.set_item("marks", (MARK.to_vec(), words(table.marks)))?;
    tables.set_item("traffic", (TRAFFIC.to_vec(), words(table.traffic)))?;
    if let Some(end) = table.end {
        tables.set_item("drops", (DROP.to_vec(), words(table.drops)))?;
        tables.set_item("end", end.nanos())?;
        add_links(&tables, table.links)?;
    }
    Ok(tables)
}

/// The histories of all links.
fn add_links(tables: &Bound<'_, PyDict>, links: Vec<LinkHistory>) -> PyResult<()> {
    let py = tables.py();
    let [queue, sojourns, busy, marked] = std::array::from_fn(|_| PyList::empty(py));
    for link in links {
        queue.append(words(link.queue).into_pyobject(py)?)?;
        sojourns.append(words(link.sojourns).into_pyobject(py)?)?;
        busy.append(words(link.busy).into_pyobject(py)?)?;
        marked.append(words(link.marked).into_pyobject(py)?)?;
    }
    let each: [(&str, RecordLayout, _); 4] = [
        ("queue", LENGTH, queue),
        ("sojourns", SOJOURN, sojourns),
        ("busy", BUSY, busy),
        ("marked", MARKED, marked),
    ];
    each.into_iter()
        .try_for_each(|(name, layout, of_links)| tables.set_item(name, (layout.to_vec(), of_links)))
}

/// The routes of packets: "hops", the names of the nodes at both ends of each; "nodes", the names of all nodes;
/// "flows", for each the links that its data and its ACKs cross; "traffic", the links of each source. Links are
/// numbered hop by hop from the near ends, then from the far ends, the last hop first.
#[pyfunction]
pub(crate) fn trace_ways<'py>(py: Python<'py>, point: &Point) -> PyResult<Bound<'py, PyDict>> {
    let scenario = point.path()?;
    let nodes = scenario.nodes();
    let name = |node: usize| nodes.names()[node].clone();
    let hops: Vec<_> = nodes.hops().iter().map(|hop| (name(hop.from), name(hop.to))).collect();
    let found = PyDict::new(py);
    found.set_item("hops", hops)?;
    found.set_item("nodes", nodes.names())?;
    found.set_item("flows", scenario.per_flow(|flow| flow_routes(scenario, flow)))?;
    found.set_item("traffic", traffic_routes(scenario))?;
    Ok(found)
}

/// Records as little-endian words.
fn words<const N: usize>(mut records: Vec<[u64; N]>) -> Words {
    records.as_flattened_mut().iter_mut().for_each(|word| *word = word.to_le());
    records.into()
}

/// The constants that the table's numbers refer to: hops, flows, and for each flow the sequence numbers per full
/// packet, payload and headers in bytes, timestamps, window, variant, congestion control. A constant with a name in the singular is
/// of the first flow.
#[pyfunction]
pub(crate) fn trace_facts<'py>(py: Python<'py>, point: &Point) -> PyResult<Bound<'py, PyDict>> {
    let scenario = point.path()?;
    let constants = PyDict::new(py);
    let (tcp, header) =
        (scenario.first_tcp(), |tcp: &PathTcp| tcp.headers().map_or(0, Size::bytes));
    constants.set_item("unit", tcp.numbers_per_packet())?;
    constants.set_item("header", header(tcp))?;
    constants.set_item("payload", tcp.payload_bytes())?;
    constants.set_item(
        "timestamps",
        scenario.flow.iter().any(|flow| scenario.tcp_of(flow).timestamps()),
    )?;
    constants.set_item("hops", scenario.path.hop.len())?;
    constants.set_item("flows", scenario.flow_count())?;
    let has_ends =
        scenario.flow.iter().any(|flow| flow.sender.is_some() || flow.receiver.is_some());
    if has_ends || !scenario.is_chain() {
        let mut routes = scenario.routes();
        let ends = scenario.per_flow(|flow| routes.nodes().flow_end_nodes(flow));
        let receivers: Vec<_> = ends.iter().flatten().map(|ends| ends.to).collect();
        constants.set_item("receivers", receivers)?;
        let mut next = |ends| {
            let (hop, is_back) = routes.route(ends)[0];
            let ends = routes.nodes().hops()[hop];
            if is_back { ends.from } else { ends.to }
        };
        constants.set_item(
            "neighbours",
            ends.iter().flatten().map(|ends| next(*ends)).collect::<Vec<_>>(),
        )?;
    }
    constants.set_item("windows", scenario.windows_in_numbers())?;
    constants.set_item("profile", scenario.profile.entry().name)?;
    let variants = scenario.transport_names();
    constants.set_item("variant", variants[0])?;
    if scenario.profile == Profile::Linux {
        let sacks = scenario
            .per_flow(|flow| matches!(scenario.tcp_of(flow), PathTcp::Linux(tcp) if tcp.sack));
        constants.set_item("sacks", sacks)?;
    }
    constants.set_item("variants", variants)?;
    if scenario.flow.iter().any(|flow| flow.tcp.is_some()) {
        let of_each_flow = |value: &dyn Fn(&PathTcp) -> u64| {
            scenario.per_flow(|flow| value(scenario.tcp_of(flow)))
        };
        constants.set_item("units", of_each_flow(&PathTcp::numbers_per_packet))?;
        constants.set_item("headers", of_each_flow(&header))?;
        constants.set_item("payloads", of_each_flow(&PathTcp::payload_bytes))?;
        constants.set_item(
            "thresholds",
            of_each_flow(&|tcp| tcp.recovery().map_or(3, |recovery| recovery.dupacks).into()),
        )?;
        constants.set_item("stamped", of_each_flow(&|tcp| tcp.timestamps().into()))?;
    }
    Ok(constants)
}
