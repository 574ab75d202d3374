//! The keys `queue`, `jitter`, `reorder` and `duplicate` of a hop.

use crate::refusals::check;
use airtcp_core::Payload;
use airtcp_radio::{Discipline, HopConfig, Ns2Hop};
use airtcp_scenario::{HopQueue, PathScenario, QueueLimit, citations, points};
use serde_json::{Value, json};

#[derive(Clone, Copy)]
struct Packet;

impl Payload for Packet {
    fn bits(&self) -> u64 {
        8192
    }
}

/// A path of one hop with these keys besides rate and delay.
fn document(keys: &Value) -> Value {
    let mut hop = json!({"rate": "1.5Mbps", "delay": "10ms"});
    hop.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    json!({"profile": "ns2", "tcp": {"variant": "reno"}, "path": {"hop": [hop]}})
}

fn all(keys: &Value) -> Vec<PathScenario> {
    let points = points(&document(keys)).unwrap_or_else(|e| panic!("{e}"));
    points.iter().map(|point| point.path().unwrap().clone()).collect()
}

/// The hop on the way to the receiver, and the one back.
fn built(keys: &Value) -> [HopConfig; 2] {
    let (mut forward, mut back) = all(keys)[0].hops(1, 0).unwrap();
    [forward.remove(0), back.remove(0)]
}

#[test]
fn the_long_spelling_of_drop_tail_is_the_short_one() {
    let disciplines = |queue: Value| built(&json!({"queue": queue})).map(|hop| hop.queue);
    for (long, short) in [("packets", json!(50)), ("bytes", json!("64kB"))] {
        let table = json!({"kind": "drop-tail", long: short});
        assert_eq!(disciplines(table.clone()), disciplines(short));
        let hops = built(&json!({"queue": table}));
        assert!(
            hops.iter()
                .all(|hop| hop.is_fate_known_on_arrival() && Ns2Hop::<Packet>::is_supported(hop))
        );
    }
}

#[test]
fn a_queue_is_that_of_both_directions_unless_the_way_back_has_one() {
    let queue = json!({"kind": "head-drop", "packets": 9});
    let managed = |keys: Value| built(&keys).map(|hop| hop.managed.is_some());
    assert_eq!(managed(json!({"queue": queue})), [true, true]);
    assert_eq!(managed(json!({"queue": queue, "back": {"queue": 5}})), [true, false]);
    assert_eq!(managed(json!({"queue": 5, "back": {"queue": queue}})), [false, true]);
    let [_, back] = built(&json!({"queue": queue, "back": {"queue": 5}}));
    assert_eq!(back.queue, Discipline::DropTail(5));
}

#[test]
fn the_wire_is_of_one_direction_and_no_link_of_ns() {
    let distribution = json!({"kind": "uniform", "min": "0ms", "max": "5ms"});
    let wire = |hop: &HopConfig| (hop.jitter.is_some(), hop.reorder, hop.duplication.is_some());
    let keys = json!({"jitter": distribution, "reorder": true, "duplicate": 0.01});
    let ahead = built(&keys);
    assert_eq!(ahead.each_ref().map(wire), [(true, true, true), (false, false, false)]);
    assert_eq!(ahead.each_ref().map(Ns2Hop::<Packet>::is_supported), [false, true]);
    let netem = json!({"reorder": {"probability": 0.25, "correlation": 0.5}});
    let [ahead, _] = built(&netem);
    assert!(ahead.reorder && ahead.overtaking.is_some());
    let [_, back] = built(&json!({"back": netem}));
    assert!(back.reorder && back.overtaking.is_some() && !Ns2Hop::<Packet>::is_supported(&back));
    let home = built(&json!({"back": keys}));
    assert_eq!(home.each_ref().map(wire), [(false, false, false), (true, true, true)]);
    let none = built(&json!({"duplicate": 0}));
    assert!(none.iter().all(HopConfig::is_fate_known_on_arrival));
}

