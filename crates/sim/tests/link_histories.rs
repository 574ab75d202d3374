//! Records of links and of cross-traffic in a trace.

use airtcp_core::Cancel;
use airtcp_radio::LinkHistory;
use airtcp_scenario::{PathScenario, Scenario, points};
use airtcp_sim::network::{EventTable, trace, trace_within};
use serde_json::{Value, json};

fn scenario(document: &Value) -> PathScenario {
    match points(document).unwrap_or_else(|e| panic!("{e}: {document}")).remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => panic!("a profile with a path"),
    }
}

fn traced(scenario: &PathScenario) -> EventTable {
    let table = EventTable::default().with_links();
    trace_within(scenario, 1, 0, table, &Cancel::new()).unwrap().unwrap()
}

fn document(profile: &str, hop: &Value, traffic: &Value) -> Value {
    let mut document = json!({
        "profile": profile,
        "tcp": {"variant": "reno", "window": 20},
        "path": {"hop": [hop]},
        "flow": [{"packets": 200}, {"packets": 200, "start": "100ms"}],
        "stop": {"time": "60s"},
    });
    if *traffic != json!([]) {
        document["traffic"] = traffic.clone();
    }
    document
}

/// Hops of every kind, with what loses packets on them.
fn cases() -> Vec<(&'static str, PathScenario)> {
    let plain = json!({"rate": "1Mbps", "delay": "10ms", "queue": 6});
    let with = |key: &str, value: Value| {
        let mut hop = plain.clone();
        hop[key] = value;
        hop
    };
    let gate = json!({"kind": "schedule", "toggles": ["150ms", "300ms", "2s", "2010ms"]});
    let lossy = json!({"kind": "iid", "loss_rate": 0.05});
    let arq = json!({"fragment": "500B", "attempts": 2});
    let traffic = json!([{"rate": "300kbps", "packet": "500B", "count": 2, "end": "3s"}]);
    let back =
        json!([{"rate": "200kbps", "packet": "500B", "sender": "1", "receiver": "0", "end": "3s"}]);
    let mut retransmitting = with("channel", lossy.clone());
    retransmitting["arq"] = arq;
    let each = [
        ("plain", "rfc", plain.clone(), json!([])),
        ("a gate that cuts", "rfc", with("gate", gate.clone()), traffic.clone()),
        ("head drop", "rfc", with("queue", json!({"kind": "head-drop", "packets": 6})), traffic),
        ("retransmitting", "rfc", retransmitting, back),
        ("ns2", "ns2", with("channel", lossy), json!([])),
        ("ns2 with a gate", "ns2", with("gate", gate), json!([])),
    ];
    each.into_iter()
        .map(|(name, profile, hop, traffic)| (name, scenario(&document(profile, &hop, &traffic))))
        .collect()
}

/// The integral of the queue over time (packet ns).
fn integral(link: &LinkHistory, end: u64) -> u128 {
    let until = link.queue.iter().skip(1).map(|next| next[0]).chain([end]);
    link.queue.iter().zip(until).map(|(row, until)| u128::from(row[1] * (until - row[0]))).sum()
}

/// Whoever waits is transmitted, unless a gate or the queue itself drops it; all flows end, and nothing waits then.
#[test]
fn what_waits_is_the_sum_of_sojourns() {
    for (name, scenario) in cases() {
        let table = traced(&scenario);
        let end = table.end.expect("links were asked for").nanos().unsigned_abs();
        assert!(table.links.len() == 2 && end < 60_000_000_000, "{name}: {end}");
        assert!(!table.drops.is_empty(), "{name}: nothing was lost");
        for (number, link) in table.links.iter().enumerate() {
            let sojourns: u128 = link.sojourns.iter().map(|row| u128::from(row[1])).sum();
            let waited = integral(link, end);
            assert_eq!(link.queue.last().map_or(0, |last| last[1]), 0, "{name} {number}");
            let drops = number == 0 && (name.contains("gate") || name == "head drop");
            assert_eq!(waited > sojourns, drops, "{name} {number}: {waited} {sojourns}");
            assert!(waited >= sojourns, "{name} {number}: {waited} {sojourns}");
            // 1 Mbit/s: where every packet is sent in one piece, airtimes are its bits.
            let bits: u64 = link.sojourns.iter().map(|row| row[3]).sum();
            let busy: u64 = link.busy.iter().map(|[start, end]| end - start).sum();
            if name != "retransmitting" {
                assert_eq!(busy, 1000 * bits, "{name} {number}");
            }
            assert!(busy >= 1000 * bits, "{name} {number}");
        }
    }
}

