//! Both ends on the wire get the settings that a scenario asks for.

use crate::stack::net::World;
use crate::stack::transfer::{everything, exchange};
use airtcp_core::Span;
use airtcp_live::lengths;
use airtcp_live::stack::Settings;
use airtcp_scenario::{PathScenario, Scenario, points};
use airtcp_tcp::{CongestionSpec, GrowthConfig, RuleSource, TimerConfig, Variant};
use serde_json::{Value, json};

pub(crate) fn scenario(profile: &str, tcp: &Value) -> PathScenario {
    let hop = json!({"rate": "10Mbps", "delay": "2ms"});
    let document = json!({"profile": profile, "tcp": tcp, "path": {"hop": [hop]}});
    match points(&document).expect("a scenario").remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => unreachable!("it has a path"),
    }
}

fn settings_of(scenario: &PathScenario) -> Settings {
    Settings::from_scenario(scenario, 5, 2).expect("it can be on a wire")
}

fn refused(profile: &str, tcp: &Value) -> String {
    Settings::from_scenario(&scenario(profile, tcp), 5, 2).expect_err("it cannot be on a wire")
}

#[test]
fn the_rules_of_the_rfcs_are_those_of_the_simulator() {
    let scenario = scenario(
        "rfc",
        &json!({
            "variant": "newreno", "congestion": "cubic", "spurious": "eifel", "window": 100,
            "initial_window": 4, "delayed_ack": "40ms", "dupacks": 5, "limited_transmit": false,
            "initial_rto": "2s", "min_rto": "200ms", "max_rto": "30s", "ssthresh": 7000,
        }),
    );
    let (settings, (sender, receiver)) = (settings_of(&scenario), scenario.ends(5, 2)[0]);
    assert_eq!(settings.sender, sender);
    assert_eq!((settings.mtu, settings.timestamps, sender.mss), (1500, true, 1448));
    assert_eq!(settings.delayed_ack, receiver.delayed_ack);
    // 144800 B, shifted by 2 bits.
    assert_eq!(settings.receive_buffer, 144_800);
    assert_eq!(
        (lengths::packet_length(&scenario), lengths::lower_layer_bits(&scenario)),
        (1500, 0)
    );
}

#[test]
fn bsd_has_a_clock_of_random_phase_and_counts_the_link_as_framing() {
    let scenario = scenario("bsd", &json!({"variant": "tahoe"}));
    let (settings, (sender, _)) = (settings_of(&scenario), scenario.ends(5, 2)[0]);
    assert_eq!(settings.sender, sender);
    let TimerConfig::SlowTicks { tick, boot } = settings.sender.timer else {
        panic!("{:?}", settings.sender.timer)
    };
    assert!(Span::ZERO < boot && boot < tick, "{boot:?}");
    let other = Settings::from_scenario(&scenario, 5, 3).expect("it can be").sender.timer;
    assert_ne!(other, settings.sender.timer, "another replication, another phase");
    // 1418 B of payload; 20 B of IP and 14 B of the link below TCP.
    assert_eq!((settings.mtu, sender.mss), (1458, 1418));
    assert_eq!(
        (lengths::packet_length(&scenario), lengths::lower_layer_bits(&scenario)),
        (1458, 14)
    );
    assert_eq!((settings.receive_buffer, settings.delayed_ack), (10_240, Span::ZERO));
}

#[test]
fn packets_without_insides_become_bytes_by_the_rules_of_the_rfcs() {
    let tcp = json!({"variant": "sack", "window": 50, "packet": "1024B", "dupacks": 4});
    let scenario = scenario("ns2", &tcp);
    let (settings, (sender, _)) = (settings_of(&scenario), scenario.ends(5, 2)[0]);
    let ours = settings.sender;
    assert_eq!(
        (ours.source, ours.growth, ours.mss),
        (RuleSource::Rfc, GrowthConfig::Named(CongestionSpec::default()), 984)
    );
    assert_eq!((ours.timer, ours.variant), (sender.timer, sender.variant));
    assert_eq!((ours.dupack_threshold, ours.ssthresh, ours.initial_window), (4, 50, 1));
    assert_eq!((settings.mtu, settings.receive_buffer), (1024, 50 * 984));
    assert_eq!((settings.delayed_ack, lengths::lower_layer_bits(&scenario)), (Span::ZERO, 0));
}

#[test]
fn every_variant_of_every_profile_delivers() {
    for (profile, source) in
        [("rfc", RuleSource::Rfc), ("bsd", RuleSource::Bsd), ("ns2", RuleSource::Ns2)]
    {
        for variant in Variant::with_rules_of(source) {
            let scenario = scenario(profile, &json!({"variant": variant.name()}));
            let mut world = World::new([settings_of(&scenario); 2], everything(), 4);
            exchange(&mut world, [300_000, 100_000]);
        }
    }
}

#[test]
fn a_window_is_what_scaling_can_say() {
    for (asked, said) in [("65535B", 65_535), ("65537B", 65_538), ("1000001B", 1_000_016)] {
        let scenario = scenario("rfc", &json!({"variant": "reno", "window": asked}));
        assert_eq!(settings_of(&scenario).receive_buffer, said, "{asked}");
    }
}

#[test]
fn what_cannot_be_on_a_wire_is_refused_in_a_line() {
    let cases = [
        (json!({"header": "20B"}), "tcp.header: 20 B with tcp.framing: "),
        (json!({"ack": "60B"}), "tcp.ack: 60 B: beside packets of these lengths an ACK has 40 B"),
        (json!({"packet": "500B"}), "tcp.packet: an IP packet of 500 B: from 576 to 65535 B"),
        (json!({"packet": "70000B"}), "tcp.packet: an IP packet of 70000 B: from 576 to 65535 B"),
        (json!({"window": 1_000_000}), "tcp.window: 1460000000 B: at most 1073725440 B"),
    ];
    for (mut tcp, expected) in cases {
        tcp["variant"] = "newreno".into();
        let line = refused("rfc", &tcp);
        assert!(line.starts_with(expected) && !line.contains('\n'), "{line}");
    }
}
