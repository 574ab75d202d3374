//! Cases: values that go together, beside axes that multiply.

use crate::refusals::check;
use airtcp_scenario::{Points, Scenario, document_schema, points};
use serde_json::{Value, json};

/// Two cases at two queues.
fn document() -> Value {
    json!({
        "profile": "rfc",
        "tcp": {"variant": "reno"},
        "path": {"hop": [{"rate": "10Mbps", "delay": "10ms", "queue": [20, 50]}]},
        "case": [
            {"name": "probing", "tcp": {"variant": "adaptive-probing"}},
            {"tcp": {"variant": "sack", "congestion": "cubic"}},
        ],
    })
}

fn with_cases(cases: Value) -> Value {
    let mut document = document();
    document["case"] = cases;
    document
}

fn zorzi(cases: &Value) -> Value {
    json!({
        "profile": "zorzi",
        "tcp": {"variant": "reno"},
        "channel": {"kind": "iid", "loss_rate": 0.01},
        "case": cases,
    })
}

fn as_json(document: &Value) -> Vec<Value> {
    let all = points(document).unwrap_or_else(|e| panic!("{e}"));
    all.iter().map(|point| serde_json::to_value(point).unwrap()).collect()
}

#[test]
fn cases_vary_slowest_and_multiply_with_axes() {
    let all = as_json(&document());
    let key = |point: &Value| {
        let tcp = &point["tcp"];
        format!(
            "{} {} {} {}",
            point["case"], tcp["variant"], tcp["congestion"], point["path"]["hop"][0]["queue"]
        )
    };
    assert_eq!(
        all.iter().map(key).collect::<Vec<_>>(),
        [
            r#""probing" "adaptive-probing" "reno" 20"#,
            r#""probing" "adaptive-probing" "reno" 50"#,
            r#""sack, cubic" "sack" "cubic" 20"#,
            r#""sack, cubic" "sack" "cubic" 50"#,
        ]
    );
    let found = Points::from_document(document(), || false).unwrap();
    assert_eq!(found.case_keys(), ["tcp.congestion", "tcp.variant"]);
    assert_eq!(found.distinguishing_points(), [0, 1, 2, 3]);
}

#[test]
fn a_case_is_what_the_same_values_are_in_tcp() {
    for (i, keys) in
        [json!({"variant": "adaptive-probing"}), json!({"variant": "sack", "congestion": "cubic"})]
            .iter()
            .enumerate()
    {
        let mut plain = document();
        plain.as_object_mut().unwrap().shift_remove("case");
        for (key, value) in keys.as_object().unwrap() {
            plain["tcp"][key] = value.clone();
        }
        let plain = as_json(&plain);
        let mut of_case = as_json(&document())[2 * i..2 * i + 2].to_vec();
        for point in &mut of_case {
            point.as_object_mut().unwrap().shift_remove("case");
        }
        assert_eq!(of_case, plain);
    }
}

#[test]
fn a_point_of_a_case_is_a_document() {
    for point in points(&document()).unwrap() {
        let written = serde_json::to_value(&point).unwrap();
        assert_eq!(points(&written).unwrap(), std::slice::from_ref(&point));
        let read: Scenario = serde_json::from_value(written).unwrap();
        assert_eq!(read, point);
    }
}

#[test]
fn names_are_made_of_values() {
    let names = |cases: Value| -> Vec<String> {
        let all = as_json(&cases);
        all.iter().map(|point| point["case"].as_str().unwrap().to_owned()).collect()
    };
    let cases = json!([
        {"tcp": {"window": 6, "inflation": true}},
        {"tcp": {"variant": "newreno"}, "channel": {"kind": "burst", "loss_rate": 0.1, "mean_burst": 4}},
        {"name": "as it is"},
        {"tcp.inflation": false, "tcp.dupacks": 4},
    ]);
    assert_eq!(
        names(zorzi(&cases)),
        [
            "window 6, inflation",
            "newreno, burst, loss rate 0.1, mean burst 4",
            "as it is",
            "no inflation, dupacks 4"
        ]
    );
}

