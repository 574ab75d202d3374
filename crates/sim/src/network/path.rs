//! Building of a network from a scenario, and runs through it.

use super::classic::ClassicEnds;
use super::compact_form::{CompactForm, FullForm, fits_compact_form};
use super::ends::Ends;
use super::links::{ChainLinks, Links, ManyHops, NetworkLinks, SingleHop};
use super::linux::LinuxEnds;
use super::timeline::{NanosecondTime, NsTime, Timeline};
use super::traffic_tally::{CountsSoFar, PartCounts, TrafficTally};
use super::{
    Carried, EventTable, FlowConfig, FlowCounts, LinkConfig, Network, NetworkConfig, NullObserver,
    Observer, RowConfig, TrafficConfig, is_one_way,
};
use airtcp_core::{Cancel, Instant, Rate, Size, Span};
use airtcp_radio::{HopConfig, Ns2Hop, SpecError};
use airtcp_scenario::{
    Arrival, CrossTraffic, Flow, LinuxPair, PathScenario, PathTcp, Profile, Routes, Transfers,
};
use airtcp_tcp::{ReceiverConfig, SenderConfig};

/// True where the code is kept small, because a page of the browser waits for all of it: there fewer kinds of networks
/// have a type of their own. Results are the same.
const IS_SMALL: bool = cfg!(target_family = "wasm");

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
    if scenario.profile == Profile::Linux {
        let config = linux_config(scenario, seed, replication)?;
        return count_by_topology::<NanosecondTime, LinuxEnds>(config, scenario, cancel);
    }
    let config = classic_config(scenario, seed, replication)?;
    if !is_supported_by_ns(scenario, &config) {
        count_in_compact_form::<NanosecondTime>(config, scenario, cancel)
    } else if IS_SMALL {
        count_by_topology::<NsTime, ClassicEnds<FullForm>>(config, scenario, cancel)
    } else {
        count_in_compact_form::<NsTime>(config, scenario, cancel)
    }
}

/// Runs with packets in the smallest form that fits their fields.
fn count_in_compact_form<T: Timeline>(
    config: NetworkConfig,
    scenario: &PathScenario,
    cancel: &Cancel,
) -> Result<Option<Vec<FlowCounts>>, SpecError> {
    if config.flows.iter().all(|flow| fits_compact_form(&flow.ends, flow.framing)) {
        count_by_topology::<T, ClassicEnds<CompactForm>>(config, scenario, cancel)
    } else {
        count_by_topology::<T, ClassicEnds<FullForm>>(config, scenario, cancel)
    }
}

/// Runs over the links that are the fastest for such a network.
fn count_by_topology<T: Timeline, E: Ends>(
    config: NetworkConfig<E::Config>,
    scenario: &PathScenario,
    cancel: &Cancel,
) -> Result<Option<Vec<FlowCounts>>, SpecError> {
    match (is_one_way(&config), config.links.len()) {
        (true, 2) => count_parts::<T, E, ChainLinks<_, _, SingleHop>>(config, scenario, cancel),
        (true, _) if !IS_SMALL => {
            count_parts::<T, E, ChainLinks<_, _, ManyHops>>(config, scenario, cancel)
        }
        _ => count_parts::<T, E, NetworkLinks<_, _>>(config, scenario, cancel),
    }
}

fn count_parts<T: Timeline, E: Ends, L: Links<T, E>>(
    config: NetworkConfig<E::Config>,
    scenario: &PathScenario,
    cancel: &Cancel,
) -> Result<Option<Vec<FlowCounts>>, SpecError> {
    let mut network = Network::<_, T, E, L>::new(config, NullObserver);
    let mut rows = Vec::new();
    let done = run_parts(&mut network, scenario, cancel, Network::outcome, |before, counted| {
        rows.extend(counted.iter().zip(before).map(|(counted, before)| counted.since(before)));
    });
    Ok(done?.map(|()| rows))
}

/// Runs a network part by part: `read` returns the counts up to the end of a part, `add` receives the counts of two
/// consecutive ends; `None` if cancelled. The first mark is the end of the warm-up.
fn run_parts<O: Observer, T: Timeline, E: Ends, L: Links<T, E>, R>(
    network: &mut Network<O, T, E, L>,
    scenario: &PathScenario,
    cancel: &Cancel,
    read: impl Fn(&mut Network<O, T, E, L>, Instant) -> R,
    mut add: impl FnMut(&R, &R),
) -> Result<Option<()>, SpecError> {
    let mut before: Option<R> = None;
    for mark in scenario.stop.part_ends() {
        let Some(end) = network.run_until(mark, cancel) else { return Ok(None) };
        if let Some(failure) = network.failure.take() {
            return Err(failure);
        }
        let now = read(network, end);
        match &before {
            Some(before) => add(before, &now),
            None => network.forget_delays(),
        }
        before = Some(now);
    }
    Ok(Some(()))
}

