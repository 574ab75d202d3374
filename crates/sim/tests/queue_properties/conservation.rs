//! Networks in both directions, with any queues: what sets out on a link arrives, is lost there, or arrives twice if it is
//! duplicated. `PROPTEST_CASES=1000000` runs this in full, `PROPTEST_RNG_SEED` on other networks.

use crate::queue_properties::queues::{Fault, Faulty, Impatient, LIMIT, Lifo, RoundRobin, Spaced};
use airtcp_core::{Cancel, Instant, Rate, Span, Stream};
use airtcp_radio::queue::{Order, Queue, Spec as _};
use airtcp_radio::{Duplication, QueueSpec, SourceConfig};
use airtcp_scenario::{Flow, PathScenario, Scenario, points};
use airtcp_sim::network::{
    Event, FlowConfig, NetworkConfig, Observer, PacketEvent, TrafficConfig, flow_routes,
    link_configs, observe_by_timeline,
};
use airtcp_tcp::Segment;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Time at which everything but the last flow is over.
const DRAINED: &str = "600s";
const END: &str = "10000s";

/// Packets of a flow, data or ACKs, at a node.
type Place = (u32, bool, u32);

/// Numbers of packets that left a node or arrived there, and of those that the link leading on lost.
#[derive(Default)]
struct Passing {
    here: HashMap<Place, u64>,
    lost: HashMap<Place, u64>,
    /// Time of the last event of each flow.
    last: HashMap<u32, Instant>,
}

impl Observer for Passing {
    const ENABLED: bool = true;

    fn on_event(&mut self, moment: PacketEvent<'_>) {
        let is_ack = matches!(moment.packet.segment, Segment::Ack { .. });
        self.last.insert(moment.packet.flow, moment.at);
        let place = (moment.packet.flow, is_ack, moment.node);
        match moment.event {
            Event::Sent { .. } | Event::AckSent | Event::Arrived | Event::Acked => {
                *self.here.entry(place).or_default() += 1;
            }
            Event::Lost(_) => *self.lost.entry(place).or_default() += 1,
            Event::TimedOut | Event::Spurious => {}
        }
    }
}

/// A network, which links of it duplicate every packet, and which queue each has.
#[derive(Clone, Debug)]
struct Case {
    document: Value,
    twice: Vec<bool>,
    queues: Vec<usize>,
}

const KINDS: usize = 14;
const FORGETFUL: usize = KINDS;