/// Histories of links that are recorded beside the events change nothing in the run, and nothing in the table.
#[test]
fn links_are_an_addition() {
    for (name, scenario) in cases() {
        let (with, without) = (traced(&scenario), trace(&scenario, 1, 0, &Cancel::new()));
        let without = without.unwrap().unwrap();
        assert_eq!(with.events, without.events, "{name}");
        assert_eq!(with.states, without.states, "{name}");
        assert_eq!(with.traffic, without.traffic, "{name}");
        assert!(without.links.is_empty() && without.drops.is_empty() && without.end.is_none());
    }
}

/// Flows lose what the table of events says, but for what vanishes; cross-traffic loses what its own table says.
#[test]
fn losses_of_links_are_those_of_all_who_cross_them() {
    for (name, scenario) in cases() {
        let table = traced(&scenario);
        let of_flows = |drop: &&[u64; 3]| (drop[1] as u32) < 2;
        let shown = |drop: &&[u64; 3]| of_flows(drop) && drop[2] >> 32 != 6;
        let rows = table.events.iter().filter(|row| matches!(row[3] >> 48 & 0xff, 4 | 5));
        assert_eq!(table.drops.iter().filter(shown).count(), rows.count(), "{name}");
        let rows = table.traffic.iter().filter(|row| row[2] >> 32 & 0xffff == 4);
        let theirs = table.drops.iter().filter(|drop| !of_flows(drop));
        assert_eq!(theirs.count(), rows.count(), "{name}");
    }
}

/// 500 bytes of each take 4 ms, and 10 ms to arrive: what is lost and what arrives was sent.
#[test]
fn cross_traffic_is_sent_and_arrives_or_is_lost() {
    let hop = json!({"rate": "1Mbps", "delay": "10ms"});
    let traffic = json!([{"rate": "400kbps", "packet": "500B", "end": "25ms", "start": "5ms"}]);
    let mut value = document("rfc", &hop, &traffic);
    value["flow"] = json!([{"start": "1s"}]);
    let table = traced(&scenario(&value));
    let rows: Vec<_> = table.traffic.iter().map(|row| (row[0] / 1_000_000, row[2])).collect();
    let arrived = 6 << 32 | 1;
    assert_eq!(rows, [(5, 0), (15, 0), (19, arrived), (29, arrived)]);
    assert!(table.traffic.iter().all(|row| row[1] == 500 << 32));
    for (name, scenario) in cases() {
        let table = traced(&scenario);
        let of = |code: u64| table.traffic.iter().filter(|t| t[2] >> 32 & 0xffff == code).count();
        let (sent, gone) = (of(0), of(4) + of(6));
        assert!(gone <= sent && sent - gone < 20, "{name}: {sent} {gone}");
    }
}

#[test]
fn the_history_of_links_counts_as_memory() {
    let (_, scenario) = cases().remove(0);
    let run = |room: usize, links: bool| {
        let table = EventTable::with_limit(room);
        let table = if links { table.with_links() } else { table };
        trace_within(&scenario, 1, 0, table, &Cancel::new()).map(|table| table.unwrap())
    };
    let (table, without) = (run(usize::MAX, true).unwrap(), run(usize::MAX, false).unwrap());
    let histories: usize = table.links.iter().map(LinkHistory::bytes).sum();
    let records = size_of_val(&without.events[..])
        + size_of_val(&without.states[..])
        + size_of_val(&without.slow_states[..]);
    let room = records + histories / 2;
    assert!(run(room, false).is_ok());
    let refusal = run(room, true).expect_err("more than there is room for");
    assert_eq!(refusal.field, "stop.time");
    assert!(refusal.message.starts_with("the events of "), "{}", refusal.message);
}
