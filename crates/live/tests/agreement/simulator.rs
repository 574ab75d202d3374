//! The transfer in the simulator.

use crate::agreement::run::{Run, Sent, payload};
use airtcp_core::{Cancel, Instant, Span};
use airtcp_scenario::PathScenario;
use airtcp_sim::network::{
    Event, FlowConfig, NetworkConfig, Observer, PacketEvent, flow_routes, link_configs,
    observe_by_timeline, traffic_configs,
};
use airtcp_tcp::Segment;

pub(crate) fn simulated(scenario: &PathScenario, seed: u64, replication: u64) -> Run {
    let links = link_configs(scenario, seed, replication).expect("values that agree");
    let (data, acks) = flow_routes(scenario, &scenario.flow[0]);
    let ends = scenario.ends(seed, replication)[0];
    let flow = FlowConfig {
        ends,
        data_route: data,
        ack_route: acks,
        start: Instant::START + scenario.flow[0].start.span(),
        transfer_size: Some(payload(scenario)),
        milestone: None,
        framing: scenario.tcp.sizes().framing.bits(),
        access_delay: Span::ZERO,
        row: 0,
        unit_bytes: 1,
        requests: None,
    };
    let end = Instant::START + scenario.stop.time.span();
    let traffic = traffic_configs(scenario, seed, replication).expect("values that agree");
    let config = NetworkConfig { traffic, ..NetworkConfig::bulk_transfers(links, vec![flow], end) };
    let ear = Ear(Run::new());
    let (end, ear) = observe_by_timeline(config, ear, &Cancel::new()).expect("nobody cancels");
    Run { end, ..ear.0 }
}

struct Ear(Run);

impl Observer for Ear {
    const ENABLED: bool = true;

    fn on_event(&mut self, moment: PacketEvent<'_>) {
        let end = match moment.event {
            Event::Sent { .. } => 0,
            Event::AckSent => 1,
            _ => return,
        };
        let sent = match moment.packet.segment {
            Segment::Data { seq, len, .. } => Sent::Data { seq, len: len.into() },
            Segment::Ack { next, .. } => Sent::Ack { next },
            Segment::Probe { id, .. } => Sent::Probe { kind: id.kind(), number: id.number() },
            Segment::ProbeAck { next, id, .. } => {
                Sent::Answer { kind: id.kind(), number: id.number(), next }
            }
        };
        self.0.sent[end].push((moment.at, sent));
    }
}
