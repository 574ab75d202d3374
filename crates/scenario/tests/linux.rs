//! Profile `linux`: what a scenario may say of it, and what is refused.

use crate::refusals::check;
use airtcp_scenario::{Congestion, PathScenario, PathTcp, Scenario, points};
use serde_json::{Value, json};

fn document(tcp: &Value) -> Value {
    json!({
        "profile": "linux", "tcp": tcp,
        "path": {"hop": [{"rate": "10Mbps", "delay": "10ms"}]},
    })
}

fn path(document: &Value) -> PathScenario {
    match points(document).unwrap().remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => unreachable!("a profile with a path"),
    }
}

#[test]
fn it_needs_nothing_but_a_path() {
    let mut document = document(&json!({}));
    document.as_object_mut().unwrap().remove("tcp");
    let scenario = path(&document);
    let PathTcp::Linux(tcp) = &scenario.tcp else { panic!("of linux") };
    assert_eq!((tcp.congestion, tcp.sack, tcp.timestamps), (Congestion::Cubic, true, true));
    assert_eq!((scenario.tcp.payload_bytes(), scenario.tcp.numbers_per_packet()), (1448, 1448));
    assert_eq!(scenario.tcp.ack_size().bytes(), 52);
    assert_eq!(scenario.transport_names(), ["cubic"]);
}

#[test]
fn controls_and_settings_are_axes() {
    let found = points(&document(&json!({
        "congestion": ["reno", "cubic", "bbr", "bbr3"],
        "sysctl": {"tcp_frto": [0, 2], "tcp_rmem": "4096 131072 33554432"},
    })));
    assert_eq!(found.unwrap().len(), 8);
}

#[test]
fn a_flow_has_a_control_and_settings_of_its_own() {
    let mut document = document(&json!({"congestion": "cubic", "sysctl": {"tcp_frto": 0}}));
    document["flow"] = json!([{}, {"tcp": {"congestion": "bbr", "sysctl": {"tcp_sack": 0}}}]);
    check(&[(document.clone(), "flow[1].tcp.sysctl.tcp_sack: set tcp.sack instead")]);
    document["flow"][1]["tcp"]["sysctl"] = json!({"tcp_early_retrans": 0});
    let scenario = path(&document);
    assert_eq!(scenario.transport_names(), ["cubic", "bbr"]);
    let settings = |flow: usize| {
        let PathTcp::Linux(tcp) = scenario.tcp_of(&scenario.flow[flow]) else { panic!("of linux") };
        let keys = tcp.sysctl.as_ref().unwrap();
        keys.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>()
    };
    assert_eq!(settings(0), ["tcp_frto=0"]);
    assert_eq!(settings(1), ["tcp_early_retrans=0", "tcp_frto=0"]);
}

#[test]
fn hosts_tick_when_chance_has_them_tick() {
    let found = airtcp_scenario::Points::from_document(document(&json!({})), || false).unwrap();
    assert_eq!(found.random_flags(), [true]);
}

#[test]
fn ecn_may_be_said_twice_where_both_say_the_same() {
    for (ecn, setting) in [(true, 1), (false, 0), (false, 2)] {
        path(&document(&json!({"ecn": ecn, "sysctl": {"tcp_ecn": setting}})));
    }
}

#[test]
fn contradictions_and_tables_of_parameters_are_refused() {
    let cases = [
        (
            json!({"congestion": {"kind": "cubic", "beta": 0.7}}),
            "tcp.congestion: a table is not possible here; give the name alone, \"cubic\" (allowed: reno, cubic, bbr, bbr3)",
        ),
        (
            json!({"congestion": {"kind": "vegas"}}),
            "tcp.congestion: {\"kind\":\"vegas\"} is not one of reno, cubic, bbr, bbr3",
        ),
        (
            json!({"ecn": true, "sysctl": {"tcp_ecn": 0}}),
            "tcp.ecn: true contradicts sysctl.tcp_ecn, 0: give one of them",
        ),
        (
            json!({"ecn": true, "sysctl": {"tcp_ecn": 2}}),
            "tcp.ecn: true contradicts sysctl.tcp_ecn, 2: give one of them",
        ),
        (
            json!({"ecn": false, "sysctl": {"tcp_ecn": 1}}),
            "tcp.ecn: false contradicts sysctl.tcp_ecn, 1: give one of them",
        ),
    ];
    cases.into_iter().for_each(|(tcp, expected)| check(&[(document(&tcp), expected)]));
}

