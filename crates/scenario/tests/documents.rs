//! Documents: completion by the profile, axes, and refusals in one line.

use crate::refusals::check;
use airtcp_scenario::{InputError, PathTcp, SlotScenario, document_schema};
use serde_json::{Value, json};

fn points(document: &Value) -> Result<Vec<SlotScenario>, InputError> {
    let all = airtcp_scenario::points(document)?;
    Ok(all.iter().map(|s| s.slot().expect("a profile on slots").clone()).collect())
}

fn minimal() -> Value {
    json!({
        "profile": "zorzi",
        "tcp": {"variant": "reno"},
        "channel": {"kind": "iid", "loss_rate": 0.01},
    })
}

/// `minimal` with the value at a JSON pointer replaced.
fn with(pointer: &str, value: Value) -> Value {
    let mut document = minimal();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let mut target = &mut document;
    for step in parent.split('/').skip(1) {
        target = &mut target[step];
    }
    target[key] = value;
    document
}

fn refusal(document: &Value) -> String {
    points(document).unwrap_err().to_string()
}

#[test]
fn the_profile_completes_a_document() {
    let all = points(&minimal()).unwrap();
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].tcp.window, all[0].tcp.dupacks, all[0].tcp.timeout), (24, 3, 100));
    assert_eq!(all[0].slot().nanos(), 7_466_667);
}

#[test]
fn the_first_axis_varies_slowest() {
    let document = json!({
        "profile": "zorzi",
        "tcp": {"variant": ["tahoe", "reno"], "window": {"from": 4, "to": 8, "points": 3, "scale": "linear"}},
        "channel": {"kind": "iid", "loss_rate": {"from": 0.001, "to": 0.1, "points": 3, "scale": "log"}},
    });
    let all = points(&document).unwrap();
    assert_eq!(all.len(), 18);
    let key = |s: &SlotScenario| (s.tcp.variant.name(), s.tcp.window);
    assert_eq!(
        [0, 3, 6, 9].map(|i| key(&all[i])),
        [("tahoe", 4), ("tahoe", 6), ("tahoe", 8), ("reno", 4)]
    );
    let rates: Vec<String> = all[..3]
        .iter()
        .map(|s| serde_json::to_value(&s.channel).unwrap()["loss_rate"].to_string())
        .collect();
    assert_eq!(rates[0], "0.001");
    assert_eq!(rates[2], "0.1");
    assert!((rates[1].parse::<f64>().unwrap() - 0.01).abs() < 1e-15);
}

#[test]
fn ranges_of_whole_numbers_hit_them() {
    let windows = |range: Value| -> Vec<u32> {
        let all = points(&with("/tcp/window", range)).unwrap();
        all.iter().map(|s| s.tcp.window).collect()
    };
    let linear = json!({"from": 1, "to": 23, "points": 23, "scale": "linear"});
    assert_eq!(windows(linear), (1..=23).collect::<Vec<_>>());
    let from_zero = json!({"from": 0, "to": 2, "points": 3, "scale": "linear"});
    let delays: Vec<u32> = points(&with("/ack", json!({"delay": from_zero})))
        .unwrap()
        .iter()
        .map(|s| s.ack.delay)
        .collect();
    assert_eq!(delays, [0, 1, 2]);
    let doubling = json!({"from": 1, "to": 64, "points": 7, "scale": "log"});
    assert_eq!(windows(doubling), [1, 2, 4, 8, 16, 32, 64]);
    let halves = json!({"from": 1, "to": 2, "points": 3, "scale": "linear"});
    assert!(refusal(&with("/tcp/window", halves)).starts_with("tcp.window: 1.5 is not a whole"));
}

#[test]
fn channels_of_several_kinds_make_one_axis() {
    let document = with(
        "/channel",
        json!([
            {"kind": "iid", "loss_rate": [0.01, 0.1]},
            {"kind": "rayleigh-two-state", "doppler": 0.01, "loss_rate": 0.1},
        ]),
    );
    let kinds: Vec<&str> =
        points(&document).unwrap().iter().map(|s| s.channel.entry().name).collect();
    assert_eq!(kinds, ["iid", "iid", "rayleigh-two-state"]);
}

#[test]
fn points_are_documents_again() {
    for point in points(&minimal()).unwrap() {
        let again = points(&serde_json::to_value(&point).unwrap()).unwrap();
        assert_eq!(again, vec![point]);
    }
}

