//! Flows of profile `linux`.

use airtcp_core::Cancel;
use airtcp_scenario::{PathScenario, Scenario, points};
use airtcp_sim::network::{FlowCounts, run, trace};
use serde_json::{Value, json};

fn scenario(document: &Value) -> PathScenario {
    match points(document).unwrap_or_else(|e| panic!("{e}")).remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => unreachable!("a profile with a path"),
    }
}

fn document(tcp: &Value, hop: &Value) -> Value {
    json!({"profile": "linux", "tcp": tcp, "path": {"hop": [hop]}, "stop": {"time": "10s"}})
}

fn counts(document: &Value, replication: u64) -> Vec<FlowCounts> {
    run(&scenario(document), 1, replication, &Cancel::new()).unwrap().unwrap()
}

fn clean() -> Value {
    json!({"rate": "20Mbps", "delay": "10ms", "queue": 100})
}

/// 20 Mbit/s carry 1666.7 packets of 1500 B per second.
#[test]
fn a_flow_fills_a_clean_link() {
    for control in ["reno", "cubic", "bbr", "bbr3"] {
        let flow = counts(&document(&json!({"congestion": control}), &clean()), 0)[0];
        let rate = flow.in_order as f64 / 10.0;
        assert!((1550.0..=1667.0).contains(&rate), "{control}: {rate}");
        assert_eq!(flow.in_order_bits, flow.in_order * 8 * 1448, "{control}");
        assert!(flow.acked <= flow.in_order && flow.in_order <= flow.deliveries);
        assert_eq!(flow.timeouts, 0, "{control}");
        assert!(flow.acks_sent < flow.deliveries * 6 / 10, "{control}: an ACK per two packets");
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_and_replications_differ() {
    let mut hop = clean();
    hop["channel"] = json!({"kind": "iid", "loss_rate": 0.01});
    let lossy = document(&json!({}), &hop);
    assert_eq!(counts(&lossy, 3), counts(&lossy, 3));
    assert_ne!(counts(&lossy, 3), counts(&lossy, 4));
    // Nothing but the phases of ticks differs.
    let phases = document(&json!({}), &json!({"rate": "5Mbps", "delay": "7ms", "queue": 30}));
    assert_ne!(counts(&phases, 0), counts(&phases, 1));
}

/// The SYN, the SYN-ACK and the ACK cross the link: data leave after a round trip.
#[test]
fn a_trace_shows_the_handshake() {
    let table = trace(&scenario(&document(&json!({}), &clean())), 1, 0, &Cancel::new());
    let table = table.unwrap().unwrap();
    let code = |event: &[u64; 4]| (event[3] >> 48) as u8;
    let first: Vec<_> =
        table.events.iter().take(20).map(|e| (code(e), e[1].cast_signed())).collect();
    let (control, control_arrive, ack_sent, ack, send) = (17, 19, 7, 2, 0);
    assert_eq!(first[..4], [(control, -1), (control_arrive, -1), (ack_sent, 0), (control, 0)]);
    assert!(first[4..].contains(&(ack, 0)) && first[4..].contains(&(send, 0)), "{first:?}");
    let sent = table.events.iter().find(|event| code(event) == send).unwrap()[0];
    // 60 bytes each way at 20 Mbit/s, 10 ms each way.
    assert_eq!(sent, 2 * (24_000 + 10_000_000));
}

#[test]
fn a_flow_that_ends_completes() {
    let mut short = document(&json!({}), &clean());
    short["flow"] = json!([{"size": "100kB"}]);
    let flow = counts(&short, 0)[0];
    assert_eq!((flow.in_order_bits, flow.in_order, flow.acked), (800_000, 70, 70));
    let taken = flow.milestone.expect("it completes").seconds();
    // A handshake, and 10, 20, 40 packets: four round trips, and 70 airtimes at most.
    assert!((0.08..0.08 + 0.05 + 70.0 * 0.0006).contains(&taken), "{taken}");
    assert_eq!(flow.time, flow.milestone.unwrap());
}

#[test]
fn cubic_and_bbr_share_a_link() {
    let mut both = document(&json!({"congestion": "cubic"}), &clean());
    both["flow"] = json!([{}, {"tcp": {"congestion": "bbr"}}]);
    both["stop"]["time"] = json!("30s");
    let flows = counts(&both, 0);
    let sum: u64 = flows.iter().map(|flow| flow.in_order).sum();
    assert!((45_000..=50_000).contains(&sum), "{sum}");
    assert!(flows.iter().all(|flow| flow.in_order > 2_500), "{flows:?}");
}

/// Both ways at once, beside cross-traffic: links carry either kind of segment.
#[test]
fn flows_go_both_ways_beside_cross_traffic() {
    let mut both = document(&json!({}), &clean());
    both["flow"] = json!([{}, {"sender": "1", "receiver": "0"}]);
    both["traffic"] = json!([{"rate": "2Mbps", "packet": "500B"}]);
    let flows = counts(&both, 0);
    assert!(flows.iter().all(|flow| flow.in_order > 10_000), "{flows:?}");
}

#[test]
fn parts_add_up_to_the_whole() {
    let mut hop = clean();
    hop["channel"] = json!({"kind": "iid", "loss_rate": 0.005});
    let whole = document(&json!({}), &hop);
    let mut parts = whole.clone();
    parts["stop"]["batches"] = json!(5);
    let (whole, parts) = (counts(&whole, 0)[0], counts(&parts, 0));
    let sum = |of: fn(&FlowCounts) -> u64| parts.iter().map(of).sum::<u64>();
    assert_eq!(parts.len(), 5);
    assert_eq!(sum(|f| f.sent), whole.sent);
    assert_eq!(sum(|f| f.in_order_bits), whole.in_order_bits);
    assert_eq!(sum(|f| f.fast_retransmits), whole.fast_retransmits);
    assert!(whole.resent > 0 && whole.fast_retransmits > 0);
}

/// The third copy of packet 40 is the first that gets through.
#[test]
fn forced_losses_name_packets_as_in_other_profiles() {
    let mut hop = clean();
    hop["drop"] = json!([[40, 1], [40, 2]]);
    hop["back"] = json!({"drop": [[19, 1]]});
    let table = trace(&scenario(&document(&json!({}), &hop)), 1, 0, &Cancel::new());
    let table = table.unwrap().unwrap();
    let lost = |code: u64| -> Vec<_> {
        let forced = 4 << 56 | code << 48;
        let of = table.events.iter().filter(|event| event[3] >> 48 << 48 == forced);
        of.map(|event| event[1]).collect()
    };
    assert_eq!(lost(4), [40 * 1448, 40 * 1448]);
    assert_eq!(lost(5), [20 * 1448]);
}

#[test]
fn settings_of_the_host_count() {
    let mut hop = clean();
    hop["gate"] = json!({"kind": "periodic", "up": "2s", "down": "0.7s"});
    let with = |tcp| counts(&document(&tcp, &hop), 0)[0];
    let (usual, patient) =
        (with(json!({})), with(json!({"sysctl": {"tcp_rto_min_us": 2_000_000}})));
    assert!(usual.timeouts > patient.timeouts, "{} {}", usual.timeouts, patient.timeouts);
    let narrow = with(json!({"window": "20kB"}));
    // 13 packets at most per round trip of 20.7 ms.
    assert!((3000..6300).contains(&narrow.in_order), "{}", narrow.in_order);
    assert!(usual.in_order > 8000, "{}", usual.in_order);
}
