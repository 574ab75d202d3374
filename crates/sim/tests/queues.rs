//! Whole runs over the general transmitter.

use airtcp_core::Cancel;
use airtcp_scenario::{PathScenario, Scenario, points};
use airtcp_sim::network::{FlowCounts, RouteLosses, run};
use serde_json::{Value, json};

fn scenario(document: &Value) -> PathScenario {
    match points(document).unwrap_or_else(|e| panic!("{e}: {document}")).remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => panic!("a profile with a path"),
    }
}

fn play(document: &Value) -> Vec<FlowCounts> {
    run(&scenario(document), 1, 0, &Cancel::new()).unwrap().unwrap()
}

/// Three flows over two hops; the last hop has these keys besides.
fn document(profile: &str, variant: &str, keys: &Value) -> Value {
    let mut last = json!({
        "rate": "0.8Mbps", "delay": "100ms",
        "channel": {"kind": "burst", "loss_rate": 0.01, "mean_burst": 3.0},
    });
    last.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    json!({
        "profile": profile, "tcp": {"variant": variant, "window": 40},
        "path": {"hop": [{"rate": "1.5Mbps", "delay": "10ms"}, last]},
        "flow": [{}, {"start": "1s", "count": 2}],
        "stop": {"time": "300s"},
    })
}

/// The counts without the packets and bits that have met the channel: a hop asks it at arrivals, a transmitter at starts,
/// and the run ends in between.
fn without_questions(mut flows: Vec<FlowCounts>) -> Vec<FlowCounts> {
    for flow in &mut flows {
        flow.losses = RouteLosses { packets: flow.losses.packets, ..RouteLosses::default() };
    }
    flows
}

/// A head-drop queue that is never full is a drop-tail queue that is never full: the same run through another machine,
/// which is woken at other times.
#[test]
fn a_run_over_transmitters_is_that_over_hops() {
    for profile in ["rfc", "bsd"] {
        for variant in ["tahoe", "newreno", "sack"] {
            let variant = if profile == "bsd" { "reno" } else { variant };
            let queue = |kind: &str| json!({"queue": {"kind": kind, "packets": 1_000_000}});
            let [hops, transmitters] = ["drop-tail", "head-drop"]
                .map(|kind| without_questions(play(&document(profile, variant, &queue(kind)))));
            assert!(hops[0].sent > 3000, "{:?}", hops[0]);
            assert_eq!(format!("{hops:?}"), format!("{transmitters:?}"), "{profile} {variant}");
        }
    }
}

#[test]
fn a_queue_that_drops_at_its_head_gives_another_run_within_the_rate() {
    let [tail, head] = ["drop-tail", "head-drop"].map(|kind| {
        play(&document("rfc", "sack", &json!({"queue": {"kind": kind, "packets": 10}})))
    });
    assert_ne!(format!("{tail:?}"), format!("{head:?}"));
    for flows in [tail, head] {
        let (sent, acked) = flows.iter().fold((0, 0), |(s, a), f| (s + f.sent, a + f.acked));
        // 300 s at 0.8 Mbit/s are 30000 packets of 1000 bytes.
        assert!(sent > acked && (15_000..=30_000).contains(&acked), "{sent} {acked}");
    }
}

/// In profile ns2 too, which then has no link that ns has.
#[test]
fn every_copy_arrives_twice() {
    for profile in ["ns2", "rfc"] {
        let mut document = document(profile, "newreno", &json!({"duplicate": 1}));
        document["path"]["hop"][1].as_object_mut().unwrap().remove("channel");
        document["flow"] = json!([{"packets": 200}]);
        let flow = play(&document).remove(0);
        assert_eq!((flow.in_order, flow.acked), (200, 200), "{profile}");
        assert!(flow.duplicates >= 200, "{profile}: {flow:?}");
    }
}

#[test]
fn packets_that_overtake_look_like_losses() {
    let resent = |reorder: bool| {
        let jitter = json!({"kind": "uniform", "min": "0ms", "max": "100ms"});
        let mut document =
            document("rfc", "newreno", &json!({"jitter": jitter, "reorder": reorder}));
        document["path"]["hop"][1].as_object_mut().unwrap().remove("channel");
        document["flow"] = json!([{"packets": 2000}]);
        play(&document)[0].resent
    };
    assert_eq!(resent(false), 0);
    assert!(resent(true) > 100, "{}", resent(true));
}
