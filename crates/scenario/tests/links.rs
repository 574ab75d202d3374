//! Hops that name link profiles.

use airtcp_scenario::{LinkProfile, Points, Scenario, points};
use serde_json::{Value, json};

fn document(hop: &Value) -> Value {
    json!({"profile": "linux", "tcp": {"congestion": "cubic"}, "path": {"hop": [hop]}, "stop": {"time": "1s"}})
}

fn point(hop: &Value) -> Value {
    serde_json::to_value(&points(&document(hop)).unwrap()[0]).unwrap()
}

fn refusal(hop: &Value) -> String {
    points(&document(hop)).unwrap_err().to_string()
}

#[test]
fn a_profile_is_the_keys_that_it_stands_for() {
    for (name, _) in LinkProfile::names_and_summaries() {
        let profile = LinkProfile::profile_by_name(&name).unwrap();
        let mut written = Value::Object(profile.hop.clone());
        for (key, value) in [("rate", "1Mbps"), ("delay", "20ms")] {
            let has_rate = key == "rate" && profile.hop.contains_key("rates");
            if !has_rate && !profile.hop.contains_key(key) {
                written[key] = value.into();
            }
        }
        let mut named = written.clone();
        named.as_object_mut().unwrap().retain(|key, _| !profile.hop.contains_key(key));
        named["link"] = name.clone().into();
        let mut of_name = point(&named);
        assert_eq!(of_name["path"]["hop"][0]["link"], name);
        of_name["path"]["hop"][0].as_object_mut().unwrap().shift_remove("link");
        let mut of_keys = document(&written);
        if !profile.traffic.is_empty() {
            let ends = json!({"sender": "0", "receiver": "1"});
            let with_ends = |one: &serde_json::Map<String, Value>| {
                let mut one = one.clone();
                one.extend(ends.as_object().unwrap().clone());
                one
            };
            of_keys["traffic"] = profile.traffic.iter().map(with_ends).map(Value::Object).collect();
        }
        let of_keys = serde_json::to_value(&points(&of_keys).unwrap()[0]).unwrap();
        assert_eq!(of_name, of_keys, "{name}");
    }
}

#[test]
fn keys_of_the_hop_go_before_those_of_the_profile() {
    let hop = &point(&json!({"link": "gprs-spikes", "rate": "1Mbps"}))["path"]["hop"][0];
    assert_eq!((&hop["rate"], &hop["delay"]), (&json!("1Mbps"), &json!("100ms")));
    let hop = &point(&json!({"link": "lte-att-driving", "rate": "1Mbps", "delay": "1ms"}))["path"]
        ["hop"][0];
    assert_eq!((&hop["rate"], hop.get("rates")), (&json!("1Mbps"), None));
    let back = json!({"rate": "1Mbps"});
    let hop = &point(&json!({"link": "cellular-brazil-1", "back": back}))["path"]["hop"][0];
    assert_eq!(hop["back"]["rate"], "1Mbps");
    assert_eq!(hop["back"]["queue"], "15000000B");
}

#[test]
fn cross_traffic_of_a_profile_crosses_its_hop_alone() {
    let hops = json!([
        {"link": "cellular-brazil-1", "near": "phone"},
        {"rate": "1Gbps", "delay": "1ms"},
        {"link": "cellular-brazil-2", "far": "server"},
    ]);
    let mut document = document(&json!({}));
    document["path"]["hop"] = hops;
    document["traffic"] = json!([{"rate": "1kbps", "packet": "100B"}]);
    let points = points(&document).unwrap();
    let path = points[0].path().unwrap();
    let mut routes = path.routes();
    let mut counts = [0; 3];
    for source in &path.traffic[1..] {
        let ends =
            routes.nodes().end_nodes(source.sender.as_ref(), source.receiver.as_ref()).unwrap();
        let route = routes.route(ends);
        assert!(route.len() == 1 && !route[0].1);
        counts[route[0].0] += 1;
    }
    let of = |name| LinkProfile::profile_by_name(name).unwrap().traffic.len();
    assert_eq!(counts, [of("cellular-brazil-1"), 0, of("cellular-brazil-2")]);
}

#[test]
fn a_point_that_was_written_out_stays_as_it_is() {
    let written = point(&json!({"link": "cellular-brazil-1", "rate": "9Mbps"}));
    let read: Scenario = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), written);
    let again = serde_json::to_value(&points(&written).unwrap()[0]).unwrap();
    assert_eq!(again, written);
}

#[test]
fn links_are_an_axis_whose_names_stand_for_their_keys() {
    let hop = json!({"link": ["gprs-spikes", "cellular-brazil-1"], "queue": [10, 20]});
    let points = Points::from_document(document(&hop), || false).unwrap();
    assert_eq!(points.len(), 4);
    let value = serde_json::to_value(points.get(3)).unwrap();
    assert_eq!(value["path"]["hop"][0]["link"], "cellular-brazil-1");
    assert_eq!(value["path"]["hop"][0]["queue"], 20);
    let keys = points.case_keys();
    assert!(keys.iter().any(|key| key == "path.hop[0].rate"));
    assert!(keys.iter().any(|key| key == "traffic[0]"));
    assert!(!keys.iter().any(|key| key.starts_with("path.hop[0].queue")));
    let one = json!({"link": "gprs-spikes", "queue": [10, 20]});
    assert!(Points::from_document(document(&one), || false).unwrap().case_keys().is_empty());
}

#[test]
fn refusals_name_the_link() {
    let said =
        "unknown link \"gprs-spike\"; did you mean \"gprs-spikes\"? (airtcp list links names all)";
    assert_eq!(refusal(&json!({"link": "gprs-spike"})), format!("path.hop[0].link: {said}"));
    assert_eq!(
        refusal(&json!({"link": ["gprs-spikes", "gprs-spike"]})),
        format!("path.hop[0].link[1]: {said}")
    );
    let said = "path.hop[0].delay: missing; link \"rayleigh-car\" has none";
    assert_eq!(refusal(&json!({"link": "rayleigh-car"})), said);
    assert_eq!(
        refusal(&json!({"rate": "1Mbps"})),
        "path.hop[0].delay: missing; a text such as \"10ms\""
    );
    assert!(refusal(&json!({"link": "geo-satellite"})).starts_with("path.hop[0].rate"));
    assert!(refusal(&json!({"link": 5})).starts_with("path.hop[0].link: 5 is not a text such as"));
}

#[test]
fn every_value_of_a_profile_has_its_origin() {
    for (name, _) in LinkProfile::names_and_summaries() {
        let profile = LinkProfile::profile_by_name(&name).unwrap();
        let mut keys: Vec<&str> = profile.hop.keys().map(String::as_str).collect();
        keys.extend((!profile.traffic.is_empty()).then_some("traffic"));
        keys.sort_unstable();
        let about: Vec<&str> = profile.about.keys().map(String::as_str).collect();
        let about: Vec<&str> = about
            .into_iter()
            .filter(|key| *key != "traffic" || !profile.traffic.is_empty())
            .collect();
        assert_eq!(keys, about, "{name}");
        let texts =
            profile.about.values().flat_map(|one| [&one.source, &one.command, &one.not_modelled]);
        assert!(
            texts.chain([&profile.not_modelled, &profile.summary]).all(|text| !text.is_empty()),
            "{name}"
        );
    }
}
