//! A scenario says whether chance decides anything in it: if it says no, all of its runs are the same.

use airtcp_core::Cancel;
use airtcp_scenario::{Scenario, points};
use airtcp_sim::run;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

fn scenario(document: &Value) -> Scenario {
    let mut scenarios = points(document).unwrap_or_else(|e| panic!("{e}: {document}"));
    assert_eq!(scenarios.len(), 1);
    scenarios.remove(0)
}

/// The counts of replications under several seeds.
fn runs(scenario: &Scenario, number: u64) -> Vec<Vec<i64>> {
    let run_with_seed = |seed| run(scenario, seed, 3 * seed, &Cancel::new()).unwrap().unwrap();
    (0..number).map(run_with_seed).collect()
}

fn differ(runs: &[Vec<i64>]) -> bool {
    runs.iter().any(|row| *row != runs[0])
}

/// Nothing in it draws.
fn path() -> Value {
    json!({
        "profile": "rfc",
        "tcp": {"variant": "sack", "window": 30},
        "path": {"hop": [{
            "rate": "1Mbps", "delay": "10ms", "queue": 8,
            "channel": {"kind": "trace", "lost": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]},
            "back": {"channel": {"kind": "trace", "lost": [0, 0, 0, 0, 1]}},
        }]},
        "stop": {"time": "20s"},
    })
}

fn slots() -> Value {
    json!({
        "profile": "zorzi",
        "tcp": {"variant": "reno", "timeout": 400},
        "channel": {"kind": "trace", "lost": [0, 0, 0, 0, 1, 0, 0, 1], "clock": "slot"},
        "stop": {"slots": 5000},
    })
}

fn with(mut document: Value, place: &str, value: Value) -> Value {
    let (table, key) = place.rsplit_once('/').unwrap();
    document.pointer_mut(table).unwrap()[key] = value;
    document
}

const IID: &str = r#"{"kind": "iid", "loss_rate": 0.1}"#;
const ARQ: &str =
    r#"{"fragment": "500B", "attempts": 9, "feedback_delay": "3ms", "feedback_loss": 0.4}"#;

#[test]
fn each_component_that_draws_makes_a_scenario_random() {
    let iid: Value = serde_json::from_str(IID).unwrap();
    let arq: Value = serde_json::from_str(ARQ).unwrap();
    let gate = json!({"kind": "on-off", "up": "1s", "down": "100ms"});
    let spikes = json!({
        "kind": "spikes", "interval": {"kind": "fixed", "value": "2s"},
        "duration": {"kind": "uniform", "min": "100ms", "max": "1s"},
    });
    let slot_arq =
        json!({"fragments": 4, "attempts": 9, "feedback_delay": 5, "feedback_loss": 0.4});
    let changes = [
        (path(), "/path/hop/0/exit", iid.clone()),
        (path(), "/path/hop/0/channel", iid.clone()),
        (path(), "/path/hop/0/arq", arq.clone()),
        (path(), "/path/hop/0/gate", gate),
        (path(), "/path/hop/0/gate", spikes),
        (path(), "/path/hop/0/back/exit", iid.clone()),
        (path(), "/path/hop/0/back/channel", iid.clone()),
        (path(), "/path/hop/0/back/arq", arq),
        (with(path(), "/tcp/variant", json!("reno")), "/profile", json!("bsd")),
        (slots(), "/channel", iid),
        (with(slots(), "/ack", json!({})), "/ack/loss_rate", json!(0.1)),
        (slots(), "/link", json!({"arq": slot_arq})),
    ];
    for (before, place, value) in changes {
        let quiet = scenario(&before);
        assert!(!quiet.is_random() && !differ(&runs(&quiet, 4)), "{before}");
        let after = with(before, place, value);
        let drawing = scenario(&after);
        assert!(drawing.is_random() && differ(&runs(&drawing, 20)), "{place}: {after}");
    }
}

/// A component, and whether it draws.
type Part = (Value, bool);

/// Any of these; what draws is rarer, so that many documents have nothing that does.
fn part(certain: &[&str], random: &[&str]) -> impl Strategy<Value = Part> + use<> {
    let read = |texts: &[&str], draws| -> Vec<Part> {
        texts.iter().map(|text| (serde_json::from_str(text).expect(text), draws)).collect()
    };
    prop_oneof![
        12 => select(read(certain, false)),
        1 => select(read(random, true)),
    ]
}

fn channel() -> impl Strategy<Value = Part> {
    part(
        &[
            "null",
            r#"{"kind": "iid", "loss_rate": 0}"#,
            r#"{"kind": "trace", "lost": [0, 0, 0, 0, 0, 0, 0, 1]}"#,
            r#"{"kind": "trace", "lost": [0, 0, 0, 0, 0, 0, 1], "clock": "40ms"}"#,
            r#"{"kind": "on-off", "on": "200ms", "off": "3s", "loss_rate": 1, "lengths": "fixed"}"#,
            r#"{"kind": "gilbert-elliott", "p": 0.1, "r": 0.2, "h": 1, "k": 1}"#,
            r#"{"kind": "series", "of": [{"kind": "burst", "loss_rate": 0, "mean_burst": 2},
                {"kind": "trace", "lost": [0, 0, 0, 1]}]}"#,
        ],
        &[
            IID,
            r#"{"kind": "sojourn", "good": "2s", "bad": "100ms"}"#,
            r#"{"kind": "rayleigh", "snr": "15dB", "doppler": "5Hz"}"#,
            r#"{"kind": "on-off", "on": "200ms", "off": "3s", "loss_rate": 0.5, "lengths": "fixed"}"#,
            r#"{"kind": "series", "of": [{"kind": "trace", "lost": [0]}, {"kind": "iid", "loss_rate": 0.1}]}"#,
        ],
    )
}

