//! Packets on a path: what can be worked out by hand, and properties over random scenarios.

use airtcp_core::Cancel;
use airtcp_scenario::{PathScenario, Scenario, points};
use airtcp_sim::network::{FlowCounts, run};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

fn scenario(document: &Value) -> PathScenario {
    match points(document).unwrap_or_else(|e| panic!("{e}: {document}")).remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => panic!("a profile with a path"),
    }
}

fn play(document: &Value, seed: u64) -> Vec<FlowCounts> {
    run(&scenario(document), seed, 0, &Cancel::new()).unwrap().unwrap()
}

/// The path of ElAarag and Bassiouni: a wired hop and a wireless one.
fn two_hops(wireless: &Value) -> Value {
    let mut last = json!({"rate": "0.8Mbps", "delay": "100ms", "queue": 50});
    for (key, value) in wireless.as_object().unwrap() {
        last[key] = value.clone();
    }
    json!([{"rate": "1.5Mbps", "delay": "10ms", "queue": 50}, last])
}

fn transfer(variant: &str, hops: &Value, packets: u64) -> Value {
    json!({
        "profile": "ns2",
        "tcp": {"variant": variant, "window": 50, "packet": "1024B", "boot": 2e-5},
        "path": {"hop": hops},
        "flow": [{"packets": packets}],
        "stop": {"time": "100000s"},
    })
}

#[test]
fn five_thousand_packets_over_a_clean_path_take_52_290208_seconds() {
    for variant in ["tahoe", "reno", "newreno", "sack"] {
        let counts = play(&transfer(variant, &two_hops(&json!({})), 5000), 1).remove(0);
        let error = counts.milestone.unwrap().nanos() - 52_290_208_000;
        assert!(error.abs() < 10, "{variant}: {error} ns");
        assert_eq!((counts.sent, counts.resent, counts.timeouts), (5000, 0, 0));
        assert_eq!((counts.deliveries, counts.in_order, counts.acked), (5000, 5000, 5000));
    }
}

#[test]
fn a_single_packet_takes_two_airtimes_and_delays_each_way() {
    let counts = play(&transfer("reno", &two_hops(&json!({})), 1), 1).remove(0);
    // Doubles are rounded to a nanosecond where they are counted, not before.
    let one_way_delay = |bits: f64| bits / 1.5e6 + bits / 0.8e6 + 0.11;
    let nanos = |seconds: f64| (seconds * 1e9).round() as i64;
    assert_eq!(counts.first_arrival.sum, nanos(one_way_delay(8192.0)));
    assert_eq!(counts.own_ack.sum, nanos(one_way_delay(8192.0) + one_way_delay(320.0)));
    assert_eq!(counts.cumulative_ack.sum, nanos(one_way_delay(8192.0) + one_way_delay(320.0)));
}

/// However short packets are on it.
#[test]
fn no_flow_is_faster_than_its_link() {
    for gbps in [70.0, 400.0, 3000.0] {
        let mut document =
            transfer("reno", &json!([{"rate": format!("{gbps}Gbps"), "delay": "10ns"}]), 200_000);
        document["tcp"]["packet"] = json!("70B");
        document["tcp"]["window"] = json!(1000);
        let counts = play(&document, 1).remove(0);
        let took = counts.milestone.unwrap().nanos() as f64;
        let at_least = counts.sent_bits as f64 / gbps;
        assert!(took >= at_least, "{gbps} Gbit/s: {took} ns, at least {at_least}");
        assert!(
            took < 1.01 * at_least,
            "{gbps} Gbit/s: {took} ns, and the link is full from the start"
        );
    }
}

#[test]
fn variants_meet_the_same_disconnections() {
    // One packet every ten seconds, far apart: whether each is lost is a matter of the gate alone.
    let gate = json!({"gate": {"kind": "on-off", "up": "2s", "down": "2s"}});
    let lost = |variant: &str, seed| {
        let mut document = transfer(variant, &two_hops(&gate), 1);
        let starts = (0..200).map(|i| json!({"packets": 1, "start": format!("{}s", 10 * i)}));
        document["flow"] = starts.collect();
        document["stop"] = json!({"time": "2000s"});
        play(&document, seed).iter().map(|flow| flow.timeouts > 0).collect::<Vec<_>>()
    };
    let of_reno = lost("reno", 7);
    assert!((20..180).contains(&of_reno.iter().filter(|lost| **lost).count()));
    assert_eq!(of_reno, lost("sack", 7));
    assert_ne!(of_reno, lost("reno", 8));
}

