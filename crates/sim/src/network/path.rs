//! From a scenario to a network, and through it.

use super::timeline::{EventList, Nanoseconds, Timeline};
use super::{
    DataPacket, EventTable, FlowConfig, FlowCounts, Network, NetworkConfig, Nobody, Observer,
};
use airtcp_core::{Cancel, Instant, Size};
use airtcp_radio::{Ns2Hop, SpecError};
use airtcp_scenario::{Flow, PathScenario, Profile};
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
    let config = config(scenario, seed, replication)?;
    if is_of_ns2(scenario, &config) {
        count::<EventList>(config, scenario, cancel)
    } else {
        count::<Nanoseconds>(config, scenario, cancel)
    }
}

fn count<T: Timeline>(
    config: NetworkConfig,
    scenario: &PathScenario,
    cancel: &Cancel,
) -> Result<Option<Vec<FlowCounts>>, SpecError> {
    let mut network = Network::<_, T>::new(config, Nobody);
    let mut rows = Vec::new();
    let mut before: Option<Vec<FlowCounts>> = None;
    for mark in scenario.stop.marks() {
        let Some(end) = network.run_until(mark, cancel) else { return Ok(None) };
        if let Some(failure) = network.failure {
            return Err(failure);
        }
        let counted = network.outcome(end);
        // The first mark is the end of the warm-up.
        let pairs = before.iter().flatten().zip(&counted);
        rows.extend(pairs.map(|(before, counted)| counted.since(before)));
        before = Some(counted);
    }
    Ok(Some(rows))
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
    let config = config(scenario, seed, replication)?;
    let observer = EventTable::within(room);
    let watched = if is_of_ns2(scenario, &config) {
        watch::<_, EventList>(config, observer, cancel)?
    } else {
        watch::<_, Nanoseconds>(config, observer, cancel)?
    };
    Ok(watched.map(|(_, table)| table))
}

/// Runs a network on whole nanoseconds: when it ended, and `observer` with what it has seen; `None` if
/// cancelled, or if it holds more than it may.
pub fn observe<O: Observer>(
    config: NetworkConfig,
    observer: O,
    cancel: &Cancel,
) -> Option<(Instant, O)> {
    watch::<O, Nanoseconds>(config, observer, cancel).ok()?
}

fn watch<O: Observer, T: Timeline>(
    config: NetworkConfig,
    observer: O,
    cancel: &Cancel,
) -> Result<Option<(Instant, O)>, SpecError> {
    let mut network = Network::<O, T>::new(config, observer);
    let Some(end) = network.run(cancel) else { return Ok(None) };
    match network.failure.take() {
        Some(failure) => Err(failure),
        None => Ok(Some((end, network.into_observer()))),
    }
}

/// Whether ns could run it: then it runs on the time of ns.
fn is_of_ns2(scenario: &PathScenario, config: &NetworkConfig) -> bool {
    let has = Ns2Hop::<DataPacket>::has;
    scenario.profile == Profile::Ns2 && config.forward.iter().chain(&config.back).all(has)
}

pub(super) fn config(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
) -> Result<NetworkConfig, SpecError> {
    let (forward, back) = scenario.hops(seed, replication)?;
    let ends = scenario.ends(seed, replication).into_iter();
    let flows = scenario.per_flow(Flow::clone).into_iter().zip(ends);
    let flows = flows.map(|(flow, ends)| flow_config(scenario, &flow, ends)).collect();
    let end = Instant::START + scenario.stop.time.span();
    Ok(NetworkConfig { forward, back, flows, end })
}

fn flow_config(
    scenario: &PathScenario,
    flow: &Flow,
    (sender, receiver): (SenderConfig, ReceiverConfig),
) -> FlowConfig {
    let tcp = scenario.tcp_of(flow);
    FlowConfig {
        sender,
        receiver,
        start: Instant::START + flow.start.span(),
        amount: flow.size.map(Size::bytes).or(flow.packets.map(|n| n * tcp.unit())),
        milestone: flow.milestone.map(|n| n * tcp.unit()),
        framing: tcp.framing.map_or(0, Size::bits),
    }
}
