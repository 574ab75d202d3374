//! Flows with a transport of their own: completion from `[tcp]`, axes, refusals, what follows for the ends.

use crate::refusals::check;
use airtcp_scenario::{PathScenario, PathTcp, Points, RfcTcp, citations, document_schema, points};
use airtcp_tcp::{CongestionSpec, Cubic, RuleSource, Variant};
use serde_json::{Value, json};

fn of_profile(profile: &str, flows: &Value) -> Value {
    json!({
        "profile": profile,
        "tcp": {"variant": "reno"},
        "path": {"hop": [{"rate": "10Mbps", "delay": "10ms", "queue": 50}]},
        "flow": flows,
    })
}

fn rfc(flows: &Value) -> Value {
    of_profile("rfc", flows)
}

fn paths(document: &Value) -> Vec<PathScenario> {
    let all = points(document).unwrap_or_else(|e| panic!("{e}"));
    all.iter().map(|s| s.path().expect("a path").clone()).collect()
}

fn of_rfc(tcp: &PathTcp) -> &RfcTcp {
    let PathTcp::Rfc(tcp) = tcp else { panic!("{tcp:?}") };
    tcp
}

#[test]
fn what_a_flow_leaves_out_is_that_of_tcp() {
    let flows = json!([{"count": 2}, {"tcp": {"congestion": "cubic", "packet": "1000B", "probing": {"tolerance": 3}}}]);
    let mut document = rfc(&flows);
    document["tcp"]["probing"] = json!({"skip_estimates": 7});
    document["tcp"]["min_rto"] = json!("250ms");
    let point = &paths(&document)[0];
    let (common, own) = (point.tcp_of(&point.flow[0]), point.tcp_of(&point.flow[1]));
    assert_eq!(common, &point.tcp);
    assert_eq!((common.payload_bytes(), own.payload_bytes()), (1460, 960));
    let (common, own) = (of_rfc(common), of_rfc(own));
    assert_eq!(
        (common.congestion, own.congestion),
        (CongestionSpec::default(), CongestionSpec::Cubic(Cubic::default()))
    );
    assert_eq!((own.min_rto, own.variant), (common.min_rto, Variant::Reno));
    let probing = own.probing.as_deref().unwrap();
    assert_eq!((probing.tolerance.to_bits(), probing.skip_estimates), (3_f64.to_bits(), 7));
    let ends = point.ends(1, 0);
    assert_eq!(ends.iter().map(|(s, _)| s.mss).collect::<Vec<_>>(), [1460, 1460, 960]);
    assert_eq!(ends[0].0, ends[1].0);
    assert_eq!(point.windows_in_numbers()[2], point.windows_in_numbers()[0] / 1460 * 960);
}

#[test]
fn a_whole_transport_in_a_flow_is_that_transport() {
    for (profile, tcp) in [
        (
            "ns2",
            json!({"variant": "sack", "window": 9, "packet": "500B", "tick": "10ms", "boot": 0}),
        ),
        (
            "rfc",
            json!({"variant": "sack", "congestion": "cubic", "spurious": "eifel", "min_rto": "1s"}),
        ),
        ("bsd", json!({"variant": "skip-probing", "framing": "14B", "tick": "200ms"})),
    ] {
        let mut whole = of_profile(profile, &json!([{}]));
        whole["tcp"] = tcp.clone();
        let (whole, own) =
            (&paths(&whole)[0], &paths(&of_profile(profile, &json!([{"tcp": tcp}])))[0]);
        assert_eq!(whole.ends(3, 1), own.ends(3, 1), "{profile}");
        assert_eq!(whole.windows_in_numbers(), own.windows_in_numbers());
        assert_eq!(&whole.tcp, own.first_tcp());
    }
    assert_eq!(paths(&of_profile("bsd", &json!([{}])))[0].ends(1, 0)[0].0.source, RuleSource::Bsd);
}

#[test]
fn short_forms_and_tables_of_a_flow_go_together() {
    let flows = json!([{"variant": "sack", "window": 9, "tcp": {"congestion": "cubic"}}]);
    let point = &paths(&rfc(&flows))[0];
    let tcp = of_rfc(point.first_tcp());
    assert_eq!(
        (tcp.variant, tcp.congestion),
        (Variant::Sack, CongestionSpec::Cubic(Cubic::default()))
    );
    assert_eq!(
        (point.transport_names(), point.windows_in_numbers()),
        (vec!["sack"], vec![9 * 1460])
    );
}

#[test]
fn axes_in_flows_multiply_and_points_are_documents() {
    let flows = json!([{"tcp": {"variant": ["reno", "sack"]}}, {"tcp": [{"congestion": "cubic"}, {"window": {"from": 2, "to": 6, "points": 3, "scale": "linear"}}]}]);
    let all = points(&rfc(&flows)).unwrap();
    assert_eq!(all.len(), 8);
    for point in &all {
        let written = serde_json::to_value(point).unwrap();
        assert_eq!(points(&written).unwrap(), std::slice::from_ref(point), "{written}");
    }
    let key = |n: usize| {
        let point = all[n].path().unwrap();
        (point.transport_names(), point.windows_in_numbers()[1] / 1460)
    };
    assert_eq!(key(1), (vec!["reno", "reno"], 2));
    assert_eq!(key(7), (vec!["sack", "reno"], 6));
    let varied = rfc(&json!([{"tcp": {"min_rto": ["1s", "1000ms"]}}]));
    let refused = Points::from_document(varied, || false).unwrap_err().to_string();
    assert!(refused.contains("\"1s\" and \"1000ms\" are the same"), "{refused}");
}

