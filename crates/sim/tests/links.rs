//! Counts of links: by hand, by parts, in both families of time, and without a change to the run.

use airtcp_core::{Cancel, Column, CombineRule};
use airtcp_radio::LinkCounts;
use airtcp_scenario::{PathScenario, Scenario, points};
use airtcp_sim::network::{PartCounts, run, run_with_links};
use serde_json::{Value, json};

fn scenario(document: &Value) -> PathScenario {
    match points(document).unwrap_or_else(|e| panic!("{e}: {document}")).remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => panic!("a profile with a path"),
    }
}

fn play(document: &Value) -> PartCounts {
    run_with_links(&scenario(document), 1, 0, &Cancel::new()).unwrap().unwrap()
}

/// 1000 bytes every `interval` ms over 0.8 Mbit/s, each 10 ms on the air; the flow starts when they are over.
fn constant_rate(interval: u64, seconds: u64, queue: &Value) -> Value {
    let rate = format!("{}kbps", 8000 / interval);
    let hop = json!({"rate": "0.8Mbps", "delay": "1ms"});
    let mut hop = hop.as_object().unwrap().clone();
    if !queue.is_null() {
        hop.insert("queue".to_owned(), queue.clone());
    }
    json!({
        "profile": "rfc", "tcp": {"variant": "reno"}, "path": {"hop": [hop]},
        "flow": [{"start": "1000s"}],
        "traffic": [{"rate": rate, "packet": "1000B"}],
        "stop": {"time": format!("{seconds}s")},
    })
}

/// D/D/1 at half the rate: the link is busy half of the time, and nobody waits.
#[test]
fn at_half_the_rate_nothing_waits() {
    let parts = play(&constant_rate(20, 100, &Value::Null));
    let [ahead, back] = parts.links[..] else { panic!("one hop") };
    let (counts, time) = (ahead, ahead.time);
    assert_eq!(time.seconds(), 100.0);
    assert_eq!((counts.offered.packets, counts.offered.bits), (5000, 5000 * 8000));
    // The last left at 99.98 s and arrives at 99.991 s.
    assert_eq!((counts.delivered, counts.lost.total()), (counts.offered, 0));
    assert_eq!(counts.utilisation(time), 0.5);
    assert_eq!((counts.mean_packets(time), counts.most_packets), (0.0, 0));
    assert_eq!((counts.mean_sojourn(), counts.started), (0.0, 5000));
    assert_eq!(back, LinkCounts { time, ..LinkCounts::default() });
    let [source] = parts.traffic[..] else { panic!("one source") };
    assert_eq!((source.sent, source.arrived), (counts.offered, counts.offered));
}

/// D/D/1 at twice the rate with room for 5, the one in transmission included. Once they are taken only those are let in that
/// come as a transmission ends: every second.
#[test]
fn at_twice_the_rate_the_queue_is_full_and_half_is_lost() {
    let parts = play(&constant_rate(5, 100, &json!(5)));
    let (counts, time) = (parts.links[0], parts.links[0].time);
    assert_eq!(counts.offered.packets, 20_000);
    // The transmitter is never idle: 10000 start, at 0, 10, ... ms; at 100 s four wait, and the last one that has started
    // at 99.99 s arrives after the end.
    assert_eq!((counts.started, counts.utilisation(time)), (10_000, 1.0));
    assert_eq!((counts.accepted.packets, counts.lost.queue), (10_004, 9_996));
    assert_eq!(counts.delivered.packets, 9_999);
    assert_eq!((counts.most_packets, counts.most_bits), (4, 4 * 8000));
    // The first 8 find places and wait 0, 5, ..., 35 ms, all others that are let in 40 ms. The four that are left have waited
    // 10 to 40 ms: 399820 + 100 packet milliseconds.
    assert_eq!(counts.sojourn.nanos(), 399_820_000_000);
    assert_eq!(counts.mean_packets(time), 399.92 / 100.0);
    assert_eq!(counts.mean_bytes(time), 399_920.0 / 100.0);
    assert_eq!(counts.longest_sojourn.seconds(), 0.04);
}

/// The longest queue and the most packets are maxima over a part: a queue that was long before has no effect.
#[test]
fn the_longest_queue_is_that_of_the_part() {
    let mut document = constant_rate(5, 100, &json!(5));
    document["traffic"][0]["end"] = json!("10s");
    document["stop"]["batches"] = json!(2);
    let parts = play(&document);
    let most = |part: usize| {
        let counts = parts.links[2 * part];
        (counts.most_packets, counts.most_bits, counts.longest_sojourn.nanos())
    };
    assert_eq!([most(0), most(1)], [(4, 32_000, 40_000_000), (0, 0, 0)]);
}

fn two_hops(profile: &str, keys: &Value) -> Value {
    let mut last = json!({"rate": "0.8Mbps", "delay": "100ms"});
    last.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    json!({
        "profile": profile, "tcp": {"variant": "reno", "window": 40},
        "path": {"hop": [{"rate": "1.5Mbps", "delay": "10ms", "queue": 10}, last]},
        "flow": [{}, {"start": "1s", "count": 2}],
        "stop": {"time": "60s"},
    })
}