#[test]
fn a_whole_float_is_an_integer() {
    let all = points(&with("/stop", json!({"slots": 1e6}))).unwrap();
    assert_eq!(all[0].stop.slots, 1_000_000);
}

#[test]
fn refused_values_are_named_with_what_is_allowed() {
    check(&[
        (
            with("/profile", json!("zorzy")),
            "profile: unknown profile \"zorzy\"; did you mean \"zorzi\"?",
        ),
        (with("/tcpp", json!({})), "unknown key \"tcpp\"; did you mean \"tcp\"?"),
        (with("/tcp/windw", json!(3)), "tcp: unknown key \"windw\"; did you mean \"window\"?"),
        (
            with("/tcp/variant", json!("Renoo")),
            "tcp.variant: unknown name \"Renoo\"; did you mean \"reno\"?",
        ),
        (with("/tcp/window", json!(0)), "tcp.window: 0 is not a whole number from 1 to 1000000"),
        (with("/tcp/window", json!(2.5)), "tcp.window: 2.5 is not a whole number"),
        (with("/tcp/window", json!("6")), "tcp.window: \"6\" is not a whole number"),
        (with("/tcp/window", json!([])), "tcp.window: the list is empty"),
        (with("/tcp/window", json!([6, -6])), "tcp.window[1]: -6 is not a whole number"),
        (with("/tcp/inflation", json!(1)), "tcp.inflation: 1 is not true or false"),
        (
            with("/tcp/timeout", json!(24)),
            "tcp.timeout: 24 slots is too short for reno at window 24: at least 25",
        ),
        (
            with("/link", json!({"rate": "400Gbps", "packet": "70B"})),
            "link.rate: 400Gbps is too fast for slots of 560 bits: 1.4000 ns are rounded to 1 ns, off by 28.6 % (at most 0.1 % is allowed, as in slots of 500 ns); give a lower rate or longer packets",
        ),
        (
            with("/ack", json!({"delay": 80})),
            "tcp.timeout: 100 slots is too short for reno at window 24: at least 105 (window + ack.delay + 1)",
        ),
        (
            with("/channel/loss_rate", json!(1.5)),
            "channel.loss_rate: 1.5 is not a number from 0 to 1",
        ),
        (
            with("/channel/loss_rate", json!(-0.1)),
            "channel.loss_rate: -0.1 is not a number from 0 to 1",
        ),
    ]);
}

#[test]
fn refused_structure_is_named_with_what_is_allowed() {
    check(&[
        (
            with("/channel/kind", json!("iida")),
            "channel.kind: unknown kind \"iida\"; did you mean \"iid\"?",
        ),
        (with("/channel", json!({"loss_rate": 0.1})), "channel.kind: missing; one of: iid"),
        (with("/channel", json!("iid")), "channel: \"iid\" is not a table"),
        (
            with("/channel", json!({"kind": "burst", "loss_rate": 0.1, "mean_burst": 0.5})),
            "channel.mean_burst: 0.5",
        ),
        (
            with("/channel", json!({"kind": "rayleigh-two-state", "doppler": 0.1})),
            "channel.loss_rate: give exactly one",
        ),
        (
            with("/link", json!({"rate": "1.5MBps"})),
            "link.rate: \"1.5MBps\" is not a rate such as \"1.5Mbps\"",
        ),
        (with("/link", json!({"rate": "-1Mbps"})), "link.rate: \"-1Mbps\""),
        (
            with("/link", json!({"packet": 1400})),
            "link.packet: 1400 is not a text such as \"1400B\"",
        ),
        (with("/stop", json!({"slots": [1, 2]})), "stop.slots: a list is not allowed here"),
        (with("/stop", json!({"slots": -1})), "stop.slots: -1"),
        (with("/stop", json!(3)), "stop: 3 is not a table"),
        (with("/ack", json!({"delay": 0.5})), "ack.delay: 0.5 is not a whole number"),
        (
            with("/analysis", json!({"method": "exactly"})),
            "analysis.method: unknown name \"exactly\"; did you mean \"exact\"?",
        ),
        (json!({"tcp": {}}), "profile: missing"),
        (
            json!({"profile": "zorzi", "channel": {"kind": "iid", "loss_rate": 0}}),
            "tcp.variant: missing",
        ),
        (json!([1]), "a scenario must be a table"),
    ]);
}

