//! Whatever a run is at, it ends soon after it was cancelled: each of these would go on for minutes at least.

use airtcp_core::Cancel;
use airtcp_scenario::{Scenario, points};
use airtcp_sim::{Counts, run};
use serde_json::{Value, json};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// Long enough for every run to be at what takes it long.
const UNDER_WAY: Duration = Duration::from_millis(150);
/// A busy machine has time until then. It takes milliseconds.
const SOON: Duration = Duration::from_secs(20);

/// A flow that begins after a day over this hop, at 1 Gbit/s.
fn after_a_day(hop: &Value) -> Value {
    with_hop(hop, &json!([{"start": "86399s"}]), &json!({"time": "86400s"}))
}

/// Packets of a gigabyte, which take eight seconds each.
fn huge_packets(hop: &Value) -> Value {
    let mut document = with_hop(hop, &json!([{}]), &json!({"time": "60s"}));
    document["tcp"]["packet"] = json!("1000MB");
    document
}

fn with_hop(keys: &Value, flow: &Value, stop: &Value) -> Value {
    let mut hop = json!({"rate": "1Gbps", "delay": "1ms"});
    hop.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    json!({
        "profile": "ns2", "tcp": {"variant": "reno"}, "path": {"hop": [hop]}, "flow": flow, "stop": stop,
    })
}

fn slots(tcp: &Value, channel: &Value) -> Value {
    let mut document = json!({
        "profile": "zorzi", "tcp": {"variant": "reno"}, "channel": channel,
        "link": {"rate": "10Gbps", "packet": "1250B"}, "stop": {"slots": 1e12},
    });
    document["tcp"].as_object_mut().unwrap().extend(tcp.as_object().unwrap().clone());
    document
}

/// The result of a run that is cancelled while it is under way.
fn cancelled(name: &str, document: &Value) -> Option<Counts> {
    let point: Scenario = points(document).unwrap_or_else(|e| panic!("{name}: {e}")).remove(0);
    let (cancel, (done, ended)) = (Cancel::new(), channel());
    let flag = cancel.clone();
    thread::spawn(move || done.send(run(&point, 1, 0, &flag).unwrap()));
    thread::sleep(UNDER_WAY);
    cancel.set();
    ended.recv_timeout(SOON).unwrap_or_else(|_| panic!("{name}: goes on {SOON:?} after"))
}

#[test]
fn long_idle_times_can_be_left() {
    let phases = json!({"kind": "on-off", "on": "1us", "off": "1us", "loss_rate": 0.5});
    let sojourn = json!({"kind": "sojourn", "good": "1us", "bad": "1us"});
    let cases = [
        ("two-state", json!({"channel": {"kind": "two-state", "p_gb": 0.3, "p_bg": 0.5}})),
        ("iid", json!({"channel": {"kind": "iid", "loss_rate": 0.5}, "slotted": true})),
        ("on-off", json!({"channel": phases})),
        ("exit", json!({"exit": phases})),
        ("series", json!({"channel": {"kind": "series", "of": [sojourn]}})),
        ("sojourn", json!({"channel": sojourn})),
    ];
    for (name, hop) in cases {
        assert_eq!(cancelled(name, &after_a_day(&hop)), None, "{name} takes no time");
    }
    let waiting =
        slots(&json!({"timeout": 1_000_000_000}), &json!({"kind": "iid", "loss_rate": 0.5}));
    assert_eq!(cancelled("slots", &waiting), None);
}

#[test]
fn many_outages_can_be_left() {
    let short = json!({"kind": "exponential", "mean": "1us"});
    let last = json!({"kind": "values", "values": ["1us"], "repeat": false});
    let endless = json!({
        "kind": "modulated", "laws": [{"kind": "fixed", "value": "100h"}, last],
        "transition": [[0.999_999_999_999, 1e-12], [1, 0]],
    });
    let cases = [
        ("cuts", json!({"kind": "on-off", "up": "1us", "down": "1us"})),
        ("pauses", json!({"kind": "on-off", "up": "1us", "down": "1us", "loses": "nothing"})),
        ("spikes", json!({"kind": "spikes", "interval": short, "duration": short})),
        ("one endless spike", json!({"kind": "spikes", "interval": short, "duration": endless})),
    ];
    let arq = json!({"fragment": "1000B", "attempts": 3});
    for (name, gate) in cases {
        let hop = json!({"gate": gate});
        assert_eq!(cancelled(name, &after_a_day(&hop)), None, "{name} take no time");
        let hop = json!({"gate": gate, "arq": arq});
        assert_eq!(cancelled(name, &after_a_day(&hop)), None, "{name} take no time, with arq");
    }
}

#[test]
fn long_packets_can_be_left() {
    let fading = |mode: &str| json!({"channel": {"kind": "rayleigh", "snr": "60dB", "doppler": "400MHz", "mode": mode}});
    let cases = [
        ("bits", json!({"channel": {"kind": "sojourn", "good": "1bits", "bad": "1bits"}})),
        ("fast", fading("fast")),
        ("bit by bit", fading("bits")),
        ("fragments", json!({"arq": {"fragment": "1B", "attempts": 2}, "delay": "100s"})),
    ];
    for (name, hop) in cases {
        assert_eq!(cancelled(name, &huge_packets(&hop)), None, "{name} takes no time");
    }
}

#[test]
fn wide_windows_can_be_left() {
    for (profile, variant) in [("ns2", "sack"), ("rfc", "sack"), ("rfc", "newreno")] {
        let mut document = with_hop(
            &json!({"channel": {"kind": "iid", "loss_rate": 0.3}, "delay": "10s"}),
            &json!([{"count": 3}]),
            &json!({"time": "1e9s"}),
        );
        document["profile"] = json!(profile);
        document["tcp"] = json!({"variant": variant, "window": 1_000_000, "packet": "100B"});
        if profile == "rfc" {
            document["tcp"]["initial_window"] = json!(1_000_000);
        }
        assert_eq!(cancelled(&format!("{profile}/{variant}"), &document), None);
    }
    let lossy = json!({"kind": "iid", "loss_rate": 0.1});
    for variant in ["oldtahoe", "newreno", "sack"] {
        let tcp = json!({"variant": variant, "window": 1_000_000, "timeout": 1_000_000_000});
        assert_eq!(cancelled(variant, &slots(&tcp, &lossy)), None);
    }
}

/// A run passes periods that repeat in one step.
#[test]
fn periods_take_no_time() {
    let fixed =
        json!({"kind": "on-off", "on": "1us", "off": "2us", "loss_rate": 1, "lengths": "fixed"});
    for hop in [
        json!({"gate": {"kind": "periodic", "up": "1us", "down": "1us"}}),
        json!({"gate": {"kind": "periodic", "up": "1us", "down": "1us", "loses": "nothing"}}),
        json!({"channel": fixed}),
    ] {
        assert!(cancelled("periods", &after_a_day(&hop)).is_some(), "{hop}");
    }
}