#[test]
fn paths_reach_into_lists_and_lists_replace_lists() {
    let cases = json!([
        {"name": "deep", "path.hop[0].delay": "20ms"},
        {"name": "two", "flow": [{}, {"tcp": {"congestion": "cubic"}}]},
        {"name": "lossy", "path.hop[0].channel": {"kind": "iid", "loss_rate": 0.1}},
    ]);
    let all = as_json(&with_cases(cases.clone()));
    let seen = |i: usize, pointer: &str| all[i].pointer(pointer).cloned().unwrap_or(Value::Null);
    assert_eq!(all.len(), 6);
    assert_eq!(
        (seen(0, "/path/hop/0/delay"), seen(2, "/path/hop/0/delay")),
        (json!("20ms"), json!("10ms"))
    );
    assert_eq!(seen(3, "/flow/1/tcp/congestion"), json!("cubic"));
    assert_eq!(
        (seen(3, "/path/hop/0/queue"), seen(3, "/path/hop/0/channel")),
        (json!(50), Value::Null)
    );
    assert_eq!(seen(5, "/path/hop/0/channel/loss_rate"), json!(0.1));
    let found = Points::from_document(with_cases(cases), || false).unwrap();
    assert_eq!(found.case_keys(), ["flow", "path.hop[0].channel", "path.hop[0].delay"]);
}

#[test]
fn every_case_can_be_all_there_is() {
    let mut bare = document();
    bare.as_object_mut().unwrap().shift_remove("tcp");
    assert_eq!(points(&bare).unwrap().len(), 4, "the variant may be in the cases alone");
}

#[test]
fn many_points_of_cases_are_kept_as_choices() {
    let mut document = document();
    document["path"]["hop"][0]["queue"] =
        json!({"from": 2, "to": 5001, "points": 5000, "scale": "linear"});
    let cases: Vec<Value> = (2..52).map(|n| json!({"tcp": {"window": n}})).collect();
    document["case"] = cases.into();
    let found = Points::from_document(document, || false).unwrap();
    assert_eq!(found.len(), 250_000);
    let Scenario::Path(point) = found.get(249_999) else { panic!("a path") };
    assert_eq!(point.case.as_deref(), Some("window 51"));
}

fn one(case: &Value) -> Value {
    with_cases(json!([{"name": "x"}, case]))
}

#[test]
fn refused_cases() {
    check(&[
        (
            with_cases(json!({"name": "x"})),
            "case: {\"name\":\"x\"} is not a list of tables: write [[case]] for each",
        ),
        (with_cases(json!([])), "case: the list is empty"),
        (with_cases(json!([3])), "case[0]: 3 is not a table of keys"),
        (with_cases(json!([{}])), "case[0].name: missing; a case that sets no value needs a name"),
        (one(&json!({"name": 3})), "case[1].name: 3 is not a text"),
        (one(&json!({"name": " "})), "case[1].name: is empty"),
        (one(&json!({"name": "a\nb"})), "case[1].name: \"a\\nb\" is not one line of visible text"),
        (
            one(&json!({"name": "=1+1"})),
            "case[1].name: \"=1+1\" could be taken for a formula in a spreadsheet; begin with a letter or a digit",
        ),
        (
            one(&json!({"name": "x", "tcp": {"window": 3}})),
            "case[1].name: \"x\" is the name of case[0] too: give each its own",
        ),
        (
            one(&json!({"tpc": {"window": 3}})),
            "case[1]: unknown key \"tpc\"; did you mean \"tcp\"? (allowed: name, tcp, ",
        ),
        (
            one(&json!({"stop": {"time": "1s"}})),
            "case[1].stop: cannot be set by a case; a case sets values of tcp, link, channel, ack, path, flow",
        ),
        (one(&json!({"profile": "ns2"})), "case[1].profile: cannot be set by a case"),
    ]);
}

