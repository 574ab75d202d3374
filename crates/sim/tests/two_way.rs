//! Flows from any node to any other: what can be worked out by hand, and properties over random networks.

use airtcp_core::Cancel;
use airtcp_scenario::{PathScenario, Scenario, points};
use airtcp_sim::network::{FlowCounts, run};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

fn scenario(hops: &Value, flows: &Value) -> PathScenario {
    let document = json!({
        "profile": "rfc",
        "tcp": {"variant": "reno", "packet": "1500B", "ack": "40B", "delayed_ack": "0s"},
        "path": {"hop": hops},
        "flow": flows,
        "stop": {"time": "1000s"},
    });
    match points(&document).unwrap_or_else(|e| panic!("{e}: {document}")).remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => panic!("a profile with a path"),
    }
}

fn play(hops: &Value, flows: &Value) -> Vec<FlowCounts> {
    run(&scenario(hops, flows), 1, 0, &Cancel::new()).unwrap().unwrap()
}

fn milliseconds(counts: &FlowCounts) -> f64 {
    counts.milestone.expect("the flow ends").seconds() * 1e3
}

/// 12 ms of airtime for a packet, 0.32 ms for an ACK.
fn hop() -> Value {
    json!({"rate": "1Mbps", "delay": "10ms"})
}

#[test]
fn an_upload_is_a_download_seen_from_the_other_end() {
    let hops = json!([hop(), {"rate": "2Mbps", "delay": "30ms", "queue": 10}]);
    let counts = play(&hops, &json!([{"packets": 500}])).remove(0);
    let mirrored = json!([{"rate": "2Mbps", "delay": "30ms", "queue": 10}, hop()]);
    let back =
        play(&mirrored, &json!([{"packets": 500, "sender": "2", "receiver": "0"}])).remove(0);
    assert_eq!(counts, back);
}

#[test]
fn data_of_one_and_acks_of_the_other_wait_for_each_other() {
    let flows = json!([{"packets": 2}, {"packets": 1, "sender": "1", "receiver": "0"}]);
    let counts = play(&json!([hop()]), &flows);
    // The only packet of the second arrives after 22 ms. Its ACK waits for the second packet of the first, until 24 ms.
    assert!((milliseconds(&counts[1]) - (24.0 + 0.32 + 10.0)).abs() < 1e-6);
    // That arrives after 34 ms, and finds its link free.
    assert!((milliseconds(&counts[0]) - (34.0 + 0.32 + 10.0)).abs() < 1e-6);
}

#[test]
fn flows_that_share_no_link_do_not_feel_each_other() {
    let hops = json!([hop(), hop(), hop()]);
    let (near, far) =
        (json!({"packets": 200, "receiver": "1"}), json!({"packets": 300, "sender": "2"}));
    let both = play(&hops, &json!([near, far]));
    for (flow, together) in [near, far].into_iter().zip(both) {
        let alone = play(&hops, &json!([flow])).remove(0);
        assert_eq!(FlowCounts { time: alone.time, ..together }, alone);
    }
}

#[test]
fn nodes_may_have_names_and_hops_may_branch() {
    // Two phones at one cell; the server is behind it.
    let hops = json!([
        {"near": "phone", "far": "cell", "rate": "1Mbps", "delay": "10ms"},
        {"near": "laptop", "far": "cell", "rate": "1Mbps", "delay": "10ms"},
        {"far": "server", "rate": "100Mbps", "delay": "5ms"},
    ]);
    let flows = json!([
        {"sender": "phone", "receiver": "server", "packets": 1},
        {"sender": "server", "receiver": "laptop", "packets": 1},
        {"sender": "phone", "receiver": "laptop", "packets": 1},
    ]);
    let alone = |i: usize| milliseconds(&play(&hops, &json!([flows[i]]))[0]);
    let (packet, ack, fast) = (12.0, 0.32, 0.01);
    assert!((alone(0) - (packet + packet * fast + ack + ack * fast + 30.0)).abs() < 1e-6);
    assert!((alone(1) - alone(0)).abs() < 1e-6);
    assert!((alone(2) - (2.0 * (packet + ack) + 40.0)).abs() < 1e-6);
}