/// Runs one replication with the counts of each link and cross-traffic source in each part; `None` if cancelled. The
/// flows' counts are as from [`run`].
///
/// # Errors
/// As [`run`].
pub fn run_with_links(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
    cancel: &Cancel,
) -> Result<Option<PartCounts>, SpecError> {
    if scenario.profile == Profile::Linux {
        let config = linux_config(scenario, seed, replication)?;
        return count_links_by_topology::<NanosecondTime, LinuxEnds>(config, scenario, cancel);
    }
    let config = classic_config(scenario, seed, replication)?;
    if is_supported_by_ns(scenario, &config) {
        count_links_by_topology::<NsTime<true>, ClassicEnds<FullForm>>(config, scenario, cancel)
    } else {
        count_links_by_topology::<NanosecondTime, ClassicEnds<FullForm>>(config, scenario, cancel)
    }
}

fn count_links_by_topology<T: Timeline, E: Ends>(
    config: NetworkConfig<E::Config>,
    scenario: &PathScenario,
    cancel: &Cancel,
) -> Result<Option<PartCounts>, SpecError> {
    if !IS_SMALL && is_one_way(&config) {
        count_with_links::<T, E, ChainLinks<_, _>>(config, scenario, cancel)
    } else {
        count_with_links::<T, E, NetworkLinks<_, _>>(config, scenario, cancel)
    }
}

fn count_with_links<T: Timeline, E: Ends, L: Links<T, E>>(
    config: NetworkConfig<E::Config>,
    scenario: &PathScenario,
    cancel: &Cancel,
) -> Result<Option<PartCounts>, SpecError> {
    let observer = TrafficTally::new(config.traffic.len());
    let mut network = Network::<_, T, E, L>::new(config, observer);
    network.links.record_counts();
    let mut parts = PartCounts::default();
    let read = |network: &mut Network<TrafficTally, T, E, L>, end: Instant| {
        let mut links = network.links.counts(end);
        // Counts of accesses come last.
        links.truncate(2 * network.hops);
        let mut traffic = network.observer.read(end);
        for (source, counts) in traffic.iter_mut().enumerate() {
            let losses = network.links.losses_by_owner(network.flows.len() + source);
            (counts.lost, counts.copies) = (losses.packets, losses.copies);
        }
        CountsSoFar { flows: network.outcome(end), links, traffic }
    };
    let done =
        run_parts(&mut network, scenario, cancel, read, |before, now| parts.add(before, now));
    Ok(done?.map(|()| parts))
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

/// Traces into an empty `table`, which says how much room there is and whether links keep a history.
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
    let watched = run_observed(scenario, seed, replication, table, cancel)?;
    Ok(watched.map(|(_, table)| table))
}

/// Runs one replication with `observer`; returns the end of the run and the observer, `None` if cancelled.
///
/// # Errors
/// As [`run`].
pub fn run_observed<O: Observer>(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
    observer: O,
    cancel: &Cancel,
) -> Result<Option<(Instant, O)>, SpecError> {
    if scenario.profile == Profile::Linux {
        let config = linux_config(scenario, seed, replication)?;
        return observe_network::<_, NanosecondTime, LinuxEnds, NetworkLinks<_, _>>(
            config, observer, cancel,
        );
    }
    let config = classic_config(scenario, seed, replication)?;
    // Recording costs more than a common type of packets; but links count only for observers that ask for them.
    let uses_counting_type = IS_SMALL || observer.wants_link_histories();
    match (is_supported_by_ns(scenario, &config), uses_counting_type) {
        (true, true) => {
            observe_network::<_, NsTime<true>, ClassicEnds<FullForm>, NetworkLinks<_, _>>(
                config, observer, cancel,
            )
        }
        (true, false) => observe_network::<_, NsTime, ClassicEnds<FullForm>, NetworkLinks<_, _>>(
            config, observer, cancel,
        ),
        (false, _) => {
            observe_network::<_, NanosecondTime, ClassicEnds<FullForm>, NetworkLinks<_, _>>(
                config, observer, cancel,
            )
        }
    }
}

/// Runs a network on whole nanoseconds; returns the end of the run and the observer, `None` if cancelled or out of
/// memory.
pub fn observe_by_timeline<O: Observer>(
    config: NetworkConfig,
    observer: O,
    cancel: &Cancel,
) -> Option<(Instant, O)> {
    observe_network::<O, NanosecondTime, ClassicEnds<FullForm>, NetworkLinks<_, _>>(
        config, observer, cancel,
    )
    .ok()?
}