fn gate() -> impl Strategy<Value = Part> {
    part(
        &[
            "null",
            r#"{"kind": "periodic", "up": "2s", "down": "100ms"}"#,
            r#"{"kind": "schedule", "toggles": ["1s", "1.2s", "4s", "5s"], "loses": "nothing"}"#,
            r#"{"kind": "spikes", "interval": {"kind": "uniform", "min": "2s", "max": "2s"},
                "duration": {"kind": "values", "values": ["100ms", "1s"]}}"#,
        ],
        &[
            r#"{"kind": "on-off", "up": "2s", "down": "100ms"}"#,
            r#"{"kind": "spikes", "interval": {"kind": "fixed", "value": "2s"},
                "duration": {"kind": "exponential", "mean": "300ms"}}"#,
        ],
    )
}

/// One that draws needs a channel beside it, or there is nothing to report.
fn arq() -> impl Strategy<Value = Part> {
    part(&["null", r#"{"fragment": "500B", "attempts": 5, "feedback_delay": "2ms"}"#], &[ARQ])
}

/// A hop, or its way back: what of it draws.
fn direction() -> impl Strategy<Value = Part> {
    (channel(), channel(), arq()).prop_map(|(exit, channel, arq)| {
        let draws = exit.1 || channel.1 || (arq.1 && !channel.0.is_null());
        let mut table = json!({});
        for (key, (value, _)) in [("exit", exit), ("channel", channel), ("arq", arq)] {
            if !value.is_null() {
                table[key] = value;
            }
        }
        (table, draws)
    })
}

fn hop() -> impl Strategy<Value = Part> {
    (direction(), direction(), gate(), select(vec!["500kbps", "2Mbps"])).prop_map(
        |(ahead, back, gate, rate)| {
            let mut table = ahead.0;
            table["rate"] = json!(rate);
            table["delay"] = json!("15ms");
            table["queue"] = json!(12);
            table["back"] = back.0;
            if !gate.0.is_null() {
                table["gate"] = gate.0;
            }
            (table, ahead.1 || back.1 || gate.1)
        },
    )
}

fn document() -> impl Strategy<Value = Part> {
    let transport = select(vec![
        ("ns2", "tahoe"),
        ("ns2", "sack"),
        ("ns2", "skip-probing"),
        ("rfc", "newreno"),
        ("rfc", "sack"),
        ("rfc", "adaptive-probing"),
        ("bsd", "reno"),
    ]);
    let flows = select(vec![1, 1, 2]);
    (transport, proptest::collection::vec(hop(), 1..3), flows).prop_map(
        |((profile, variant), hops, flows)| {
            let draws = profile == "bsd" || hops.iter().any(|hop| hop.1);
            let hops: Vec<Value> = hops.into_iter().map(|hop| hop.0).collect();
            let document = json!({
                "profile": profile,
                "tcp": {"variant": variant, "window": 12},
                "path": {"hop": hops},
                "flow": [{"count": flows}],
                "stop": {"time": "8s"},
            });
            (document, draws)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn a_path_without_chance_has_one_run((document, draws) in document()) {
        let scenario = scenario(&document);
        prop_assert_eq!(scenario.is_random(), draws, "{}", document);
        if !draws {
            prop_assert!(!differ(&runs(&scenario, 4)), "{}", document);
        }
    }

    #[test]
    fn slots_without_chance_have_one_run(
        (channel, channel_draws) in channel(),
        ack_loss in select(vec![0.0, 0.0, 0.0, 1.0, 0.2]),
        feedback_loss in select(vec![0.0, 0.0, 0.4]),
        variant in select(vec!["tahoe", "newreno", "sack"]),
    ) {
        let channel = if channel.is_null() { json!({"kind": "trace", "lost": [0]}) } else { channel };
        let document = json!({
            "profile": "zorzi",
            "tcp": {"variant": variant, "window": 8, "timeout": 200},
            "channel": channel,
            "ack": {"delay": 3, "loss_rate": ack_loss},
            "link": {"arq": {"fragments": 3, "attempts": 4, "feedback_loss": feedback_loss}},
            "stop": {"slots": 3000},
        });
        let scenario = scenario(&document);
        let draws = channel_draws || ack_loss == 0.2 || feedback_loss > 0.0;
        prop_assert_eq!(scenario.is_random(), draws, "{}", document);
        if !draws {
            prop_assert!(!differ(&runs(&scenario, 4)), "{}", document);
        }
    }
}
