//! From a scenario to a network, and through it.

use super::{EventTable, FlowConfig, FlowCounts, Network, NetworkConfig, Nobody, Observer};
use airtcp_core::{Instant, Span};
use airtcp_radio::SpecError;
use airtcp_scenario::{Flow, PathScenario, Rules};
use airtcp_tcp::{ReceiverConfig, SackConfig, SenderConfig, Variant};
use std::sync::atomic::AtomicBool;

/// Runs one replication; `None` if cancelled.
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
    Ok(network.run(cancel).map(|end| network.outcome(end)))
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
    let each = |flow: &Flow| vec![flow_config(scenario, flow); flow.count as usize];
    let flows = scenario.flow.iter().flat_map(each).collect();
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
    match scenario.rules().expect("a validated scenario") {
        Rules::Ns2 { tick, boot } => {
            let boot = Span::from_nanos((boot * 1e9) as i64);
            let sender = SenderConfig {
                ssthresh: tcp.ssthresh.unwrap_or(window),
                dupack_threshold: tcp.dupacks,
                ..SenderConfig::ns2(variant, window, tick.span(), boot, tcp.packet.bits())
            };
            let sack = (variant == Variant::Sack).then_some(SackConfig::NS2);
            let ack_bits = tcp.ack.bits();
            (sender, ReceiverConfig::immediate(window.into(), ack_bits, sack))
        }
        Rules::Rfc(_) => unimplemented!(),
    }
}