#[test]
fn queues_and_their_values_are_axes() {
    let queue = |packets: Value| json!({"kind": "head-drop", "packets": packets});
    let found = |queue: Value| -> Vec<HopQueue> {
        all(&json!({"queue": queue}))
            .iter()
            .map(|s| s.path.hop[0].forward.queue.clone().unwrap())
            .collect()
    };
    let five: HopQueue = QueueLimit::Packets(5).into();
    let several = found(json!([5, queue(json!(5)), queue(json!(9))]));
    assert!(several.len() == 3 && several[0] == five && several[1] != several[2]);
    assert_eq!(found(queue(json!([5, 9]))), several[1..]);
    let range = found(json!({"from": 5, "to": 15, "points": 3, "scale": "linear"}));
    assert_eq!(range, [5, 10, 15].map(|n| QueueLimit::Packets(n).into()));
    let laws = json!([{"kind": "fixed", "value": "1ms"}, {"kind": "exponential", "mean": "1ms"}]);
    assert_eq!(all(&json!({"jitter": laws, "duplicate": [0, 0.5]})).len(), 4);
}

#[test]
fn a_point_is_a_document_and_cites_what_it_uses() {
    let keys = json!({
        "queue": {"kind": "head-drop", "bytes": "64kB"},
        "jitter": {"kind": "lomax", "shape": 1.5, "mean": "2ms"}, "duplicate": 0.1,
        "reorder": {"probability": 0.25, "gap": 5},
        "channel": {"kind": "states", "loss": [0, 1], "transition": [[0.9, 0.1], [1, 0]]},
    });
    let point = points(&document(&keys)).unwrap().remove(0);
    let written = serde_json::to_value(&point).unwrap();
    assert_eq!(points(&written).unwrap(), std::slice::from_ref(&point));
    let cited = citations(&point);
    assert!(
        ["lakshman1996", "lomax1954", "salsano2012"].iter().all(|key| cited.contains(key)),
        "{cited:?}"
    );
}

#[test]
fn chance_decides_jitter_and_duplicates() {
    let is_random = |keys: Value| points(&document(&keys)).unwrap()[0].is_random();
    let fixed = json!({"kind": "fixed", "value": "1ms"});
    let spread = json!({"kind": "exponential", "mean": "1ms"});
    assert!(!is_random(
        json!({"jitter": fixed, "duplicate": 1, "queue": {"kind": "head-drop", "packets": 9}})
    ));
    assert!(is_random(json!({"jitter": spread})));
    assert!(is_random(json!({"duplicate": 0.5})));
    assert!(!is_random(json!({"reorder": {"probability": 1, "gap": 5}})));
    assert!(is_random(json!({"reorder": {"probability": 0.5}})));
    assert!(is_random(json!({"back": {"reorder": {"probability": 0.5}}})));
    assert!(is_random(json!({"back": {"jitter": spread}})));
    assert!(is_random(json!({"back": {"duplicate": 0.5}})));
}

