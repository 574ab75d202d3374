//! Version 3 of BBR on 20 Mbit/s with a round trip of 40 ms, which hold 67 packets: statements of the draft, with
//! tolerances around the measured values (crates/linux/rules/bbr3.md) [crates/linux/rules/bbr3.md].

use airtcp_core::Cancel;
use airtcp_scenario::{PathScenario, Scenario, points};
use airtcp_sim::network::{PartCounts, run_with_links};
use serde_json::{Value, json};

const SECONDS: f64 = 60.0;
/// Packets of 1500 bytes that the link carries.
const CAPACITY: f64 = 20e6 / 12_000.0 * SECONDS;
/// Two pipes, and half of one.
const DEEP: u64 = 133;
const SHALLOW: u64 = 33;

fn scenario(document: &Value) -> PathScenario {
    match points(document).unwrap_or_else(|e| panic!("{e}")).remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => unreachable!("a profile with a path"),
    }
}

/// A run of flows under `controls`.
fn play(controls: &[&str], queue: u64, loss_rate: f64, replication: u64) -> PartCounts {
    let flow = |control: &&str| json!({"tcp": {"congestion": control}});
    let mut hop = json!({"rate": "20Mbps", "delay": "20ms", "queue": queue});
    if loss_rate > 0.0 {
        hop["channel"] = json!({"kind": "iid", "loss_rate": loss_rate});
    }
    let document = json!({
        "profile": "linux",
        "path": {"hop": [hop]},
        "flow": controls.iter().map(flow).collect::<Vec<_>>(),
        "stop": {"time": format!("{SECONDS}s")},
    });
    run_with_links(&scenario(&document), 1, replication, &Cancel::new()).unwrap().unwrap()
}

/// Shares of the link's capacity that flows got in order.
fn shares(parts: &PartCounts) -> Vec<f64> {
    parts.flows.iter().map(|flow| flow.in_order as f64 / CAPACITY).collect()
}

/// The share of the first of them, in three replications.
fn first(controls: &[&str], queue: u64, loss_rate: f64) -> [f64; 3] {
    [0, 1, 2].map(|replication| shares(&play(controls, queue, loss_rate, replication))[0])
}

fn all(shares: &[f64], range: std::ops::Range<f64>) {
    println!("{shares:.3?}");
    assert!(shares.iter().all(|share| range.contains(share)), "{shares:?} in {range:?}");
}

#[test]
fn a_flow_fills_the_link_with_a_shorter_queue_than_version_1() {
    let queue = |control| {
        let parts = play(&[control], DEEP, 0.0, 0);
        let (ahead, time) = (&parts.links[0], parts.links[0].time);
        (ahead.utilisation(time), ahead.mean_packets(time), parts.flows[0].resent)
    };
    let (v3, v1) = (queue("bbr3"), queue("bbr"));
    println!("{v3:?} {v1:?}");
    assert!(v3.0 > 0.95, "{v3:?}");
    assert!(v3.1 < 0.75 * v1.1, "{v3:?} {v1:?}");
    assert_eq!(v3.2, 0);
}

#[test]
fn one_percent_lost_by_chance_leaves_most_of_the_link() {
    all(&first(&["bbr3"], DEEP, 0.01), 0.80..0.95);
    all(&first(&["cubic"], DEEP, 0.01), 0.08..0.25);
}

#[test]
fn above_the_threshold_it_gives_way_as_version_1_does_not() {
    all(&first(&["bbr3"], DEEP, 0.03), 0.10..0.45);
    all(&first(&["bbr3"], DEEP, 0.05), 0.10..0.30);
    all(&first(&["bbr"], DEEP, 0.05), 0.85..0.96);
}

#[test]
fn two_flows_share_the_link() {
    for replication in 0..3 {
        let both = shares(&play(&["bbr3", "bbr3"], DEEP, 0.0, replication));
        all(&both, 0.40..0.60);
        assert!(both[0] + both[1] > 0.95, "{both:?}");
    }
}

#[test]
fn beside_cubic_and_a_short_buffer_it_takes_less_than_version_1() {
    let (three, point) =
        (first(&["bbr3", "cubic"], SHALLOW, 0.0), first(&["bbr", "cubic"], SHALLOW, 0.0));
    all(&three, 0.45..0.75);
    all(&point, 0.80..0.95);
}

/// Every cycle begins at a time of its own, so that runs under other seeds differ, and the same one does not.
#[test]
fn waits_are_drawn_from_the_flows_own_stream() {
    let sent = |replication| play(&["bbr3"], DEEP, 0.0, replication).flows[0].sent;
    assert_eq!(sent(0), sent(0));
    assert!(sent(0) != sent(1) || sent(0) != sent(2));
}