#[test]
fn the_path_mtu_is_never_probed() {
    let sysctl = |value: Value| document(&json!({"sysctl": {"tcp_mtu_probing": value}}));
    check(&[
        (sysctl(json!(1)), "tcp.sysctl.tcp_mtu_probing: 1 is not allowed; only 0 is"),
        (sysctl(json!([0, 2])), "tcp.sysctl.tcp_mtu_probing[1]: 2 is not allowed; only 0 is"),
    ]);
}

#[test]
fn refused() {
    let cases = [
        (
            json!({"congestion": "cubik"}),
            "tcp.congestion: unknown name \"cubik\"; did you mean \"cubic\"? (allowed: reno, cubic, bbr, bbr3)",
        ),
        (json!({"congestion": ["reno", "vegas"]}), "tcp.congestion[1]: unknown name \"vegas\""),
        (
            json!({"variant": "reno"}),
            "tcp.variant: \"variant\" is a key of profiles zorzi, ns2, rfc and bsd, not of linux",
        ),
        (
            json!({"growth": "cubic"}),
            "tcp.growth: \"growth\" is now called \"congestion\"; use that name",
        ),
        (
            json!({"dupacks": 3}),
            "tcp.dupacks: \"dupacks\" is a key of profiles zorzi, ns2, rfc and bsd, not of linux",
        ),
        (
            json!({"sysctl": {"tcp_frtoo": 0}}),
            "tcp.sysctl: unknown key \"tcp_frtoo\"; did you mean \"tcp_frto\"?",
        ),
        (
            json!({"sysctl": {"tcp_frto": -1}}),
            "tcp.sysctl.tcp_frto: -1 is not a whole number from 0 to 255",
        ),
        (
            json!({"sysctl": {"tcp_rmem": "1 2"}}),
            "tcp.sysctl.tcp_rmem: tcp_rmem is three whole numbers from 1 to 2147483647, not \"1 2\"",
        ),
        (
            json!({"sysctl": {"tcp_congestion_control": "bbr"}}),
            "tcp.sysctl.tcp_congestion_control: set tcp.congestion instead",
        ),
        (json!({"sysctl": 3}), "tcp.sysctl: 3 is not a table of keys"),
        (json!({"sack": 1}), "tcp.sack: 1 is not true or false"),
        (
            json!({"header": "20B"}),
            "tcp.header: 20B is not 40B (IPv4) or 60B (IPv6), without options",
        ),
        (
            json!({"packet": "99B"}),
            "tcp.packet: 99B is not a length that Linux allows: 100B to 65535B",
        ),
        (
            json!({"packet": "64KiB"}),
            "tcp.packet: 65536B is not a length that Linux allows: 100B to 65535B",
        ),
        (json!({"window": "1kB"}), "tcp.window: 1000B holds no full packet: at least 1448B"),
    ];
    for (tcp, expected) in cases {
        check(&[(document(&tcp), expected)]);
    }
    let mut flow = document(&json!({}));
    flow["flow"] = json!([{"variant": "sack"}]);
    check(&[(
        flow,
        "flow[0].variant: \"variant\" is a key of profiles ns2, rfc and bsd, not of linux",
    )]);
    let mut other = document(&json!({"variant": "sack", "congestion": "bbr"}));
    other["profile"] = json!("rfc");
    let message = "tcp.congestion: unknown name \"bbr\" (allowed: reno, cubic, westwood";
    check(&[(other.clone(), message)]);
    other["tcp"] = json!({"variant": "sack", "timestamps": true});
    check(&[(other, "tcp.timestamps: \"timestamps\" is a key of profile linux, not of rfc")]);
}