#[test]
fn refusals() {
    let distribution = json!({"kind": "uniform", "min": "2ms", "max": "1ms"});
    let fine = json!({"kind": "fixed", "value": "1ms"});
    let arq = json!({"fragment": "100B", "attempts": 3});
    let head_drop = json!({"kind": "head-drop", "packets": 9});
    let apart = "cannot be combined with arq on one hop; put each on its own hop";
    let with = |keys: Value| document(&keys);
    check(&[
        (with(json!({"queue": {"kind": "codl"}})), "path.hop[0].queue.kind: unknown kind \"codl\""),
        (
            with(json!({"queue": {"packets": 9}})),
            "path.hop[0].queue.kind: missing; one of: drop-tail, head-drop",
        ),
        (
            with(json!({"queue": {"kind": "head-drop"}})),
            "path.hop[0].queue.packets: missing; give packets or bytes",
        ),
        (
            with(json!({"queue": {"kind": "drop-tail", "packets": 9, "bytes": "9B"}})),
            "path.hop[0].queue.bytes: give either this or packets",
        ),
        (
            with(json!({"queue": {"kind": "head-drop", "packets": 1}})),
            "path.hop[0].queue.packets: 1 is not a whole number from 2 to 1000000000",
        ),
        (
            with(json!({"queue": {"kind": "head-drop", "packet": 5}})),
            "path.hop[0].queue: unknown key \"packet\"; did you mean \"packets\"?",
        ),
        (with(json!({"jitter": distribution})), "path.hop[0].jitter.min: 2ms is above max, 1ms"),
        (
            with(json!({"back": {"jitter": distribution}})),
            "path.hop[0].back.jitter.min: 2ms is above",
        ),
        (with(json!({"duplicate": 1.5})), "path.hop[0].duplicate: 1.5 is not a number from 0 to 1"),
        (with(json!({"arq": arq, "jitter": fine})), &format!("path.hop[0].jitter: {apart}")),
        (with(json!({"arq": arq, "reorder": true})), &format!("path.hop[0].reorder: {apart}")),
        (with(json!({"arq": arq, "duplicate": 0.1})), &format!("path.hop[0].duplicate: {apart}")),
        (
            with(json!({"arq": arq, "queue": head_drop})),
            "path.hop[0].queue.kind: \"head-drop\" cannot be combined with arq; use drop-tail",
        ),
        (
            with(json!({"queue": head_drop, "back": {"arq": arq}})),
            "path.hop[0].back.queue.kind: \"head-drop\" cannot be combined with arq; use drop-tail",
        ),
    ]);
    assert!(
        points(&document(&json!({"arq": arq, "queue": {"kind": "drop-tail", "packets": 9}})))
            .is_ok()
    );
}

/// A path with a priority queue, flows and a source of cross-traffic.
fn with_bands(bands: &Value, flow: &Value) -> Value {
    let keys = json!({"queue": {"kind": "priority", "bands": bands, "packets": 50}});
    let mut found = document(&keys);
    found["flow"] = flow.clone();
    found["traffic"] = json!([{"rate": "100kbps", "packet": "200B"}]);
    found
}

#[test]
fn a_number_in_a_band_means_the_same_at_every_point() {
    let counts = json!([{"count": [1, 2, 3]}]);
    check(&[(
        with_bands(&json!([[1]]), &counts),
        "path.hop[0].queue.bands[0][0]: 1 means traffic[0] at one point and flow[0] at another",
    )]);
    for bands in [json!([[0]]), json!([["traffic[0]"]]), json!([["flow[0]"], ["traffic[0]"]])] {
        assert_eq!(points(&with_bands(&bands, &counts)).unwrap().len(), 3, "{bands}");
    }
    let cases = json!([{"name": "one", "flow": [{}]}, {"name": "two", "flow": [{}, {}]}]);
    let mut document = with_bands(&json!([[1]]), &json!([{}]));
    document["case"] = cases;
    assert!(points(&document).unwrap_err().message.contains("traffic[0]"));
}

#[test]
fn members_of_bands_exist() {
    check(&[
        (
            with_bands(&json!([["trafic[0]"]]), &json!([{"count": 2}])),
            "path.hop[0].queue.bands[0][0]: unknown table \"trafic[0]\"; did you mean \"traffic[0]\"?",
        ),
        (
            with_bands(&json!([["flow[0]"], [1]]), &json!([{"count": 2}])),
            "path.hop[0].queue.bands: flow 1 is in bands 0 and 1",
        ),
    ]);
}

#[test]
fn a_share_out_of_range_has_no_hint() {
    for share in ["150%", "-1%"] {
        let error = points(&document(&json!({"duplicate": share}))).unwrap_err().to_string();
        assert!(error.ends_with(&format!("{share:?} is not a number from 0 to 1")), "{error}");
    }
}

#[test]
fn packets_overtake_those_that_any_of_three_keys_delays() {
    let netem = json!({"probability": 0.25});
    let spread = json!({"kind": "exponential", "mean": "1ms"});
    let later = json!([{"at": "1s", "delay": "5ms"}]);
    for keys in [
        json!({"delay": "0s", "jitter": spread, "reorder": netem}),
        json!({"delay": "0s", "delays": later, "reorder": netem}),
        json!({"delay": "0s", "back": {"delay": "1ms", "reorder": netem}}),
        json!({"back": {"reorder": netem}}),
        json!({"delay": "0s", "reorder": true}),
    ] {
        assert_eq!(all(&keys).len(), 1, "{keys}");
    }
}

