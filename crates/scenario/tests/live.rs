//! Keys for live runs only: axes like all others, which the simulation does not tell apart.

use airtcp_scenario::{Points, points};
use serde_json::{Value, json};

fn document(live: &Value) -> Value {
    json!({
        "profile": "rfc",
        "tcp": {"variant": ["newreno", "sack"], "window": 20},
        "path": {"hop": [{"rate": "1Mbps", "delay": "10ms"}]},
        "live": live,
        "stop": {"time": "10s"},
    })
}

fn refusal(live: &Value) -> String {
    points(&document(live)).unwrap_err().to_string()
}

#[test]
fn its_values_are_axes_that_the_simulation_does_not_tell_apart() {
    let live = json!({"congestion": ["cubic", "bbr"], "stack": ["kernel", "airtcp"]});
    let points = Points::from_document(document(&live), || false).unwrap();
    assert_eq!(points.len(), 8);
    assert_eq!(points.distinct(), [0, 4]);
    let points: Vec<_> =
        points.distinguishing_points().into_iter().map(|i| points.get(i)).collect();
    let controls: Vec<_> =
        points.iter().map(|p| p.path().unwrap().live.clone().unwrap().congestion).collect();
    assert!(controls.contains(&Some("cubic".into())) && controls.contains(&Some("bbr".into())));
}

#[test]
fn points_that_say_nothing_and_such_that_do_are_the_same_to_the_simulation() {
    let mut document = document(&json!({}));
    let table = document.as_object_mut().unwrap();
    table.remove("live");
    table.insert("case".into(), json!([{"name": "usual"}, {"live.congestion": "bbr"}]));
    let points = Points::from_document(document, || false).unwrap();
    assert_eq!((points.len(), points.distinct()), (4, vec![0, 1]));
}

#[test]
fn what_is_no_name_is_refused() {
    for name in ["", "two words", "a_name_of_sixteen"] {
        let said = refusal(&json!({"congestion": name}));
        assert!(said.starts_with("live.congestion: "), "{said}");
        assert!(said.ends_with("such as reno, cubic or bbr"), "{said}");
    }
    assert_eq!(
        refusal(&json!({"stack": "own"})),
        "live.stack: unknown name \"own\" (allowed: kernel, airtcp)"
    );
    assert!(refusal(&json!({"congestoin": "bbr"})).contains("did you mean \"congestion\"?"));
}

#[test]
fn slots_have_none() {
    let slots = json!({
        "profile": "zorzi", "tcp": {"variant": "tahoe"}, "channel": {"kind": "iid", "loss_rate": 0.1},
        "live": {"congestion": "bbr"}, "stop": {"slots": 100},
    });
    let said = points(&slots).unwrap_err().to_string();
    assert!(
        said.starts_with("live: \"live\" is a key of profiles ns2, rfc, bsd and linux"),
        "{said}"
    );
}
