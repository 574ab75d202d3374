//! From a scenario to a network, and through it.

use super::{EventTable, FlowConfig, FlowCounts, Network, NetworkConfig, Nobody, Observer};
use airtcp_core::{Cancel, Instant, Size};
use airtcp_radio::SpecError;
use airtcp_scenario::{Flow, PathScenario};
use airtcp_tcp::{ReceiverConfig, SenderConfig};

/// Runs one replication: what was counted in each part of it, in the order of time, on each flow; `None`
/// if cancelled.
///
/// # Errors
/// If the values of a channel or gate contradict each other, or if the run would hold more than fits; the field is the
/// path.
pub fn run(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
    cancel: &Cancel,
) -> Result<Option<Vec<FlowCounts>>, SpecError> {
    let mut network = network(scenario, seed, replication, Nobody)?;
    let counted = count(&mut network, scenario, cancel);
    network.failure().map_or(Ok(counted), |failure| Err(failure.clone()))
}

fn count(
    network: &mut Network<Nobody>,
    scenario: &PathScenario,
    cancel: &Cancel,
) -> Option<Vec<FlowCounts>> {
    let mut rows = Vec::new();
    let mut before: Option<Vec<FlowCounts>> = None;
    for mark in scenario.stop.marks() {
        let end = network.run_until(mark, cancel)?;
        if network.failure().is_some() {
            return None;
        }
        let counted = network.outcome(end);
        // The first mark is the end of the warm-up.
        let pairs = before.iter().flatten().zip(&counted);
        rows.extend(pairs.map(|(before, counted)| counted.since(before)));
        before = Some(counted);
    }
    Some(rows)
}

/// Runs one replication and writes down everything that happens; `None` if cancelled.
///
/// # Errors
/// As [`run`].
pub fn trace(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
    cancel: &Cancel,
) -> Result<Option<EventTable>, SpecError> {
    trace_within(scenario, seed, replication, usize::MAX, cancel)
}

/// The same with room for so many bytes.
///
/// # Errors
/// As [`trace`], and if there is more to write down; the field is the path.
pub fn trace_within(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
    room: usize,
    cancel: &Cancel,
) -> Result<Option<EventTable>, SpecError> {
    let mut network = network(scenario, seed, replication, EventTable::within(room))?;
    let end = network.run(cancel);
    if let Some(failure) = network.failure() {
        return Err(failure.clone());
    }
    Ok(end.map(|_| network.into_observer()))
}

pub(super) fn network<O: Observer>(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
    observer: O,
) -> Result<Network<O>, SpecError> {
    let (forward, back) = scenario.hops(seed, replication)?;
    let ends = scenario.ends(seed, replication).into_iter();
    let flows = scenario.per_flow(Flow::clone).into_iter().zip(ends);
    let flows = flows.map(|(flow, ends)| flow_config(scenario, &flow, ends)).collect();
    let end = Instant::START + scenario.stop.time.span();
    Ok(Network::new(NetworkConfig { forward, back, flows, end }, observer))
}

fn flow_config(
    scenario: &PathScenario,
    flow: &Flow,
    (sender, receiver): (SenderConfig, ReceiverConfig),
) -> FlowConfig {
    FlowConfig {
        sender,
        receiver,
        start: Instant::START + flow.start.span(),
        amount: flow.size.map(Size::bytes).or(flow.packets.map(|n| n * scenario.unit())),
        milestone: flow.milestone.map(|n| n * scenario.unit()),
        framing: scenario.tcp.framing.map_or(0, Size::bits),
    }
}