#[test]
fn refusals_in_the_words_of_netem() {
    let arq = json!({"fragment": "100B", "attempts": 3});
    let netem = json!({"probability": 0.25});
    let with = |keys: Value| document(&keys);
    check(&[
        (
            with(json!({"reorder": {"probability": "25%"}})),
            "path.hop[0].reorder.probability: \"25%\" is not a number from 0 to 1: \"25%\" is 0.25",
        ),
        (
            with(json!({"reorder": {"probability": "0.7%"}})),
            "path.hop[0].reorder.probability: \"0.7%\" is not a number from 0 to 1: \"0.7%\" is 0.007",
        ),
        (
            with(json!({"duplicate": "2.5e1 %"})),
            "path.hop[0].duplicate: \"2.5e1 %\" is not a number from 0 to 1: \"2.5e1 %\" is 0.25",
        ),
        (
            with(json!({"delay": "0s", "reorder": netem})),
            "path.hop[0].reorder: has no effect without a delay; give delay, delays or jitter",
        ),
        (
            with(json!({"back": {"delay": "0s", "reorder": netem}})),
            "path.hop[0].back.reorder: has no effect without a delay; give",
        ),
        (
            with(json!({"reorder": {"probabilty": 0.25}})),
            "path.hop[0].reorder: unknown key \"probabilty\"; did you mean \"probability\"?",
        ),
        (
            with(json!({"reorder": {"probability": 0.25, "correlation": 1}})),
            "path.hop[0].reorder.correlation: 1 would repeat the first draw for ever; must be below 1",
        ),
        (
            with(json!({"arq": arq, "reorder": {"probability": 0.25}})),
            "path.hop[0].reorder: cannot be combined with arq on one hop; put each on its own hop",
        ),
        (
            with(json!({"channel": {"kind": "states", "loss": [0, 1], "transition": [[1, 0]]}})),
            "path.hop[0].channel.transition: 1 row for 2 states",
        ),
        (
            with(json!({"channel": {"kind": "states", "loss": vec![0; 9], "transition": [[1]]}})),
            "path.hop[0].channel.loss: 9 values are not",
        ),
        (
            with(
                json!({"channel": {"kind": "states", "loss": [0], "transition": [[1]], "clock": "9ns"}}),
            ),
            "path.hop[0].channel.clock: 9ns is too short; must be at least 1us",
        ),
    ]);
}

/// Spellings of tc are accepted where points have the same units; what tc means otherwise is refused with both spellings.
#[test]
fn quantities_of_tc_are_understood_or_refused() {
    let rates = json!([{"at": "0sec", "rate": "20mbit"}, {"at": "1sec", "rate": "0bit"}]);
    let hop = json!({"rate": "20mbit", "delay": "10msec", "queue": "1MiB"});
    let [spelled, plain] = [
        json!({"path": {"hop": [hop]}}),
        json!({"path": {"hop": [{"rate": "20Mbps", "delay": "10ms", "queue": "1MiB"}]}}),
    ]
    .map(|path| {
        let mut document = document(&json!({}));
        document["path"] = path["path"].clone();
        points(&document).unwrap()
    });
    assert_eq!(spelled, plain);
    let mut varied = document(&json!({}));
    varied["path"]["hop"] = json!([{"rates": rates, "delay": "10ms"}]);
    let written = serde_json::to_value(&points(&varied).unwrap()[0]).unwrap();
    assert_eq!(written["path"]["hop"][0]["rates"][0]["rate"], "20Mbps");
    check(&[
        (
            document(&json!({"rate": "10mbps"})),
            "path.hop[0].rate: \"10mbps\" is not a rate such as \"1.5Mbps\" (units: bps, kbps, Mbps, \
             Gbps): \"80Mbps\" if as in tc, else \"10Mbps\"",
        ),
        (
            document(&json!({"queue": "64k"})),
            "path.hop[0].queue: \"64k\" is not a size such as \"1400B\" (units: B, kB, MB, KiB, MiB): \
             \"64KiB\" if as in tc and iperf",
        ),
    ]);
}