fn observe_network<O: Observer, T: Timeline, E: Ends, L: Links<T, E>>(
    config: NetworkConfig<E::Config>,
    observer: O,
    cancel: &Cancel,
) -> Result<Option<(Instant, O)>, SpecError> {
    let mut network = Network::<O, T, E, L>::new(config, observer);
    let wants_links = network.observer.wants_link_histories();
    if wants_links {
        network.links.record_histories(true);
    }
    let Some(end) = network.run(cancel) else { return Ok(None) };
    if let Some(failure) = network.failure.take() {
        return Err(failure);
    }
    if wants_links {
        let mut histories = network.links.take_histories(end);
        histories.truncate(2 * network.hops);
        network.observer.accept_link_histories(end, histories);
    }
    Ok(Some((end, network.into_observer())))
}

/// Returns whether ns could run it: then it runs on the time of ns.
fn is_supported_by_ns(scenario: &PathScenario, config: &NetworkConfig) -> bool {
    let has = Ns2Hop::<Carried>::is_supported;
    scenario.profile == Profile::Ns2
        && config.traffic.is_empty()
        && config.flows.iter().all(|flow| flow.requests.is_none())
        && config.links.iter().all(|link| has(&link.hop))
}

/// The network of a scenario of any profile but `linux`.
///
/// # Errors
/// As [`run`].
pub fn classic_config(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
) -> Result<NetworkConfig, SpecError> {
    let ends = scenario.ends(seed, replication);
    let config = build_config(ends, scenario, seed, replication)?;
    Ok(if is_supported_by_ns(scenario, &config) { with_access_links(config) } else { config })
}

/// The network of a scenario of profile `linux`.
fn linux_config(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
) -> Result<NetworkConfig<LinuxPair>, SpecError> {
    build_config(scenario.linux_ends(seed, replication), scenario, seed, replication)
}

/// The network between the ends of flows.
fn build_config<C: CloneForConnection>(
    ends: Vec<C>,
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
) -> Result<NetworkConfig<C>, SpecError> {
    let mut routes = scenario.routes();
    let each = scenario.flow.iter().flat_map(|flow| (0..flow.count).map(move |_| flow));
    let all = each.zip(ends).zip(scenario.transfers(seed, replication)?);
    let (mut flows, mut rows, mut is_open) = (Vec::new(), Vec::new(), false);
    for ((flow, ends), transfers) in all {
        let flow_routes = routes_in(&mut routes, flow);
        is_open |= matches!(transfers, Transfers::Arrivals(_));
        let first = flows.len();
        add_connections(scenario, flow, flow_routes, ends, transfers, rows.len(), &mut flows);
        rows.push(RowConfig {
            connections: first..flows.len(),
            start: Instant::START + flow.start.span(),
            has_transfers: flow.has_transfers(),
            is_one_part: scenario.stop.batches == 1,
        });
    }
    let end = Instant::START + scenario.stop.time.span();
    let links = link_configs(scenario, seed, replication)?;
    let traffic = traffic_configs(scenario, seed, replication)?;
    Ok(NetworkConfig { links, flows, rows, is_open, traffic, end })
}

/// Ends of another connection between the same hosts.
trait CloneForConnection {
    fn for_connection(&self, number: u64) -> Self;
}

impl CloneForConnection for (SenderConfig, ReceiverConfig) {
    fn for_connection(&self, _: u64) -> Self {
        *self
    }
}

impl CloneForConnection for LinuxPair {
    /// A further connection, whose congestion control draws numbers of its own.
    fn for_connection(&self, number: u64) -> Self {
        let mut pair = self.clone();
        pair.sender.environment.random = pair.sender.environment.random.child(number);
        pair
    }
}

/// Adds the connections of a flow.
fn add_connections<C: CloneForConnection>(
    scenario: &PathScenario,
    flow: &Flow,
    flow_routes: (Vec<usize>, Vec<usize>),
    ends: C,
    transfers: Transfers,
    row: usize,
    flows: &mut Vec<FlowConfig<C>>,
) {
    let unit_bytes = unit_bytes(scenario.tcp_of(flow));
    match transfers {
        Transfers::Bulk => {
            flows.push(FlowConfig { row, ..flow_config(scenario, flow, flow_routes, ends) });
        }
        Transfers::Requests(mut requests) => {
            let amount = requests
                .size(Instant::START + flow.start.span())
                .map(|bytes| bytes.div_ceil(unit_bytes));
            let config = flow_config(scenario, flow, flow_routes, ends);
            flows.push(FlowConfig {
                transfer_size: amount,
                row,
                requests: Some(requests),
                ..config
            });
        }
        Transfers::Arrivals(arrivals) => {
            let each = (1..).zip(arrivals).map(|(number, Arrival { start, bytes })| FlowConfig {
                start,
                transfer_size: Some(bytes.div_ceil(unit_bytes)),
                row,
                ..flow_config(scenario, flow, flow_routes.clone(), ends.for_connection(number))
            });
            flows.extend(each);
        }
    }
}

