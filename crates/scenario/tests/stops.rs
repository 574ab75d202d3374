//! The stop rule: what is counted of a run, in which parts, and how many runs there are.

use airtcp_scenario::{InputError, Precision, Scenario};
use serde_json::{Value, json};

fn slots(stop: &Value) -> Value {
    json!({
        "profile": "zorzi",
        "tcp": {"variant": "reno"},
        "channel": {"kind": "iid", "loss_rate": 0.01},
        "stop": stop,
    })
}

fn path(stop: &Value) -> Value {
    json!({
        "profile": "rfc",
        "tcp": {"variant": "reno"},
        "path": {"hop": [{"rate": "1Mbps", "delay": "1ms"}]},
        "stop": stop,
    })
}

fn point(document: &Value) -> Result<Scenario, InputError> {
    airtcp_scenario::points(document).map(|mut points| points.remove(0))
}

fn stop_of(scenario: &Scenario) -> Value {
    serde_json::to_value(scenario).unwrap()["stop"].clone()
}

fn precision(scenario: &Scenario) -> Option<Precision> {
    match scenario {
        Scenario::Slot(scenario) => scenario.stop.precision.clone(),
        Scenario::Path(scenario) => scenario.stop.precision.clone(),
    }
}

#[test]
fn what_is_not_asked_for_is_not_written() {
    let said = [
        (slots(&json!({"slots": 9, "replications": 2, "warmup": 0, "batches": 1})), 2),
        (path(&json!({"time": "9s", "replications": 2, "warmup": "0ms", "batches": 1})), 2),
    ];
    for (document, keys) in said {
        let point = point(&document).unwrap();
        assert_eq!(stop_of(&point).as_object().unwrap().len(), keys);
        assert_eq!(precision(&point), None);
    }
}

#[test]
fn what_is_asked_for_is_read_back() {
    let asked = json!({"relative": 0.05, "metric": "goodput_bps", "confidence": 0.9, "least": 4, "most": 40});
    let documents = [
        slots(&json!({"slots": 100, "warmup": 10, "batches": 3, "precision": asked})),
        path(&json!({"time": "10s", "warmup": "1s", "batches": 3, "precision": asked})),
    ];
    for document in documents {
        let written = serde_json::to_value(point(&document).unwrap()).unwrap();
        let again = point(&written).unwrap();
        assert_eq!(stop_of(&again), written["stop"]);
        for (key, value) in document["stop"].as_object().unwrap() {
            assert_eq!(&written["stop"][key], value, "{key}");
        }
    }
}

#[test]
fn a_precision_is_complete_with_its_share() {
    let document = slots(&json!({"precision": {"relative": 0.01}}));
    let expected =
        Precision { relative: 0.01, metric: None, confidence: 0.95, least: 30, most: 10_000 };
    assert_eq!(precision(&point(&document).unwrap()), Some(expected));
}

#[test]
fn marks_are_the_ends_of_the_warm_up_and_of_the_parts() {
    let Scenario::Slot(scenario) =
        point(&slots(&json!({"slots": 20, "warmup": 5, "batches": 4}))).unwrap()
    else {
        panic!("a profile on slots")
    };
    assert_eq!(scenario.stop.part_ends().collect::<Vec<_>>(), [5, 8, 12, 16, 20]);
    let Scenario::Path(scenario) =
        point(&path(&json!({"time": "20ns", "warmup": "5ns", "batches": 4}))).unwrap()
    else {
        panic!("a profile with a path")
    };
    let nanos = scenario.stop.part_ends().map(|mark| mark.nanos());
    assert_eq!(nanos.collect::<Vec<_>>(), [5, 8, 12, 16, 20]);
}

#[test]
fn refusals() {
    let precise = |table: Value| slots(&json!({"precision": table}));
    let crowd = json!({"time": "1s", "batches": 1001});
    let mut flows = path(&crowd);
    flows["flow"] = json!([{"count": 1000}]);
    let cases = [
        (
            slots(&json!({"slots": 50, "warmup": 50})),
            "stop.warmup: 50 slots leave nothing to count; must be below stop.slots, 50",
        ),
        (slots(&json!({"warmup": -1})), "stop.warmup: -1 is not a whole number from 0 to"),
        (slots(&json!({"warmup": "5s"})), "stop.warmup: \"5s\" is not a whole number"),
        (slots(&json!({"warmup": [1, 2]})), "stop.warmup: a list is not allowed here"),
        (
            slots(&json!({"slots": 50, "warmup": 10, "batches": 41})),
            "stop.batches: 41 batches do not fit into 40 slots; at most 40",
        ),
        (slots(&json!({"batches": 0})), "stop.batches: 0 is not a whole number from 1 to 100000"),
        (slots(&json!({"batches": [1, 2]})), "stop.batches: a list is not allowed here"),
        (
            path(&json!({"time": "1s", "warmup": "1000ms"})),
            "stop.warmup: 1s leaves nothing to count; must be below stop.time, 1s",
        ),
        (path(&json!({"warmup": 5})), "stop.warmup: 5 is not a text such as \"10ms\""),
        (
            path(&json!({"time": "40ns", "warmup": "10ns", "batches": 31})),
            "stop.batches: 31 batches do not fit into 30 ns; at most 30",
        ),
        (flows, "stop.batches: 1001 batches of 1000 flows are 1001000 rows; at most 1000000"),
        (precise(json!({})), "stop.precision.relative: missing; a number"),
        (precise(json!(0.01)), "stop.precision: 0.01 is not"),
        (precise(json!([{"relative": 0.1}])), "stop.precision: a list is not allowed here"),
        (
            precise(json!({"relative": [0.1, 0.2]})),
            "stop.precision.relative: a list is not allowed here",
        ),
        (precise(json!({"relative": 0})), "stop.precision.relative: 0 is not above 0 and below 1"),
        (precise(json!({"relative": 1.5})), "stop.precision.relative: 1.5 is not a number from 0"),
        (
            precise(json!({"relative": 0.1, "confidence": 1})),
            "stop.precision.confidence: 1 is not above 0 and below 1",
        ),
        (precise(json!({"relative": 0.1, "least": 1})), "stop.precision.least: 1 is not a whole"),
        (
            precise(json!({"relative": 0.1, "least": 20, "most": 12})),
            "stop.precision.least: 20 is above most, 12",
        ),
        (
            precise(json!({"relative": 0.1, "leest": 20})),
            "stop.precision: unknown key \"leest\"; did you mean \"least\"?",
        ),
    ];
    for (document, line) in cases {
        let error = point(&document).expect_err(line).to_string();
        assert!(error.starts_with(line), "{error:?} does not start with {line:?}");
    }
}