#[test]
fn refused_values_of_cases() {
    let mut typo = document();
    typo["tcp"]["windwo"] = json!(3);
    let mut lacking = document();
    lacking["tcp"].as_object_mut().unwrap().shift_remove("variant");
    lacking["case"][1]["tcp"].as_object_mut().unwrap().shift_remove("variant");
    check(&[
        (
            one(&json!({"tcp": {"varaint": "sack"}})),
            "case[1].tcp: unknown key \"varaint\"; did you mean \"variant\"?",
        ),
        (
            one(&json!({"tcp.varaint": "sack"})),
            "case[1].tcp: unknown key \"varaint\"; did you mean \"variant\"?",
        ),
        (
            one(&json!({"tcp": {"congestion": "cubik"}})),
            "case[1].tcp.congestion: unknown name \"cubik\"; did you mean \"cubic\"?",
        ),
        (
            one(&json!({"tcp": {"tick": "1s"}})),
            "case[1].tcp.tick: \"tick\" is a key of profiles ns2 and bsd, not of rfc",
        ),
        (
            one(&json!({"channel": {}})),
            "case[1].channel: \"channel\" is a key of profile zorzi, not of rfc",
        ),
        (
            one(&json!({"path.hop[1].delay": "1ms"})),
            "case[1].path.hop[1].delay: there is only hop[0]",
        ),
        (
            one(&json!({"path.hop[x].delay": "1ms"})),
            "case[1].path.hop[x].delay: [x] is not the number of an element",
        ),
        (
            one(&json!({"tcp.variant.kind": "1ms"})),
            "case[1].tcp.variant.kind: there is no kind: the value before it has no keys",
        ),
        (
            one(&json!({"tcp": {"packet": "30B"}})),
            "tcp.header: 40B leaves no room for payload; must be below packet, 30B (in the case \"packet 30B\")",
        ),
        (typo, "tcp: unknown key \"windwo\"; did you mean \"window\"?"),
        (lacking, "tcp.variant: missing; one of: tahoe"),
        (
            one(&json!({"tcp": {"variant": "reno"}})),
            "case[1]: has the same values as case[0]; change or remove one",
        ),
        (
            zorzi(&json!([{"flow": []}])),
            "case[0].flow: \"flow\" is a key of profiles ns2, rfc, bsd and linux, not of zorzi",
        ),
    ]);
}

#[test]
fn an_axis_or_cases_not_both() {
    let mut axis = document();
    axis["tcp"]["congestion"] = json!(["reno", "cubic"]);
    check(&[
        (
            one(&json!({"tcp": {"window": [6, 24]}})),
            "case[1].tcp.window: a case cannot hold a list or a range; make it an axis of all cases, tcp.window, or write one case for each value",
        ),
        (one(&json!({"tcp": [{"window": 6}]})), "case[1].tcp: "),
        (
            one(&json!({"path.hop[0].queue": 30})),
            "case[1].path.hop[0].queue: path.hop[0].queue is an axis of the scenario, which no case can set; keep the axis or the cases",
        ),
        (
            one(&json!({"path": {"hop": [{"rate": "1Mbps", "delay": "1ms"}]}})),
            "case[1].path.hop: path.hop[0].queue is an axis of the scenario",
        ),
        (
            axis,
            "case[1].tcp.congestion: tcp.congestion is an axis of the scenario, which no case can set; keep the axis or the cases",
        ),
    ]);
}

#[test]
fn the_schema_has_cases_of_each_profile() {
    let schema = document_schema();
    for (profile, section) in [("ZorziScenario", "channel"), ("RfcScenario", "flow")] {
        let case = &schema["$defs"][profile]["properties"]["case"];
        assert_eq!(case["type"], json!(["array", "string"]));
        assert!(case["items"]["properties"].get(section).is_some());
    }
    assert!(
        schema["$defs"]["RfcScenario"]["properties"]["case"]["items"]["properties"]
            .get("link")
            .is_none()
    );
}

#[test]
fn too_many_cases_are_refused_before_they_are_read() {
    let many: Vec<Value> = (0..10_001).map(|n| json!({"tcp": {"window": n}})).collect();
    let mut long = document();
    long["path"]["hop"][0]["opportunities"] = vec![1; 30_000].into();
    let some: Vec<Value> = (1..1000).map(|n| json!({"tcp": {"window": n}})).collect();
    long["case"] = some.into();
    check(&[
        (
            with_cases(many.into()),
            "case: 10001 cases; at most 10000 are allowed (use axes for values that vary independently)",
        ),
        (long, "case: 999 cases of 3"),
    ]);
}