#[test]
fn the_schema_lets_profiles_provide_and_values_be_swept() {
    let schema = document_schema();
    let whole = &schema["$defs"]["ZorziScenario"];
    let required = &whole["properties"]["tcp"]["$ref"];
    assert_eq!(required, "#/$defs/ZorziTcp");
    assert_eq!(whole["required"], json!(["profile"]));
    let without_cases = &whole["then"];
    assert_eq!(without_cases["properties"]["tcp"]["required"], json!(["variant"]));
    assert_eq!(without_cases["required"], json!(["tcp", "channel"]));
    assert!(
        schema["$defs"]["ZorziTcp"]["properties"]["window"]["anyOf"].as_array().unwrap().len() == 3
    );
}

#[test]
fn a_scenario_on_slots_is_a_path_with_the_values_of_its_link() {
    let document = json!({
        "profile": "zorzi", "tcp": {"variant": "oldtahoe", "window": 12, "timeout": 200},
        "channel": {"kind": "rayleigh-two-state", "doppler": 0.01, "loss_rate": 0.1},
        "ack": {"delay": 5, "loss_rate": 0.25},
        "link": {"packet": "100B", "arq": {"fragments": 10, "attempts": 4, "feedback_delay": 6}},
    });
    let point = &points(&document).unwrap()[0];
    let path = point.to_path().unwrap();
    path.validate().unwrap();
    let slot = point.slot();
    let hop = &path.path.hop[0];
    assert!(hop.slotted && path.path.hop.len() == 1);
    assert_eq!(
        (hop.forward.rate, hop.forward.delay.unwrap().span().nanos(), &hop.forward.channel),
        (Some(point.link.rate), 0, &Some(point.channel.clone()))
    );
    let arq = hop.forward.arq.as_ref().unwrap();
    assert_eq!((arq.fragment, arq.attempts), (point.link.packet, 4));
    assert_eq!(arq.feedback_delay.unwrap().span(), slot * 6);
    assert_eq!(hop.back.as_ref().unwrap().delay.unwrap().span(), slot * 5);
    assert_eq!((path.tcp.packet().bytes(), path.tcp.name()), (1000, "tahoe"));
    let PathTcp::Rfc(tcp) = &path.tcp else { panic!("{path:?}") };
    assert_eq!(tcp.min_rto.span(), slot * 200);
    assert_eq!(path.stop.time.span(), slot * 1_000_000);
}

#[test]
fn packets_on_slots_that_cannot_be_real_ones_are_refused() {
    let refused = |pointer: &str, value: Value| {
        let point = &points(&with(pointer, value)).unwrap()[0];
        point.to_path().unwrap_err().to_string()
    };
    let line = refused("/link", json!({"packet": "32B"}));
    assert_eq!(
        line,
        "link.packet: packets of 32 B cannot carry the traffic of real programs (allowed: 68 to 65535 B); link.arq cuts them into fragments"
    );
    let line =
        refused("/link", json!({"packet": "500B", "arq": {"packet": "200B", "attempts": 2}}));
    assert_eq!(line, "link.arq.packet: 200 B do not fill a fragment: at least 500B");
    let line = refused("/link", json!({"packet": "60kB", "arq": {"fragments": 2, "attempts": 2}}));
    assert!(!line.contains("link.arq cuts"), "{line}");
}

#[test]
fn a_slotted_hop_shares_no_phases() {
    let document = json!({
        "profile": "rfc", "tcp": {"variant": "newreno"},
        "path": {"hop": [{"rate": "1Mbps", "delay": "1ms", "slotted": true, "channel": {
            "kind": "on-off", "on": "1s", "off": "1s", "loss_rate": 0.5, "shared": true,
        }}]},
    });
    let line = airtcp_scenario::points(&document).unwrap_err().to_string();
    assert_eq!(
        line,
        "path.hop[0].channel.shared: true is not possible on a slotted hop; give false, or slotted = false"
    );
}

#[test]
fn equal_values_of_an_axis_are_refused_as_equal_cases_are() {
    check(&[
        (
            with("/channel/loss_rate", json!([0.1, 0.2, 0.1])),
            "channel.loss_rate: 0.1 appears twice; give each value of an axis once",
        ),
        (
            with("/tcp/window", json!([6, 6.0])),
            "tcp.window: 6 appears twice; give each value of an axis once",
        ),
        (
            json!({
                "profile": "rfc", "tcp": {"variant": "sack"},
                "path": {"hop": [{"rate": "1Mbps", "delay": ["10ms", "20ms", "0.01s"]}]},
            }),
            "path.hop[0].delay: \"10ms\" and \"0.01s\" are the same; give each value of an axis once",
        ),
    ]);
}
