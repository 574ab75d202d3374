//! The events of one run, and what their numbers refer to.

use crate::answer::Answer;
use airtcp_core::{Cancel, Size};
use airtcp_radio::LinkHistory;
use airtcp_scenario::{InputError, PathScenario, PathTcp, Scenario};
use airtcp_sim::network::{
    BUSY, DROP, EVENT, EventTable, LENGTH, MARK, MARKED, PROBE, SACK, SLOW_STATE, SOJOURN, STAMP,
    STATE, TRAFFIC, flow_routes, trace_within, traffic_routes,
};
use serde_json::{Value, json};

/// The records of [`EventTable`], each kind as a column; columns of link n have its number after the name.
pub(crate) fn record(
    scenario: &Scenario,
    seed: u64,
    replication: u64,
    room: usize,
    links: bool,
) -> Result<Answer, InputError> {
    let Scenario::Path(path) = scenario else {
        let name = scenario.profile().entry().name;
        let message = format!("{name} has slots and no packets to trace");
        return Err(InputError { path: "profile".to_owned(), message });
    };
    let table = EventTable::with_limit(room);
    let table = if links { table.with_links() } else { table };
    let traced = trace_within(path, seed, replication, table, &Cancel::new())
        .map_err(|e| InputError { path: e.field.to_string(), message: e.message })?
        .expect("nobody cancels");
    let mut answer = Answer::new(facts(path, &traced))
        .with("events", EVENT, &traced.events)
        .with("states", STATE, &traced.states)
        .with("steady", SLOW_STATE, &traced.slow_states)
        .with("sacks", SACK, &traced.sacks)
        .with("stamps", STAMP, &traced.stamps)
        .with("probes", PROBE, &traced.probes)
        .with("marks", MARK, &traced.marks)
        .with("traffic", TRAFFIC, &traced.traffic);
    if links {
        answer = answer.with("drops", DROP, &traced.drops);
        answer = traced.links.iter().enumerate().fold(answer, with_link);
    }
    Ok(answer)
}

fn with_link(answer: Answer, (number, link): (usize, &LinkHistory)) -> Answer {
    let named = |name: &str| format!("{name}[{number}]");
    answer
        .with(&named("queue"), LENGTH, &link.queue)
        .with(&named("sojourns"), SOJOURN, &link.sojourns)
        .with(&named("busy"), BUSY, &link.busy)
        .with(&named("marked"), MARKED, &link.marked)
}

/// Names of nodes, routes of flows and cross-traffic by links, and for each flow the sequence numbers per full packet, its
/// payload and headers in bytes, the window that its receiver advertises, timestamps, SACK, and the node of its receiver.
fn facts(path: &PathScenario, table: &EventTable) -> Value {
    let nodes = path.nodes();
    let name = |node: usize| nodes.names()[node].clone();
    let hops: Vec<_> = nodes.hops().iter().map(|hop| [name(hop.from), name(hop.to)]).collect();
    json!({
        "end": table.end.map(airtcp_core::Instant::nanos),
        "hops": hops,
        "nodes": nodes.names(),
        "flows": path.per_flow(|flow| flow_routes(path, flow)),
        "sources": traffic_routes(path),
        "units": path.per_flow(|flow| path.tcp_of(flow).numbers_per_packet()),
        "payloads": path.per_flow(|flow| path.tcp_of(flow).payload_bytes()),
        "headers": path.per_flow(|flow| path.tcp_of(flow).headers().map_or(0, Size::bytes)),
        "windows": path.windows_in_numbers(),
        "stamped": path.per_flow(|flow| path.tcp_of(flow).timestamps()),
        "sacks": path.per_flow(|flow| reports_sacks(path.tcp_of(flow))),
        "receivers": path.per_flow(|flow| nodes.flow_end_nodes(flow).map_or(hops.len(), |ends| ends.to)),
        "version": env!("CARGO_PKG_VERSION"),
    })
}

/// True if both ends agree on SACK.
fn reports_sacks(tcp: &PathTcp) -> bool {
    match tcp {
        PathTcp::Linux(tcp) => tcp.sack,
        other => other.recovery().is_some_and(|recovery| recovery.variant.capabilities().sacks),
    }
}