#[test]
fn forced_losses_are_of_the_first_flow() {
    let forced = json!({"drop": [[3, 1]], "back": {"drop": [[1, 1]]}});
    let mut document = transfer("reno", &two_hops(&forced), 10);
    document["flow"] = json!([{"packets": 10}, {"packets": 10, "start": "1s"}]);
    let counts = play(&document, 1);
    let lost = |flow: &FlowCounts| flow.sent - flow.deliveries - flow.duplicates;
    assert_eq!((lost(&counts[0]), lost(&counts[1])), (1, 0));
    let acks = |flow: &FlowCounts| flow.acks_sent - flow.acks_arrived;
    assert_eq!((acks(&counts[0]), acks(&counts[1])), (1, 0));
}

fn gates() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({})),
        (30..100u32, 1..20u32, any::<bool>()).prop_map(|(up, down, all)| {
            let loses = if all { "all" } else { "nothing" };
            let (up, down) = (format!("{}ms", up * 100), format!("{}ms", down * 50));
            json!({"gate": {"kind": "on-off", "up": up, "down": down, "loses": loses}})
        }),
    ]
}

fn channels() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        (0..200u32).prop_map(|p| json!({"kind": "iid", "loss_rate": f64::from(p) / 1000.0})),
        (20..100u32, 1..9u32).prop_map(|(good, bad)| {
            let (good, bad) = (format!("{good}packets"), format!("{bad}packets"));
            json!({"kind": "sojourn", "good": good, "bad": bad})
        }),
    ]
}

fn hop() -> impl Strategy<Value = Value> {
    (400..2000u32, 0..60u32, 2..40u32, channels(), channels(), gates(), 0..60u32).prop_map(
        |(kbps, delay, queue, channel, back, gate, spike)| {
            let mut hop = json!({
                "rate": format!("{kbps}kbps"), "delay": format!("{delay}ms"), "queue": queue,
            });
            if !channel.is_null() {
                hop["channel"] = channel;
            }
            if !back.is_null() {
                hop["back"] = json!({"channel": back});
            }
            if let Some(gate) = gate.get("gate") {
                hop["gate"] = gate.clone();
            }
            if spike > 30 {
                let at = format!("{}ms", spike * 50);
                let end = format!("{}ms", spike * 60);
                hop["delays"] = json!([
                    {"at": at, "delay": "2s"}, {"at": end, "delay": format!("{delay}ms")},
                ]);
            }
            hop
        },
    )
}

fn document() -> impl Strategy<Value = Value> {
    let variant = prop_oneof![Just("tahoe"), Just("reno"), Just("newreno"), Just("sack")];
    let flow =
        (variant, 1..50u32, 1..80u32, 0..3000u32).prop_map(|(variant, window, packets, start)| {
            json!({
                "variant": variant, "window": window, "packets": packets,
                "start": format!("{start}ms"),
            })
        });
    let profile = prop_oneof![Just("ns2"), Just("rfc")];
    (profile, prop::collection::vec(hop(), 1..4), prop::collection::vec(flow, 1..5)).prop_map(
        |(profile, hops, flows)| {
            json!({
                "profile": profile,
                "tcp": {"variant": "reno"},
                "path": {"hop": hops},
                "flow": flows,
                "stop": {"time": "100000s"},
            })
        },
    )
}

proptest! {
    // PROPTEST_CASES sets another number of cases than 256.
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn everything_is_delivered_exactly_once_and_counts_add_up(document in document(), seed: u64) {
        let counts = play(&document, seed);
        prop_assert_eq!(&counts, &play(&document, seed), "same seed, same bits");
        for (count, flow) in counts.iter().zip(document["flow"].as_array().unwrap()) {
            let packets = flow["packets"].as_u64().unwrap();
            prop_assert_eq!(count.deliveries, packets, "{:?}", count);
            prop_assert_eq!(count.in_order, packets);
            prop_assert_eq!(count.acked, packets, "no deadlock");
            prop_assert!(count.deliveries + count.duplicates <= count.sent);
            prop_assert_eq!(count.sent - count.resent, packets);
            prop_assert!(count.acks_arrived <= count.acks_sent);
            prop_assert_eq!(count.first_arrival.number, packets);
            prop_assert_eq!(count.cumulative_ack.number, packets);
            prop_assert!(count.milestone.is_some());
        }
    }
}