/// Payload of a sequence number.
fn unit_bytes(tcp: &PathTcp) -> u64 {
    tcp.payload_bytes() / tcp.numbers_per_packet()
}

/// ns has no delay without a link: there an access is a hop from a node to itself at [`Rate::MAX`]. Their links come after
/// all others.
fn with_access_links(mut config: NetworkConfig) -> NetworkConfig {
    for flow in &mut config.flows {
        if flow.access_delay == Span::ZERO {
            continue;
        }
        let delay = std::mem::replace(&mut flow.access_delay, Span::ZERO);
        let (node, number) = (config.links[flow.data_route[0]].source_node, config.links.len());
        flow.data_route.insert(0, number);
        flow.ack_route.push(number + 1);
        let access = || LinkConfig {
            hop: HopConfig::new(Rate::MAX, delay),
            source_node: node,
            destination_node: node,
        };
        config.links.extend([access(), access()]);
    }
    config
}

/// The links of a scenario: all hops from their near ends, then all from their far ends, the last hop first.
///
/// # Errors
/// If the values of a channel or gate contradict each other; the field is the path.
pub fn link_configs(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
) -> Result<Vec<LinkConfig>, SpecError> {
    let (forward, back) = scenario.hops(seed, replication)?;
    let nodes = scenario.nodes();
    let forward_links = forward.into_iter().zip(nodes.hops());
    let forward_links = forward_links.map(|(hop, ends)| LinkConfig {
        hop,
        source_node: ends.from,
        destination_node: ends.to,
    });
    let reverse_links = back.into_iter().zip(nodes.hops().iter().rev());
    let reverse_links = reverse_links.map(|(hop, ends)| LinkConfig {
        hop,
        source_node: ends.to,
        destination_node: ends.from,
    });
    Ok(forward_links.chain(reverse_links).collect())
}

/// The links of hops, each crossed forward or back, where there are `count` hops.
fn link_numbers(count: usize, hops: &[(usize, bool)]) -> Vec<usize> {
    let link = |(hop, is_back): &(usize, bool)| if *is_back { 2 * count - 1 - hop } else { *hop };
    hops.iter().map(link).collect()
}

/// Routes of the data and of the ACKs of `flow`, as links; ACKs cross the same hops in reverse.
#[must_use]
pub fn flow_routes(scenario: &PathScenario, flow: &Flow) -> (Vec<usize>, Vec<usize>) {
    routes_in(&mut scenario.routes(), flow)
}

fn routes_in(routes: &mut Routes, flow: &Flow) -> (Vec<usize>, Vec<usize>) {
    let (count, ends) = (routes.nodes().hops().len(), routes.nodes().flow_end_nodes(flow));
    let last = 2 * count - 1;
    let data = link_numbers(count, routes.route(ends.expect("validated nodes")));
    let acks = data.iter().rev().map(|link| last - link).collect();
    (data, acks)
}

/// Routes of all sources of cross-traffic, as links.
#[must_use]
pub fn traffic_routes(scenario: &PathScenario) -> Vec<Vec<usize>> {
    let mut routes = scenario.routes();
    let each = scenario.traffic.iter().flat_map(|traffic| (0..traffic.count).map(move |_| traffic));
    let ends = each.map(|traffic| {
        let ends = routes.nodes().end_nodes(traffic.sender.as_ref(), traffic.receiver.as_ref());
        link_numbers(scenario.path.hop.len(), routes.route(ends.expect("validated nodes")))
    });
    ends.collect()
}

/// The cross-traffic of a scenario.
///
/// # Errors
/// If the values of a distribution contradict each other.
pub fn traffic_configs(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
) -> Result<Vec<TrafficConfig>, SpecError> {
    let count = scenario.path.hop.len();
    let sources = scenario.sources(seed, replication)?.into_iter();
    let config =
        |CrossTraffic { source, hops }| TrafficConfig { source, route: link_numbers(count, &hops) };
    Ok(sources.map(config).collect())
}

fn flow_config<C>(
    scenario: &PathScenario,
    flow: &Flow,
    (data, acks): (Vec<usize>, Vec<usize>),
    ends: C,
) -> FlowConfig<C> {
    let tcp = scenario.tcp_of(flow);
    FlowConfig {
        ends,
        data_route: data,
        ack_route: acks,
        start: Instant::START + flow.start.span(),
        transfer_size: flow
            .size
            .map(Size::bytes)
            .or(flow.packets.map(|n| n * tcp.numbers_per_packet())),
        milestone: flow.milestone.map(|n| n * tcp.numbers_per_packet()),
        framing: tcp.sizes().framing.bits(),
        access_delay: flow.access_delay.span(),
        row: 0,
        unit_bytes: unit_bytes(tcp),
        requests: None,
    }
}
