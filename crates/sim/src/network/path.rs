//! From a scenario to a network, and through it.

use super::links::{Links, OneWay, Shared};
use super::timeline::{EventList, Nanoseconds, Timeline};
use super::{
    Bursts, Carried, EventTable, FlowConfig, FlowCounts, LinkConfig, Network, NetworkConfig,
    Nobody, Observer, TrafficConfig, is_one_way,
};
use airtcp_core::{Cancel, Instant, Size, Span, Stream};
use airtcp_radio::law::Spec as _;
use airtcp_radio::{Ns2Hop, SpecError};
use airtcp_scenario::{Ends, Flow, Nodes, PathScenario, Profile, Traffic};
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
    match (is_of_ns2(scenario, &config), is_one_way(&config)) {
        (true, true) => count::<EventList, OneWay<_>>(config, scenario, cancel),
        (true, false) => count::<EventList, Shared<_>>(config, scenario, cancel),
        (false, true) => count::<Nanoseconds, OneWay<_>>(config, scenario, cancel),
        (false, false) => count::<Nanoseconds, Shared<_>>(config, scenario, cancel),
    }
}

fn count<T: Timeline, L: Links<T>>(
    config: NetworkConfig,
    scenario: &PathScenario,
    cancel: &Cancel,
) -> Result<Option<Vec<FlowCounts>>, SpecError> {
    let mut network = Network::<_, T, L>::new(config, Nobody);
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
    trace_within(scenario, seed, replication, EventTable::default(), cancel)
}

/// The same into an empty `table`, which says how much room there is and whether links keep a history.
///
/// # Errors
/// As [`trace`], and if there is more to write down; the field is the path.
pub fn trace_within(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
    table: EventTable,
    cancel: &Cancel,
) -> Result<Option<EventTable>, SpecError> {
    let config = config(scenario, seed, replication)?;
    // What is written down costs more than a common type of packets.
    let watched = if is_of_ns2(scenario, &config) {
        watch::<_, EventList, Shared<_>>(config, table, cancel)?
    } else {
        watch::<_, Nanoseconds, Shared<_>>(config, table, cancel)?
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
    watch::<O, Nanoseconds, Shared<_>>(config, observer, cancel).ok()?
}

fn watch<O: Observer, T: Timeline, L: Links<T>>(
    config: NetworkConfig,
    observer: O,
    cancel: &Cancel,
) -> Result<Option<(Instant, O)>, SpecError> {
    let mut network = Network::<O, T, L>::new(config, observer);
    let wants_links = network.observer.wants_links();
    if wants_links {
        network.links.record_histories(true);
    }
    let Some(end) = network.run(cancel) else { return Ok(None) };
    if let Some(failure) = network.failure.take() {
        return Err(failure);
    }
    if wants_links {
        let histories = network.links.take_histories(end);
        network.observer.take_links(end, histories);
    }
    Ok(Some((end, network.into_observer())))
}

/// Whether ns could run it: then it runs on the time of ns.
fn is_of_ns2(scenario: &PathScenario, config: &NetworkConfig) -> bool {
    let has = Ns2Hop::<Carried>::has;
    let direct = config.traffic.is_empty()
        && config.flows.iter().all(|flow| flow.access_delay == Span::ZERO);
    scenario.profile == Profile::Ns2 && direct && config.links.iter().all(|link| has(&link.hop))
}

pub(super) fn config(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
) -> Result<NetworkConfig, SpecError> {
    let ends = scenario.ends(seed, replication).into_iter();
    let flows = scenario.per_flow(Flow::clone).into_iter().zip(ends);
    let flows = flows.map(|(flow, ends)| flow_config(scenario, &flow, ends)).collect();
    let end = Instant::START + scenario.stop.time.span();
    let links = links(scenario, seed, replication)?;
    Ok(NetworkConfig { links, flows, traffic: traffic(scenario, seed, replication)?, end })
}

/// The links of a scenario: all hops from their near ends, then all from their far ends, the last hop first.
///
/// # Errors
/// If the values of a channel or gate contradict each other; the field is the path.
pub fn links(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
) -> Result<Vec<LinkConfig>, SpecError> {
    let (forward, back) = scenario.hops(seed, replication)?;
    let nodes = scenario.nodes();
    let ahead = forward.into_iter().zip(nodes.hops());
    let ahead = ahead.map(|(hop, ends)| LinkConfig { hop, from: ends.from, to: ends.to });
    let home = back.into_iter().zip(nodes.hops().iter().rev());
    let home = home.map(|(hop, ends)| LinkConfig { hop, from: ends.to, to: ends.from });
    Ok(ahead.chain(home).collect())
}

/// The links from one node to another.
fn way(nodes: &Nodes, ends: Option<Ends>) -> Vec<usize> {
    let last = 2 * nodes.hops().len() - 1;
    let link = |(hop, is_back): (usize, bool)| if is_back { last - hop } else { hop };
    nodes.way(ends.expect("validated nodes")).into_iter().map(link).collect()
}

/// The links that the data of `flow` crosses, and those of its ACKs: the same hops the other way round.
#[must_use]
pub fn ways(scenario: &PathScenario, flow: &Flow) -> (Vec<usize>, Vec<usize>) {
    let nodes = scenario.nodes();
    let last = 2 * nodes.hops().len() - 1;
    let data = way(&nodes, nodes.of(flow));
    let acks = data.iter().rev().map(|link| last - link).collect();
    (data, acks)
}

/// The links that the packets of each source of cross-traffic cross.
#[must_use]
pub fn traffic_ways(scenario: &PathScenario) -> Vec<Vec<usize>> {
    let nodes = scenario.nodes();
    let of = |one: &Traffic| way(&nodes, nodes.between(one.sender.as_ref(), one.receiver.as_ref()));
    let each = scenario.traffic.iter().flat_map(|one| (0..one.count).map(move |_| one));
    each.map(of).collect()
}

fn traffic(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
) -> Result<Vec<TrafficConfig>, SpecError> {
    let nodes = scenario.nodes();
    let each = scenario.traffic.iter().flat_map(|one| (0..one.count).map(move |_| one));
    let configs = each.enumerate().map(|(number, one)| {
        let stream = Stream::new(seed, &format!("traffic{number}"), replication);
        let bursts = match (&one.on, &one.off) {
            (Some(on), Some(off)) => Some(Bursts { on: on.build()?, off: off.build()?, stream }),
            _ => None,
        };
        let end = one.end.map_or(Instant::NEVER, |end| Instant::START + end.span());
        Ok(TrafficConfig {
            bits: one.packet.bits(),
            interval: one.interval(),
            active: (Instant::START + one.start.span(), end),
            bursts,
            way: way(&nodes, nodes.between(one.sender.as_ref(), one.receiver.as_ref())),
        })
    });
    configs.collect()
}

fn flow_config(
    scenario: &PathScenario,
    flow: &Flow,
    (sender, receiver): (SenderConfig, ReceiverConfig),
) -> FlowConfig {
    let tcp = scenario.tcp_of(flow);
    let (data, acks) = ways(scenario, flow);
    FlowConfig {
        sender,
        receiver,
        data,
        acks,
        start: Instant::START + flow.start.span(),
        amount: flow.size.map(Size::bytes).or(flow.packets.map(|n| n * tcp.unit())),
        milestone: flow.milestone.map(|n| n * tcp.unit()),
        framing: tcp.framing.map_or(0, Size::bits),
        access_delay: flow.access_delay.span(),
    }
}