#[test]
fn chance_and_citations_look_at_every_flow() {
    let flows = json!([{}, {"tcp": {"congestion": "cubic", "spurious": "eifel"}}]);
    let point = &points(&rfc(&flows)).unwrap()[0];
    assert!(!point.is_random());
    let cited = citations(point);
    for key in ["rfc9438", "rfc3522", "rfc5681"] {
        assert!(cited.contains(&key), "{key} in {cited:?}");
    }
    let phase = of_profile("bsd", &json!([{"tcp": {"tick": "100ms"}}]));
    assert!(points(&phase).unwrap()[0].is_random());
}

#[test]
fn refused_transports_of_flows() {
    let own = |tcp: Value| rfc(&json!([{}, {"tcp": tcp}]));
    check(&[
        (
            own(json!({"varaint": "sack"})),
            "flow[1].tcp: unknown key \"varaint\"; did you mean \"variant\"?",
        ),
        (
            own(json!({"variant": "sakc"})),
            "flow[1].tcp.variant: unknown name \"sakc\"; did you mean \"sack\"?",
        ),
        (
            own(json!({"congestion": ["reno", "cubik"]})),
            "flow[1].tcp.congestion[1]: unknown name \"cubik\"; did you mean \"cubic\"?",
        ),
        (
            own(json!({"variant": "oldtahoe"})),
            "flow[1].tcp.variant: \"oldtahoe\" is a variant of profile zorzi, not of rfc",
        ),
        (
            own(json!({"tick": "1s"})),
            "flow[1].tcp.tick: \"tick\" is a key of profiles ns2 and bsd, not of rfc",
        ),
        (own(json!({"profile": "ns2"})), "flow[1].tcp: unknown key \"profile\""),
        (
            own(json!({"packet": "40B"})),
            "flow[1].tcp.header: 40B leaves no room for payload; must be below packet, 40B",
        ),
        (
            own(json!({"window": "100B"})),
            "flow[1].tcp.window: 100B holds no full packet: at least 1460B",
        ),
        (own(json!({"min_rto": "61s"})), "flow[1].tcp.min_rto: 61s is above max_rto, 60s"),
        (
            own(json!({"variant": "skip-probing", "spurious": "f-rto"})),
            "flow[1].tcp.variant: skip-probing sends a probe at every timeout, which needs flow[1].tcp.spurious = \"none\"",
        ),
        (own(json!("sack")), "flow[1].tcp: \"sack\" is not a table of keys"),
        (own(json!([])), "flow[1].tcp: the list is empty"),
        (
            rfc(&json!([{"variant": "reno", "tcp": {"variant": "sack"}}])),
            "flow[0].variant: give either this or flow[0].tcp.variant",
        ),
        (
            rfc(&json!([{"window": 3, "tcp": {"window": 3}}])),
            "flow[0].window: give either this or flow[0].tcp.window",
        ),
        (
            rfc(&json!([{"window": "9B"}])),
            "flow[0].window: 9B holds no full packet: at least 1460B",
        ),
        (
            rfc(&json!([{"size": "1kB", "milestone": 3, "tcp": {"packet": "540B"}}])),
            "flow[0].milestone: 3 is beyond the end of the flow, which has 2 packets",
        ),
        (
            json!({"profile": "zorzi", "tcp": {"variant": "reno"}, "channel": {"kind": "iid", "loss_rate": 0}, "flow": [{"tcp": {}}]}),
            "flow: \"flow\" is a key of profiles ns2, rfc, bsd and linux, not of zorzi",
        ),
    ]);
}

#[test]
fn slots_are_those_of_tcp() {
    let slotted = |packet: &str| {
        let mut document = rfc(&json!([{"tcp": {"packet": packet}}]));
        document["path"]["hop"][0]["slotted"] = json!(true);
        document
    };
    assert_eq!(paths(&slotted("1000B")).len(), 1);
    check(&[(
        slotted("1501B"),
        "flow[0].tcp.packet: 1501B on the wire do not fit into the slots of path.hop[0], which are as long as tcp.packet: give at most 1500B, or no slotted",
    )]);
}

#[test]
fn each_profile_has_flows_of_its_own_in_the_schema() {
    let schema = document_schema();
    let names = |profile: &str, pointer: &str| -> Vec<String> {
        let found = schema["$defs"][profile]
            .pointer(pointer)
            .unwrap_or_else(|| panic!("{profile}{pointer}"));
        found
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["const"].as_str().unwrap().to_owned())
            .collect()
    };
    for (profile, has_sack) in [("Ns2", true), ("Rfc", true), ("Bsd", false)] {
        for name in [format!("{profile}Flow"), format!("{profile}FlowTcp")] {
            let variants = names(&name, "/properties/variant/anyOf/0/oneOf");
            assert_eq!(variants.contains(&"sack".to_owned()), has_sack, "{name}");
        }
        assert!(schema["$defs"][format!("{profile}FlowTcp")].get("required").is_none());
    }
    assert!(!schema.to_string().contains("#/$defs/FlowTcp\""));
    assert!(schema["$defs"]["RfcFlowTcp"]["properties"].get("tick").is_none());
}

#[test]
fn a_path_that_was_written_out_has_the_transport_of_its_flows() {
    let point = &paths(&rfc(&json!([{"window": 9, "tcp": {"packet": "540B"}}])))[0];
    let written = serde_json::to_value(point).unwrap();
    let read: PathScenario = serde_json::from_value(written).unwrap();
    assert_eq!(&read, point);
    assert_eq!((read.first_tcp().payload_bytes(), read.windows_in_numbers()), (500, vec![4500]));
}
