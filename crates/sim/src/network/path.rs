//! From a scenario to a network, and through it.

use super::{EventTable, FlowConfig, FlowCounts, Network, NetworkConfig, Nobody, Observer};
use airtcp_core::{Instant, Size, Span};
use airtcp_radio::SpecError;
use airtcp_scenario::{Flow, PathScenario, Rfc, Rules};
use airtcp_tcp::{ReceiverConfig, SackConfig, SenderConfig, TimerConfig, Variant};
use std::sync::atomic::AtomicBool;

/// Runs one replication: what was counted in each part of it, in the order of time, on each flow; `None`
/// if cancelled.
///
/// # Errors
/// If the values of a channel or gate contradict each other; the field is the path.
pub fn run(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
    cancel: &AtomicBool,
) -> Result<Option<Vec<FlowCounts>>, SpecError> {
    let mut network = network(scenario, seed, replication, Nobody)?;
    Ok(count(&mut network, scenario, cancel))
}

fn count(
    network: &mut Network<Nobody>,
    scenario: &PathScenario,
    cancel: &AtomicBool,
) -> Option<Vec<FlowCounts>> {
    let mut rows = Vec::new();
    let mut before: Option<Vec<FlowCounts>> = None;
    for mark in scenario.stop.marks() {
        let end = network.run_until(mark, cancel)?;
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
/// If the values of a channel or gate contradict each other; the field is the path.
pub fn trace(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
    cancel: &AtomicBool,
) -> Result<Option<EventTable>, SpecError> {
    let mut network = network(scenario, seed, replication, EventTable::default())?;
    Ok(network.run(cancel).map(|_| network.into_observer()))
}

fn network<O: Observer>(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
    observer: O,
) -> Result<Network<O>, SpecError> {
    let (forward, back) = scenario.hops(seed, replication)?;
    let flows = scenario.per_flow(|flow| flow_config(scenario, flow));
    let end = Instant::START + scenario.stop.time.span();
    Ok(Network::new(NetworkConfig { forward, back, flows, end }, observer))
}

fn flow_config(scenario: &PathScenario, flow: &Flow) -> FlowConfig {
    let (sender, receiver) = ends(scenario, flow);
    FlowConfig {
        sender,
        receiver,
        start: Instant::START + flow.start.span(),
        packets: flow.packets,
        milestone: flow.milestone,
    }
}

fn ends(scenario: &PathScenario, flow: &Flow) -> (SenderConfig, ReceiverConfig) {
    let tcp = &scenario.tcp;
    let variant = flow.variant.unwrap_or(tcp.variant);
    let window = flow.window.unwrap_or(tcp.window);
    let (sender, receiver) = match scenario.rules().expect("a validated scenario") {
        Rules::Ns2 { tick, boot } => ns2_ends(scenario, variant, window, (tick.span(), boot)),
        Rules::Rfc(rules) => rfc_ends(scenario, variant, window, &rules),
    };
    let ssthresh = tcp.ssthresh.unwrap_or(sender.ssthresh);
    (SenderConfig { ssthresh, dupack_threshold: tcp.dupacks, ..sender }, receiver)
}

fn ns2_ends(
    scenario: &PathScenario,
    variant: Variant,
    window: u32,
    (tick, boot): (Span, f64),
) -> (SenderConfig, ReceiverConfig) {
    let boot = Span::from_nanos((boot * 1e9) as i64);
    let sack = (variant == Variant::Sack).then_some(SackConfig::NS2);
    let receiver = ReceiverConfig::immediate(window.into(), scenario.ack().bits(), sack);
    (SenderConfig::ns2(variant, window, tick, boot, scenario.tcp.packet.bits()), receiver)
}

fn rfc_ends(
    scenario: &PathScenario,
    variant: Variant,
    window: u32,
    rules: &Rfc,
) -> (SenderConfig, ReceiverConfig) {
    let mss = u32::try_from(scenario.unit()).expect("a validated size");
    let header = scenario.header().map_or(0, Size::bytes);
    let header = u32::try_from(header).expect("less than the packet");
    let sender = SenderConfig {
        initial_window: rules.initial_window,
        limited_transmit: rules.limited_transmit,
        spurious: rules.spurious,
        timer: TimerConfig::Rfc6298 {
            initial: rules.initial_rto.span(),
            least: rules.min_rto.span(),
            most: rules.max_rto.span(),
        },
        ..SenderConfig::rfc(variant, rules.growth, window, mss, header)
    };
    let timestamps = rules.spurious.timestamps();
    let sack = if timestamps { SackConfig::BESIDE_TIMESTAMPS } else { SackConfig::RFC2018 };
    let receiver = ReceiverConfig {
        window: u64::from(window) * u64::from(mss),
        ack_bits: scenario.ack().bits(),
        sack: (variant == Variant::Sack).then_some(sack),
        delayed_ack: rules.delayed_ack.span(),
        mss,
        timestamps,
    };
    (sender, receiver)
}
