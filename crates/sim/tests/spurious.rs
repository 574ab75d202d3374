//! Spikes of delay on a path: a hop that holds its packets, or whose delay changes, loses nothing.

use airtcp_core::Cancel;
use airtcp_scenario::{Scenario, points};
use airtcp_sim::network::{FlowCounts, run};
use serde_json::{Value, json};

const VARIANTS: [&str; 4] = ["tahoe", "reno", "newreno", "sack"];
const WATCHES: [&str; 2] = ["f-rto", "eifel"];

/// 100 kbit/s with a spike of five seconds: the gate holds what comes.
fn held(variant: &str, spurious: &str) -> Value {
    json!({
        "profile": "rfc",
        "tcp": {
            "variant": variant, "spurious": spurious, "window": 20, "packet": "576B",
            "delayed_ack": "0s",
        },
        "path": {"hop": [{
            "rate": "100kbps", "delay": "100ms",
            "gate": {"kind": "schedule", "toggles": ["20s", "25s"], "loses": "nothing"},
        }]},
        "stop": {"time": "40s"},
    })
}

fn play(document: &Value) -> FlowCounts {
    let Scenario::Path(scenario) = points(document).unwrap().remove(0) else {
        unreachable!("a profile with a path")
    };
    run(&scenario, 1, 0, &Cancel::new()).unwrap().unwrap().remove(0)
}

#[test]
fn a_spike_makes_the_whole_window_go_again_unless_it_is_found_out() {
    for variant in VARIANTS {
        let plain = play(&held(variant, "none"));
        assert!(plain.resent >= 20, "{variant}: {} resent", plain.resent);
        for watch in WATCHES {
            let watched = play(&held(variant, watch));
            assert_eq!(watched.timeouts, plain.timeouts, "{variant} {watch}");
            assert_eq!(watched.resent, watched.timeouts, "{variant} {watch}: one per timeout");
            assert_eq!(watched.fast_retransmits, 0);
            assert!(watched.in_order > plain.in_order, "{variant} {watch}");
        }
    }
}

#[test]
fn a_change_of_delay_is_a_spike_too() {
    for variant in VARIANTS {
        let spiked = |watch| {
            let mut document = held(variant, watch);
            document["path"]["hop"][0]["gate"].take();
            document["path"]["hop"][0].as_object_mut().unwrap().remove("gate");
            document["path"]["hop"][0]["delays"] =
                json!([{"at": "20s", "delay": "4s"}, {"at": "20.5s", "delay": "100ms"}]);
            play(&document)
        };
        let plain = spiked("none");
        assert!(plain.timeouts > 0 && plain.resent > 2 * plain.timeouts, "{variant}: {plain:?}");
        for watch in WATCHES {
            let watched = spiked(watch);
            assert_eq!(watched.resent, watched.timeouts, "{variant} {watch}");
        }
    }
}

#[test]
fn losses_are_repaired_as_ever() {
    for variant in VARIANTS {
        for watch in WATCHES {
            let mut document = held(variant, watch);
            document["path"]["hop"][0]["channel"] = json!({"kind": "iid", "loss_rate": 0.05});
            document["path"]["hop"][0]["back"] =
                json!({"channel": {"kind": "iid", "loss_rate": 0.05}});
            document["flow"] = json!([{"packets": 300}]);
            document["stop"]["time"] = "2000s".into();
            let counts = play(&document);
            assert_eq!((counts.acked, counts.in_order), (300, 300), "{variant} {watch}");
        }
    }
}

#[test]
fn timestamps_take_twelve_bytes_of_a_packet_and_lengthen_acks() {
    for (watch, ack, payload) in [("none", 40, 536), ("f-rto", 40, 536), ("eifel", 52, 524)] {
        let document = held("newreno", watch);
        let counts = play(&document);
        assert_eq!(counts.sent_bits, counts.sent * 576 * 8, "{watch}");
        assert_eq!(counts.ack_bits, counts.acks_sent * ack * 8, "{watch}");
        let Scenario::Path(scenario) = points(&document).unwrap().remove(0) else { unreachable!() };
        assert_eq!(scenario.tcp.payload_bytes(), payload, "{watch}");
    }
}

#[test]
fn beside_timestamps_an_ack_has_room_for_three_blocks() {
    let longest = |watch| {
        let mut document = held("sack", watch);
        document["path"]["hop"][0].as_object_mut().unwrap().remove("gate");
        // Every second packet of a window.
        let holes: Vec<Value> = (0..8).map(|n| json!([100 + 2 * n, 1])).collect();
        document["path"]["hop"][0]["drop"] = holes.into();
        let Scenario::Path(scenario) = points(&document).unwrap().remove(0) else { unreachable!() };
        let table = airtcp_sim::network::trace(&scenario, 1, 0, &Cancel::new());
        let table = table.unwrap().unwrap();
        table.sacks.iter().map(|sack| sack[1..].iter().filter(|edge| **edge > 0).count() / 2).max()
    };
    assert_eq!((longest("none"), longest("eifel")), (Some(4), Some(3)));
}
