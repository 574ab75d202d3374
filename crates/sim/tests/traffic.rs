//! Cross-traffic: what it does to a flow, by hand and in the mean.

use airtcp_core::Cancel;
use airtcp_scenario::{PathScenario, Scenario, points};
use airtcp_sim::network::{FlowCounts, run};
use serde_json::{Value, json};

fn scenario(packets: u64, traffic: &Value) -> PathScenario {
    let mut document = json!({
        "profile": "rfc",
        "tcp": {"variant": "reno", "packet": "1500B", "ack": "40B", "delayed_ack": "0s", "window": 1},
        "path": {"hop": [{"rate": "1Mbps", "delay": "10ms"}]},
        "flow": [{"packets": packets}],
        "stop": {"time": "1000s"},
    });
    if *traffic != json!([]) {
        document["traffic"] = traffic.clone();
    }
    match points(&document).unwrap_or_else(|e| panic!("{e}: {document}")).remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => panic!("a profile with a path"),
    }
}

fn play(packets: u64, traffic: &Value, seed: u64) -> FlowCounts {
    let scenario = scenario(packets, traffic);
    run(&scenario, seed, 0, &Cancel::new()).unwrap().unwrap().remove(0)
}

fn milliseconds(packets: u64, traffic: &Value) -> f64 {
    play(packets, traffic, 1).milestone.expect("the flow ends").seconds() * 1e3
}

/// Round trip of a packet alone: 12 ms and 0.32 ms of airtime, 10 ms each way.
const ALONE: f64 = 32.32;

#[test]
fn a_packet_waits_for_cross_traffic_that_came_first() {
    // 1000 B take 8 ms. In the same instant flows come first.
    let together = json!([{"rate": "1kbps", "packet": "1000B"}]);
    assert!((milliseconds(1, &together) - ALONE).abs() < 1e-6);
    // The flow's second packet is ready after 32.32 ms; one of 8 ms began at 30 ms.
    let ahead = json!([{"rate": "1kbps", "packet": "1000B", "start": "30ms"}]);
    assert!((milliseconds(2, &ahead) - (38.0 + ALONE)).abs() < 1e-6);
}

#[test]
fn on_the_way_back_it_delays_acks() {
    // The ACK is ready after 22 ms. A packet of 8 ms leaves the other end after 20 ms.
    let traffic = json!([{
        "rate": "1kbps", "packet": "1000B", "sender": "1", "receiver": "0", "start": "20ms",
    }]);
    assert!((milliseconds(1, &traffic) - (28.0 + 0.32 + 10.0)).abs() < 1e-6);
}

#[test]
fn it_ends_when_it_is_told_to() {
    let until = |end: &str| json!([{"rate": "900kbps", "packet": "1500B", "end": end}]);
    let (short, long) = (milliseconds(20, &until("100ms")), milliseconds(20, &until("10s")));
    assert!(short < long, "{short} {long}");
    assert!((milliseconds(20, &json!([])) - 20.0 * ALONE).abs() < 1e-6);
}

#[test]
fn a_share_of_the_link_is_what_it_leaves() {
    // A window that fills the link: cross-traffic of 0.4 Mbit/s leaves 0.6 of 1 Mbit/s.
    let mut traffic = json!([{"rate": "400kbps", "packet": "500B"}]);
    let document = |traffic: &Value| {
        json!({
            "profile": "rfc", "tcp": {"variant": "sack", "window": 40},
            "path": {"hop": [{"rate": "1Mbps", "delay": "10ms"}]},
            "traffic": traffic, "stop": {"time": "400s", "warmup": "20s"},
        })
    };
    let rate = |traffic: &Value, seed| {
        let Scenario::Path(scenario) = points(&document(traffic)).unwrap().remove(0) else {
            panic!()
        };
        let counts = run(&scenario, seed, 0, &Cancel::new()).unwrap().unwrap().remove(0);
        counts.sent_bits as f64 / counts.time.seconds()
    };
    assert!((rate(&traffic, 1) / 600e3 - 1.0).abs() < 1e-3);
    // On for half of the time in the mean: exponential, so that 380 s hold about 190 of each.
    traffic[0]["on"] = json!({"kind": "exponential", "mean": "1s"});
    traffic[0]["off"] = json!({"kind": "exponential", "mean": "1s"});
    let rates: Vec<f64> = (0..20).map(|seed| rate(&traffic, seed)).collect();
    let mean = rates.iter().sum::<f64>() / 20.0;
    // The share of time on has a standard deviation of sqrt(.25 / 190) = .036 a run, of .008 over 20.
    assert!((mean / 800e3 - 1.0).abs() < 4.0 * 0.008 * 0.5, "{mean}");
    assert_eq!(rate(&traffic, 3), rates[3], "the same seed gives the same traffic");
    assert!(rates.iter().any(|rate| (rate / rates[0] - 1.0).abs() > 1e-3));
}