const LOSSES: &str =
    r#"{"queue": 12, "channel": {"kind": "burst", "loss_rate": 0.02, "mean_burst": 3.0}}"#;
const GATE: &str = r#"{"gate": {"kind": "schedule", "toggles": ["5s", "6s"], "loses": "all"}}"#;
const ARQ: &str =
    r#"{"arq": {"fragment": "400B", "attempts": 3}, "channel": {"kind": "iid", "loss_rate": 0.2}}"#;
const HEAD: &str = r#"{"queue": {"kind": "head-drop", "packets": 8}, "duplicate": 0.1}"#;

fn examples() -> Vec<Value> {
    let all = [("rfc", LOSSES), ("rfc", GATE), ("rfc", ARQ), ("rfc", HEAD), ("bsd", LOSSES)];
    let of_ns2 = [("ns2", LOSSES), ("ns2", GATE)];
    let each = all.iter().chain(&of_ns2);
    each.map(|(profile, keys)| two_hops(profile, &serde_json::from_str(keys).unwrap())).collect()
}

fn in_parts(document: &Value) -> Value {
    let mut document = document.clone();
    document["stop"] = json!({"time": "60s", "warmup": "7s", "batches": 4});
    document
}

#[test]
fn the_run_is_the_same() {
    for document in examples() {
        for document in [document.clone(), in_parts(&document)] {
            let plain = run(&scenario(&document), 1, 0, &Cancel::new()).unwrap().unwrap();
            assert_eq!(play(&document).flows, plain, "{document}");
        }
    }
}

#[test]
fn what_came_was_delivered_or_lost_or_is_under_way() {
    for document in examples() {
        let parts = play(&document);
        assert_eq!(parts.links.len(), 4);
        let sent: u64 = parts.flows.iter().map(|flow| flow.sent).sum();
        let arrived: u64 = parts.flows.iter().map(|f| f.deliveries + f.duplicates).sum();
        assert_eq!(parts.links[0].offered.packets, sent, "{document}");
        assert_eq!(parts.links[2].delivered.packets, arrived, "{document}");
        let acks: u64 = parts.flows.iter().map(|flow| flow.acks_sent).sum();
        assert_eq!(parts.links[3].offered.packets, acks, "{document}");
        for n in parts.links {
            let gone = n.delivered.packets + n.lost.total();
            let came = n.offered.packets + n.duplicated.packets;
            assert!((gone..=gone + 120).contains(&came), "{n:?}");
            assert!(n.utilisation(n.time) <= 1.0 && n.accepted.packets <= n.offered.packets);
        }
    }
}

/// Sums of what is counted; the largest of what is the most.
fn together(parts: &[LinkCounts]) -> Vec<i64> {
    let rows: Vec<Vec<i64>> = parts.iter().map(|part| part.values()).collect();
    let column = |(i, column): (usize, &Column)| {
        let values = rows.iter().map(|row| row[i]);
        if column.rule == CombineRule::Most { values.max().unwrap() } else { values.sum() }
    };
    LinkCounts::COLUMNS.iter().enumerate().map(column).collect()
}

#[test]
fn parts_add_up() {
    for document in examples() {
        let whole = play(&document);
        let mut split = document.clone();
        split["stop"] = json!({"time": "60s", "batches": 7});
        let parts = play(&split);
        for link in 0..4 {
            let of_link: Vec<LinkCounts> =
                parts.links.iter().skip(link).step_by(4).copied().collect();
            assert_eq!(of_link.len(), 7);
            assert_eq!(together(&of_link), together(&whole.links[link..=link]), "{document}");
        }
    }
}

/// 10 ms on the air, 100 ms on the wire and a window of 1: no two events of one instant are in doubt, and the rules of the
/// two profiles send the same.
#[test]
fn the_time_of_ns_counts_the_same() {
    let of = |profile: &str| {
        let mut document = two_hops(profile, &json!({"queue": 12}));
        let tcp = json!({"variant": "reno", "window": 1, "packet": "1000B", "ack": "40B"});
        document["tcp"] = tcp;
        if profile == "rfc" {
            document["tcp"]["delayed_ack"] = json!("0s");
        }
        document["flow"] = json!([{}]);
        let parts = play(&document);
        parts.links.iter().map(|link| link.values()).collect::<Vec<_>>()
    };
    for (ns2, rfc) in of("ns2").iter().zip(&of("rfc")) {
        for ((column, a), b) in LinkCounts::COLUMNS.iter().zip(ns2).zip(rfc) {
            // Doubles are rounded to nanoseconds: one for each end of a transmission.
            let within = if column.name == "busy_ns" { ns2[18] } else { 0 };
            assert!((a - b).abs() <= within, "{column:?}: {a} {b}");
        }
    }
}
