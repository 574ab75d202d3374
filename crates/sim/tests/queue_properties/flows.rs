//! Properties of the counts of every flow, whatever its packets meet and however short they are.

use crate::queue_properties::scenarios;
use airtcp_core::Cancel;
use airtcp_scenario::{PathScenario, Scenario, points};
use airtcp_sim::network::{FlowCounts, run};
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(document: &Value) -> PathScenario {
    match points(document).unwrap_or_else(|e| panic!("{e}: {document}")).remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => panic!("a profile with a path"),
    }
}

/// The scenarios of queues, by the RFCs.
fn of_rfc() -> impl Strategy<Value = Value> {
    scenarios::cases().prop_map(|case| case.document)
}

/// Networks whose senders are those of Linux, some with data without end.
fn of_linux() -> impl Strategy<Value = Value> {
    let control = prop_oneof!["reno", "cubic", "bbr", "bbr3"];
    let own = prop::collection::vec((control, any::<bool>(), any::<bool>(), 2..60_u32), 4);
    let all = (576..1500_u32, any::<bool>(), any::<bool>());
    (of_rfc(), own, all).prop_map(|(mut document, own, (packet, sack, timestamps))| {
        document["profile"] = "linux".into();
        document["tcp"] =
            json!({"packet": format!("{packet}B"), "sack": sack, "timestamps": timestamps});
        let flows = document["flow"].as_array_mut().expect("flows");
        for (flow, (control, ecn, bulk, window)) in flows.iter_mut().zip(own) {
            flow["tcp"] =
                json!({"congestion": control, "ecn": ecn, "window": format!("{window}kB")});
            if bulk {
                flow.as_object_mut().expect("a table").remove("packets");
            }
        }
        document
    })
}

/// The properties that the counts of a flow break whose full packets have so many bits of payload.
fn broken(counts: &FlowCounts, payload: u64) -> Vec<&'static str> {
    let c = counts;
    let properties = [
        ("acked <= in_order", c.acked <= c.in_order),
        ("in_order <= deliveries", c.in_order <= c.deliveries),
        ("deliveries + duplicates <= sent", c.deliveries + c.duplicates <= c.sent),
        ("resent <= sent", c.resent <= c.sent && c.resent_bits <= c.sent_bits),
        ("first arrivals are deliveries", c.first_arrival.number == c.deliveries),
        ("own ACKs <= deliveries", c.own_ack.number <= c.deliveries),
        ("covered <= first sent", c.cumulative_ack.number <= c.sent - c.resent),
        ("acks_arrived <= acks_sent", c.acks_arrived <= c.acks_sent),
        ("spurious <= timeouts", c.spurious_timeouts <= c.timeouts),
        ("acked_bits <= in_order_bits", c.acked_bits <= c.in_order_bits),
        ("in_order_bits <= in_order", c.in_order_bits <= c.in_order * payload),
        ("acked_bits <= acked", c.acked_bits <= c.acked * payload),
        ("in_order_bits <= sent_bits", c.in_order_bits <= c.sent_bits),
    ];
    properties
        .into_iter()
        .filter(|distribution| !distribution.1)
        .map(|distribution| distribution.0)
        .collect()
}

fn judge(document: &Value) -> Result<(), TestCaseError> {
    let scenario = read(document);
    let flows = run(&scenario, 1, 0, &Cancel::new()).expect("it fits").expect("it ends");
    for (flow, counts) in scenario.flow.iter().zip(&flows) {
        let broken = broken(counts, 8 * scenario.tcp_of(flow).payload_bytes());
        prop_assert!(broken.is_empty(), "{broken:?} {counts:?} {document}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::queue_properties::settings())]

    #[test]
    fn counts_keep_their_properties_by_the_rfcs(document in of_rfc()) {
        judge(&document)?;
    }

    #[test]
    fn counts_keep_their_properties_under_linux(document in of_linux()) {
        judge(&document)?;
    }
}

/// Transfers of a full packet and a short one each, on a path that loses nothing.
#[test]
fn short_packets_are_packets() {
    for (profile, tcp) in [("linux", json!({})), ("rfc", json!({"variant": "sack"}))] {
        let document = json!({
            "profile": profile, "tcp": tcp,
            "path": {"hop": [{"rate": "10Mbps", "delay": "20ms"}]},
            "flow": [{
                "think": {"kind": "fixed", "value": "100ms"},
                "sizes": {"kind": "fixed", "value": "2000B"},
            }],
            "stop": {"time": "20s"},
        });
        let flow = run(&read(&document), 1, 0, &Cancel::new()).unwrap().unwrap()[0];
        let packets = flow.acked;
        assert!(packets > 150 && packets.is_multiple_of(2), "{profile}: {flow:?}");
        assert_eq!(flow.acked_bits, packets / 2 * 16_000, "{profile}");
        assert_eq!((flow.duplicates, flow.resent), (0, 0), "{profile}");
        assert_eq!((flow.in_order, flow.in_order_bits), (flow.deliveries, flow.deliveries * 8000));
        assert!(flow.sent - flow.deliveries <= 2, "{profile}: what is under way {flow:?}");
    }
}
/// Four flows of Linux and a head-drop queue. A receiver whose hole is filled answers, and says at once that its application
/// has read: that second ACK answers no packet.
#[test]
fn an_update_of_the_window_is_no_answer() {
    let long = |mean, max| json!({"kind": "pareto", "shape": 1.3, "mean": mean, "max": max});
    let random = |mean| json!({"kind": "exponential", "mean": mean});
    let short = json!({"kind": "drop-tail", "packets": 2});
    let fair = json!({
        "kind": "fq-codel", "target": "100us", "interval": "200us", "mtu": "40B", "ecn": true,
        "quantum": "40B", "flows": 3, "hash": false, "packets": 4,
    });
    let document = json!({
        "profile": "linux",
        "tcp": {"packet": "1056B", "sack": true, "timestamps": false},
        "path": {"hop": [
            {
                "rate": "310kbps", "delay": "13020us", "queue": {"kind": "head-drop", "packets": 25},
                "back": {"rate": "10Mbps", "queue": short},
            },
            {
                "rate": "10Mbps", "delay": "18438us", "queue": short,
                "channel": {"kind": "iid", "loss_rate": 0.033_849_771_345_393_28},
                "back": {"rate": "630kbps", "queue": fair},
            },
        ]},
        "flow": [
            {
                "sender": "0", "receiver": "2", "start": "65ms",
                "arrivals": random("155ms"), "sizes": long("8540B", "170800B"),
                "tcp": {"congestion": "reno", "ecn": false, "window": "14kB"},
            },
            {
                "sender": "2", "receiver": "0", "start": "75ms",
                "think": random("453ms"), "sizes": long("5929B", "118580B"),
                "tcp": {"congestion": "reno", "ecn": true, "window": "3kB"},
            },
            {
                "sender": "0", "receiver": "2", "start": "402ms",
                "tcp": {"congestion": "bbr3", "ecn": true, "window": "7kB"},
            },
            {
                "sender": "0", "receiver": "2", "start": "235ms", "packets": 53,
                "tcp": {"congestion": "bbr", "ecn": false, "window": "29kB"},
            },
        ],
        "stop": {"time": "3s"},
    });
    let flow = run(&read(&document), 1, 0, &Cancel::new()).unwrap().unwrap()[2];
    assert_eq!((flow.acks_sent, flow.deliveries, flow.duplicates), (21, 20, 0));
    assert_eq!(flow.own_ack.number, 20);
}