fn queue(kind: usize) -> Box<dyn Queue> {
    let registered = |json: &str| {
        let spec: QueueSpec = serde_json::from_str(json).unwrap();
        spec.build(Rate::MAX, Stream::new(1, "queue", 0)).unwrap()
    };
    match kind {
        0 => registered(r#"{"kind": "drop-tail", "packets": 6}"#),
        1 => registered(r#"{"kind": "head-drop", "bytes": "6kB"}"#),
        2 => Box::<RoundRobin>::default(),
        3 => Box::new(Lifo::new(Order::Any, LIMIT)),
        4 => Box::new(Spaced::new(true, Span::from_nanos(4_000_000))),
        5 => Box::new(Impatient::new(true, Span::from_nanos(50_000_000))),
        6 => registered(r#"{"kind": "codel", "target": "2ms", "interval": "20ms", "packets": 20}"#),
        7 => registered(
            r#"{"kind": "fq-codel", "target": "2ms", "interval": "20ms", "bytes": "20kB"}"#,
        ),
        8 => registered(r#"{"kind": "drr", "quantum": "500B", "packets": 8}"#),
        9 => registered(r#"{"kind": "pie", "target": "5ms", "burst": "10ms", "packets": 20}"#),
        10 => registered(r#"{"kind": "red", "min": 1, "max": 4, "weight": 0.1, "packets": 9}"#),
        11 => {
            registered(r#"{"kind": "token-bucket", "rate": "1Mbps", "burst": "3kB", "packets": 9}"#)
        }
        12 => registered(r#"{"kind": "priority", "bands": [[1], [0]], "packets": 9}"#),
        13 => registered(
            r#"{"kind": "ns-red", "min": 1, "max": 4, "weight": 0.1, "ecn": true, "packets": 9}"#,
        ),
        FORGETFUL => Box::new(Faulty::new(Fault::Forgets)),
        _ => unreachable!("so many kinds"),
    }
}

fn read(document: &Value) -> PathScenario {
    match points(document).unwrap_or_else(|e| panic!("{e}: {document}")).remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => panic!("a profile with a path"),
    }
}

impl Case {
    fn network(&self, scenario: &PathScenario) -> NetworkConfig {
        let mut links = link_configs(scenario, 1, 0).unwrap();
        for (i, link) in links.iter_mut().enumerate() {
            link.hop.managed = Some(queue(self.queues[i]));
            let twice = Duplication::new(1.0, Stream::new(1, "duplicate", 0));
            link.hop.duplication = self.twice[i].then_some(twice);
        }
        let ends = scenario.ends(1, 0).into_iter();
        let flow = |(flow, ends): (&Flow, _)| {
            let (data, acks) = flow_routes(scenario, flow);
            FlowConfig {
                ends,
                data_route: data,
                ack_route: acks,
                start: Instant::START + flow.start.span(),
                transfer_size: flow
                    .packets
                    .map(|packets| packets * scenario.tcp_of(flow).numbers_per_packet()),
                milestone: None,
                framing: scenario.tcp.sizes().framing.bits(),
                access_delay: flow.access_delay.span(),
                row: 0,
                unit_bytes: 1,
                requests: None,
            }
        };
        let flows: Vec<FlowConfig> = scenario.flow.iter().zip(ends).map(flow).collect();
        // A second of cross-traffic on the way of the first flow, in either direction.
        let bits = 4000;
        let active = (Instant::START, Instant::START + Span::from_nanos(1_000_000_000));
        let flow_routes = [flows[0].data_route.clone(), flows[0].ack_route.clone()].into_iter();
        let traffic = flow_routes.map(|route| {
            let source =
                SourceConfig { bits, interval: 7e6, active_interval: active, bursts: None };
            TrafficConfig { source, route }
        });
        let (traffic, end) = (traffic.collect(), Instant::START + scenario.stop.time.span());
        NetworkConfig { traffic, ..NetworkConfig::bulk_transfers(links, flows, end) }
    }

    /// The first link on which packets of a flow got lost without a cause, or came from nowhere.
    fn fault(&self) -> Option<String> {
        self.judged().0
    }

    /// The fault, and a flag: true if all flows but the last were over when the last began. Packets of other flows may
    /// be under way at the end.
    fn judged(&self) -> (Option<String>, bool) {
        let scenario = read(&self.document);
        let config = self.network(&scenario);
        let crossed: Vec<_> = config
            .flows
            .iter()
            .map(|flow| (flow.data_route.clone(), flow.ack_route.clone()))
            .collect();
        let ends: Vec<_> = config
            .links
            .iter()
            .map(|link| (link.source_node as u32, link.destination_node as u32))
            .collect();
        let end = config.end;
        let start = config.flows.last().expect("the last flow").start;
        let observed = observe_by_timeline(config, Passing::default(), &Cancel::new());
        let (ended, passing) = observed.expect("a run that is not cancelled");
        if ended == end {
            return (Some("a flow does not end".into()), true);
        }
        let over = (0..crossed.len() as u32 - 1).all(|flow| passing.last[&flow] < start);
        let count = |of: &HashMap<Place, u64>, place: Place| of.get(&place).copied().unwrap_or(0);
        for (flow, (data, acks)) in (0..).zip(&crossed[..crossed.len() - 1]) {
            for (is_ack, link) in
                data.iter().map(|l| (false, *l)).chain(acks.iter().map(|l| (true, *l)))
            {
                let (from, to) = ends[link];
                let came = count(&passing.here, (flow, is_ack, from));
                let lost = count(&passing.lost, (flow, is_ack, from));
                let arrived = count(&passing.here, (flow, is_ack, to));
                if arrived + if self.twice[link] { 2 * lost } else { lost }
                    != if self.twice[link] { 2 * came } else { came }
                {
                    let fault = format!("flow {flow}, link {link}: {came} {lost} {arrived}");
                    return (Some(fault), over);
                }
            }
        }
        (None, over)
    }
}

fn hop() -> impl Strategy<Value = Value> {
    let gate = prop_oneof![
        3 => Just(None),
        1 => Just(Some(json!({"kind": "periodic", "up": "930ms", "down": "77ms", "loses": "all"}))),
        1 => Just(Some(json!({"kind": "periodic", "up": "311ms", "down": "200ms", "loses": "nothing"}))),
    ];
    (1..50u32, 0..50u32, 0..4u32, gate, any::<bool>(), any::<bool>()).prop_map(
        |(rate, delay, loss, gate, jitter, reorder)| {
            let mut hop = json!({
                "rate": format!("{rate}e5bps"), "delay": format!("{delay}ms"),
                "channel": {"kind": "iid", "loss_rate": f64::from(loss) / 50.0},
                "back": {"channel": {"kind": "iid", "loss_rate": f64::from(loss) / 60.0}},
            });
            if let Some(gate) = gate {
                hop["gate"] = gate;
            }
            if jitter {
                let distribution = json!({"kind": "uniform", "min": "0ms", "max": "30ms"});
                hop["jitter"] = distribution.clone();
                hop["back"]["jitter"] = distribution;
                hop["reorder"] = reorder.into();
                hop["back"]["reorder"] = reorder.into();
            }
            hop
        },
    )
}

fn cases(kinds: usize) -> impl Strategy<Value = Case> {
    (1..4usize).prop_flat_map(move |hops| {
        let flow = (0..=hops, 1..=hops, 1..40u32, 0..500u32);
        let links = prop::collection::vec((any::<bool>(), 0..kinds), 2 * hops);
        let parts = (prop::collection::vec(hop(), hops), prop::collection::vec(flow, 1..5), links);
        parts.prop_map(move |(chain, flows, links)| {
            let flow = |(from, step, packets, start): (usize, usize, u32, u32)| {
                let to = (from + step) % (hops + 1);
                json!({
                    "sender": from.to_string(), "receiver": to.to_string(), "packets": packets,
                    "start": format!("{start}ms"), "access_delay": format!("{}ms", start % 7),
                })
            };
            let mut flows: Vec<Value> = flows.into_iter().map(flow).collect();
            flows.push(json!({"packets": 1, "start": DRAINED}));
            let cuts = |link: usize| {
                let hop = if link < hops { link } else { 2 * hops - 1 - link };
                chain[hop]["gate"]["loses"] == "all"
            };
            // Copies that a cut loses are counted like packets.
            let twice = links.iter().enumerate().map(|(i, link)| link.0 && !cuts(i)).collect();
            let document = json!({
                "profile": "rfc",
                "tcp": {"variant": "newreno", "packet": "1000B", "ack": "40B", "window": 8, "max_rto": "2s"},
                "path": {"hop": chain}, "flow": flows, "stop": {"time": END},
            });
            Case { document, twice, queues: links.into_iter().map(|link| link.1).collect() }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(200),
        rng_seed: match ProptestConfig::default().rng_seed {
            RngSeed::Random => RngSeed::Fixed(1),
            given => given,
        },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_is_lost_without_a_cause_on_any_link(case in cases(KINDS)) {
        let (fault, over) = case.judged();
        prop_assume!(over);
        prop_assert_eq!(fault, None);
    }
}

/// The property above can fail.
#[test]
fn a_queue_that_forgets_packets_is_found_out() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = cases(KINDS);
    let found = (0..20).filter(|_| {
        let mut case = strategy.new_tree(&mut runner).expect("a case").current();
        case.queues.fill(FORGETFUL);
        // The transmitter may see for itself that its queue is broken, and panic.
        !matches!(std::panic::catch_unwind(|| case.fault()), Ok(None))
    });
    assert!(found.count() > 5);
}