#[test]
fn an_access_delay_counts_both_ways() {
    let plain = play(&json!([hop()]), &json!([{"packets": 1}])).remove(0);
    let far = play(&json!([hop()]), &json!([{"packets": 1, "access_delay": "35ms"}])).remove(0);
    assert!((milliseconds(&far) - milliseconds(&plain) - 70.0).abs() < 1e-6);
    // As a hop that is never busy.
    let fast = json!({"rate": "1000Gbps", "delay": "35ms"});
    let by_hop = play(&json!([fast, hop()]), &json!([{"packets": 400}])).remove(0);
    let by_access = play(&json!([hop()]), &json!([{"packets": 400, "access_delay": "35ms"}]));
    assert!((milliseconds(&by_hop) - milliseconds(&by_access[0])).abs() < 1e-3);
    assert_eq!((by_hop.sent, by_hop.timeouts), (by_access[0].sent, by_access[0].timeouts));
}

/// They are of the first flow: where that goes back, `drop` names its ACKs and `back.drop` its data.
#[test]
fn forced_losses_follow_the_first_flow() {
    let first = json!([
        {"sender": "1", "receiver": "0", "packets": 50},
        {"packets": 50},
    ]);
    let lossy = |drop: Value, back: Value| {
        let hop = json!({"rate": "1Mbps", "delay": "10ms", "drop": drop, "back": {"drop": back}});
        play(&json!([hop]), &first)
    };
    let clean = lossy(json!([]), json!([]));
    let of_data = lossy(json!([]), json!([[20, 1]]));
    let of_ack = lossy(json!([[20, 1]]), json!([]));
    assert_eq!(of_data[0].resent, clean[0].resent + 1);
    assert_eq!((of_ack[0].resent, of_ack[0].acks_sent), (0, 50));
    assert_eq!(of_ack[0].acks_arrived + 1, of_ack[0].acks_sent);
    for counts in [clean, of_data, of_ack] {
        assert_eq!((counts[1].resent, counts[1].acks_arrived), (0, counts[1].acks_sent));
    }
}

/// A chain of hops with shortcuts, and flows between any of its nodes.
fn network() -> impl Strategy<Value = (Value, Value)> {
    (1..5usize).prop_flat_map(|hops| {
        let queue = prop_oneof![Just(None), (2..20u32).prop_map(Some)];
        let hop = (1..50u32, 0..50u32, queue, 0..4u32);
        let flow = (0..=hops, 1..=hops, 1..60u32, 0..500u32);
        let chain = prop::collection::vec(hop, hops);
        let shortcuts = prop::collection::vec((0..=hops, 1..=hops), 0..3);
        (chain, shortcuts, prop::collection::vec(flow, 1..7)).prop_map(move |(chain, extra, flows)| {
            let other = |from: usize, step: usize| (from + step) % (hops + 1);
            let mut all: Vec<Value> = chain
                .into_iter()
                .map(|(rate, delay, queue, loss)| {
                    let mut hop = json!({
                        "rate": format!("{rate}e5bps"), "delay": format!("{delay}ms"),
                        "channel": {"kind": "iid", "loss_rate": f64::from(loss) / 50.0},
                        "back": {"channel": {"kind": "iid", "loss_rate": f64::from(loss) / 60.0}},
                    });
                    if let Some(queue) = queue {
                        hop["queue"] = json!(queue);
                    }
                    hop
                })
                .collect();
            for (from, step) in extra.into_iter().filter(|_| hops > 1) {
                let to = other(from, step);
                all.push(json!({
                    "near": from.to_string(), "far": to.to_string(), "rate": "1Mbps", "delay": "3ms",
                }));
            }
            let flows: Vec<Value> = flows
                .into_iter()
                .map(|(from, step, packets, start)| {
                    let to = other(from, step).to_string();
                    json!({
                        "sender": from.to_string(), "receiver": to, "packets": packets,
                        "start": format!("{start}ms"), "window": 8, "access_delay": format!("{}ms", start % 7),
                    })
                })
                .collect();
            (Value::from(all), Value::from(flows))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        // PROPTEST_CASES asks for more.
        cases: ProptestConfig::default().cases.max(400),
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_flow_delivers_everything_once_and_in_order((hops, flows) in network()) {
        let counts = play(&hops, &flows);
        prop_assert_eq!(&counts, &play(&hops, &flows), "the same seed gives the same run");
        for (counts, flow) in counts.iter().zip(flows.as_array().unwrap()) {
            let packets = flow["packets"].as_u64().unwrap();
            prop_assert_eq!((counts.acked, counts.in_order, counts.deliveries), (packets, packets, packets));
            prop_assert!(counts.sent - counts.resent == packets);
            prop_assert!(counts.deliveries + counts.duplicates <= counts.sent);
            prop_assert!(counts.acks_arrived <= counts.acks_sent);
        }
    }
}
