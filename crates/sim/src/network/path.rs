//! From a scenario to a network.

use super::stub::HopConfig;
use super::{EventTable, FlowConfig, FlowCounts, Network, NetworkConfig, Nobody};
use airtcp_core::{Instant, Span};
use airtcp_radio::GateSpec;
use airtcp_scenario::{Flow, InputError, PathScenario, QueueLimit, Rules};
use airtcp_tcp::{ReceiverConfig, SackConfig, SenderConfig, Variant};
use std::sync::atomic::AtomicBool;

pub fn network(s: &PathScenario, _seed: u64, _replication: u64) -> NetworkConfig {
    let mut forward = vec![];
    let mut back = vec![];
    for h in &s.path.hop {
        let toggles: Vec<Instant> = match &h.gate {
            Some(GateSpec::Schedule(g)) => {
                g.toggles.iter().map(|d| Instant::START + d.span()).collect()
            }
            _ => vec![],
        };
        let q = match h.queue {
            Some(QueueLimit::Packets(n)) => n as usize,
            _ => usize::MAX,
        };
        let b = h.back.clone().unwrap_or_default();
        let ds = |v: &Vec<airtcp_scenario::DelayChange>| {
            v.iter().map(|c| (Instant::START + c.at.span(), c.delay.span())).collect()
        };
        let dr = |v: &Vec<airtcp_scenario::Drop>| v.iter().map(|c| (c.0, c.1)).collect();
        forward.push(HopConfig {
            rate: h.rate,
            delay: h.delay.span(),
            delays: ds(&h.delays),
            queue: q,
            toggles: toggles.clone(),
            drop: dr(&h.drop),
        });
        back.insert(
            0,
            HopConfig {
                rate: h.rate,
                delay: h.delay.span(),
                delays: ds(&b.delays),
                queue: q,
                toggles,
                drop: dr(&b.drop),
            },
        );
    }
    let mut flows = vec![];
    for f in &s.flow {
        for _ in 0..f.count {
            flows.push(flow(s, f));
        }
    }
    NetworkConfig { forward, back, flows, end: Instant::START + s.stop.time.span() }
}

fn flow(s: &PathScenario, f: &Flow) -> FlowConfig {
    let variant = f.variant.unwrap_or(s.tcp.variant);
    let window = f.window.unwrap_or(s.tcp.window);
    let Ok(Rules::Ns2 { tick, boot }) = s.rules() else { panic!() };
    let sender = SenderConfig {
        ssthresh: s.tcp.ssthresh.unwrap_or(window),
        dupack_threshold: s.tcp.dupacks,
        ..SenderConfig::ns2(
            variant,
            window,
            tick.span(),
            Span::from_nanos((boot * 1e9) as i64),
            s.tcp.packet.bits(),
        )
    };
    let sack = (variant == Variant::Sack).then_some(SackConfig { blocks: 3, block_bits: 64 });
    FlowConfig {
        sender,
        receiver: ReceiverConfig { window: window.into(), ack_bits: s.tcp.ack.bits(), sack },
        start: Instant::START + f.start.span(),
        packets: f.packets,
        milestone: f.milestone,
    }
}

/// Runs one replication; `None` if cancelled.
///
/// # Errors
/// If the values of a channel or gate contradict each other.
pub fn run(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
    cancel: &AtomicBool,
) -> Result<Option<Vec<FlowCounts>>, InputError> {
    let mut network = Network::new(network(scenario, seed, replication), Nobody);
    Ok(network.run(cancel).map(|end| network.outcome(end)))
}

/// Runs one replication and writes down everything that happens; `None` if cancelled.
///
/// # Errors
/// If the values of a channel or gate contradict each other.
pub fn trace(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
    cancel: &AtomicBool,
) -> Result<Option<EventTable>, InputError> {
    let mut network = Network::new(network(scenario, seed, replication), EventTable::default());
    Ok(network.run(cancel).map(|_| network.into_observer()))
}
