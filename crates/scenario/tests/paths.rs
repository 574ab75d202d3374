//! Documents of packets on a path: completion, arrays and axes in them, refusals in one line.

use crate::refusals::check;
use airtcp_core::{Duration, Size};
use airtcp_scenario::{
    ForcedLoss, PathScenario, PathTcp, QueueLimit, Scenario, citations, document_schema, points,
};
use airtcp_tcp::{CongestionSpec, Cubic};
use serde_json::{Value, json};

fn minimal() -> Value {
    json!({
        "profile": "ns2",
        "tcp": {"variant": "reno"},
        "path": {"hop": [
            {"rate": "1.5Mbps", "delay": "10ms", "queue": 50},
            {"rate": "0.8Mbps", "delay": "100ms"},
        ]},
    })
}

/// `minimal` with the value at a JSON pointer replaced.
fn with(pointer: &str, value: Value) -> Value {
    edited(minimal(), pointer, value)
}

fn rfc(pointer: &str, value: Value) -> Value {
    edited(with("/profile", json!("rfc")), pointer, value)
}

fn edited(mut document: Value, pointer: &str, value: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let target = document.pointer_mut(parent).unwrap();
    match key.parse::<usize>() {
        Ok(index) => target[index] = value,
        Err(_) => target[key] = value,
    }
    document
}

fn paths(document: &Value) -> Vec<PathScenario> {
    let all = points(document).unwrap_or_else(|e| panic!("{e}"));
    all.iter().map(|s| s.path().expect("a path").clone()).collect()
}

fn time(text: &str) -> Duration {
    Duration::try_from(text.to_owned()).unwrap()
}

#[test]
fn the_profile_completes_a_document() {
    let all = paths(&minimal());
    assert_eq!(all.len(), 1);
    let point = &all[0];
    let PathTcp::Ns2(tcp) = &point.tcp else { panic!("{point:?}") };
    assert_eq!((tcp.window.in_sequence_numbers(1), tcp.dupacks, tcp.packet.bytes()), (20, 3, 1000));
    assert_eq!(tcp.tick, time("100ms"));
    assert_eq!(tcp.boot.to_bits(), 2.001_025_714_911_998_4e-5_f64.to_bits());
    assert_eq!((tcp.ssthresh, tcp.ns.is_none(), tcp.probing.is_none()), (None, true, true));
    assert_eq!(point.flow.len(), 1);
    assert_eq!(
        (point.flow[0].start, point.flow[0].packets, point.flow[0].count),
        (time("0s"), None, 1)
    );
    assert_eq!(point.stop.time, time("100s"));
    assert_eq!(point.path.hop[0].forward.queue, Some(QueueLimit::Packets(50).into()));
}

#[test]
fn the_profile_decides_which_rules_there_are() {
    let point = &paths(&rfc("/tcp/congestion", json!("cubic")))[0];
    let PathTcp::Rfc(tcp) = &point.tcp else { panic!("{point:?}") };
    assert_eq!((tcp.congestion, tcp.initial_window), (CongestionSpec::Cubic(Cubic::default()), 10));
    assert_eq!((tcp.header, tcp.delayed_ack), (Size::from_bytes(40), time("100ms")));
}

#[test]
fn everything_can_be_said() {
    let document = json!({
        "title": "all",
        "profile": "ns2",
        "tcp": {"variant": "tahoe", "ssthresh": 32, "boot": 0},
        "path": {"hop": [{
            "rate": "1.5Mbps", "delay": "10ms", "queue": "64kB",
            "channel": {"kind": "series", "of": [
                {"kind": "sojourn", "good": "100packets", "bad": "8bits"},
                {"kind": "trace", "lost": [0, 1, 0], "clock": "1ms", "repeat": false},
                {"kind": "iid", "loss_rate": 0.01},
            ]},
            "gate": {"kind": "schedule", "toggles": ["3s", "3.3s"], "loses": "nothing"},
            "drop": [[14, 1], [28, 1]],
            "delays": [{"at": "1.5s", "delay": "1.2s"}, {"at": "1.7s", "delay": "100ms"}],
            "back": {"rate": "64kbps", "channel": {"kind": "iid", "loss_rate": 0.1}, "drop": [[3, 2]]},
        }]},
        "flow": [{"packets": 5000, "milestone": 100, "start": "1s", "variant": "reno", "window": 9}],
        "stop": {"time": "10s", "replications": 2},
    });
    let all = paths(&document);
    let hop = &all[0].path.hop[0];
    assert_eq!(hop.forward.queue, Some(QueueLimit::Bytes(Size::from_bytes(64_000)).into()));
    assert_eq!(hop.forward.drop, [ForcedLoss(14, 1), ForcedLoss(28, 1)]);
    assert_eq!(hop.back.as_ref().unwrap().drop, [ForcedLoss(3, 2)]);
    let point = Scenario::Path(all[0].clone());
    let written = serde_json::to_value(&point).unwrap();
    assert_eq!(points(&written).unwrap(), std::slice::from_ref(&point), "a point is a document");
    let read: Scenario = serde_json::from_value(written).unwrap();
    assert_eq!(read, point);
    let cited = citations(&point);
    for key in ["airtcp", "ns2", "elaarag2000", "zorzi2000", "rfc5681"] {
        assert!(cited.contains(&key), "{key} in {cited:?}");
    }
}

#[test]
fn a_value_within_an_array_may_be_an_axis() {
    let document = edited(
        with("/path/hop/1/delay", json!(["10ms", "100ms"])),
        "/path/hop/0/queue",
        json!([10, "64kB", 50]),
    );
    let all = paths(&document);
    let key = |s: &PathScenario| {
        (s.path.hop[0].forward.queue.clone(), s.path.hop[1].forward.delay.unwrap())
    };
    assert_eq!(all.len(), 6);
    assert_eq!(key(&all[0]), (Some(QueueLimit::Packets(10).into()), time("10ms")));
    assert_eq!(key(&all[1]), (Some(QueueLimit::Packets(10).into()), time("100ms")));
    assert_eq!(key(&all[2]).0, Some(QueueLimit::Bytes(Size::from_bytes(64_000)).into()));
}

#[test]
fn channels_gates_and_flows_have_axes() {
    let on_off = json!({"kind": "on-off", "up": ["1s", "2s"], "down": "0.3s"});
    let periodic = json!({"kind": "periodic", "up": "1s", "down": "0.1s"});
    assert_eq!(paths(&with("/path/hop/1/gate", json!([on_off, periodic]))).len(), 3);
    let iid = json!({"kind": "iid", "loss_rate": {"from": 0.001, "to": 0.1, "points": 3, "scale": "log"}});
    assert_eq!(paths(&with("/path/hop/1/channel", iid.clone())).len(), 3);
    let series = json!({"kind": "series", "of": [iid, {"kind": "iid", "loss_rate": [0.1, 0.2]}]});
    assert_eq!(paths(&with("/path/hop/1/channel", series)).len(), 6);
    let flows = json!([{"packets": [10, 20]}, {"count": {"from": 1, "to": 3, "points": 3, "scale": "linear"}}]);
    let all = paths(&with("/flow", flows));
    let key = |s: &PathScenario| (s.flow[0].packets.unwrap(), s.flow[1].count);
    assert_eq!(
        all.iter().map(key).collect::<Vec<_>>(),
        [(10, 1), (10, 2), (10, 3), (20, 1), (20, 2), (20, 3)]
    );
}

#[test]
fn refused_detections() {
    check(&[
        (
            rfc("/tcp/reduction", json!("prr")),
            "tcp.reduction: \"prr\" needs SACK blocks, which reno does not read (allowed: at-once)",
        ),
        (
            rfc("/tcp/reduction", json!({"kind": "prr", "base": "flihgt"})),
            "tcp.reduction.base: unknown name \"flihgt\"; did you mean \"flight\"? (allowed: flight, window)",
        ),
        (
            rfc("/tcp/slow_start", json!("hystart")),
            "tcp.slow_start: unknown name \"hystart\"; did you mean \"hystart++\"? (allowed: standard, hystart++)",
        ),
        (
            rfc("/tcp/detection", json!("rfc6675")),
            "tcp.detection: \"rfc6675\" needs SACK blocks, which reno does not read (allowed: duplicate-acks)",
        ),
        (
            rfc("/tcp/detection", json!("rack-tlp")),
            "tcp.detection: \"rack-tlp\" needs SACK blocks, which reno does not read (allowed: duplicate-acks)",
        ),
        (rfc("/tcp/detection", json!("rfc6657")), "tcp.detection: unknown name \"rfc6657\""),
    ]);
}

#[test]
fn the_old_name_of_a_key_is_refused_with_the_new_one() {
    check(&[
        (
            with("/tcp/growth", json!("cubic")),
            "tcp.growth: \"growth\", now called \"congestion\", is a key of profiles rfc and linux, not of ns2 (allowed: variant",
        ),
        (
            with("/tcp/growht", json!("cubic")),
            "tcp.growht: unknown key \"growht\"; \"growth\", now called \"congestion\", is a key of profiles rfc and linux",
        ),
        (
            rfc("/tcp/growht", json!("cubic")),
            "tcp.growht: unknown key \"growht\"; \"growth\" is now called \"congestion\"; use that name",
        ),
        (
            rfc("/tcp/growth", json!("cubic")),
            "tcp.growth: \"growth\" is now called \"congestion\"; use that name",
        ),
    ]);
}

#[test]
fn refused_values_of_the_transport() {
    check(&[
        (with("/profile", json!("ns3")), "profile: unknown profile \"ns3\"; did you mean \"ns2\"?"),
        (
            with("/tcp/header", json!("40B")),
            "tcp.header: \"header\" is a key of profiles rfc, bsd and linux, not of ns2 (allowed: variant, ",
        ),
        (
            rfc("/tcp/tick", json!("1s")),
            "tcp.tick: \"tick\" is a key of profiles ns2 and bsd, not of rfc",
        ),
        (
            with("/tcp/abc_limit", json!(2)),
            "tcp.abc_limit: \"abc_limit\" is a key of profile rfc, not of ns2",
        ),
        (
            with("/tcp/timeout", json!(3)),
            "tcp.timeout: \"timeout\" is a key of profile zorzi, not of ns2",
        ),
        (
            with("/tcp/initial_rt", json!("1s")),
            "tcp.initial_rt: unknown key \"initial_rt\"; \"initial_rto\" is a key of profile rfc (allowed: ",
        ),
        (
            with("/tcp/variant", json!("oldtahoe")),
            "tcp.variant: \"oldtahoe\" is a variant of profile zorzi, not of ns2; did you mean \"tahoe\"? \
             (allowed: tahoe, reno, newreno",
        ),
        (
            with("/tcp/variant", json!(["reno", "oldtahoe"])),
            "tcp.variant[1]: \"oldtahoe\" is a variant of profile zorzi, not of ns2",
        ),
        (
            with("/flow", json!([{}, {"variant": "oldtahoe"}])),
            "flow[1].variant: \"oldtahoe\" is a variant of profile zorzi, not of ns2",
        ),
        (
            rfc("/tcp/variant", json!("bbr")),
            "tcp.variant: unknown name \"bbr\" (allowed: tahoe, reno, newreno, sack",
        ),
        (
            rfc("/flow", json!([{"variant": "bbr"}])),
            "flow[0].variant: unknown name \"bbr\" (allowed: tahoe, reno",
        ),
        (with("/tcp/packet", json!(1000)), "tcp.packet: 1000 is not a text such as \"1400B\""),
        (with("/tcp/tick", json!("0s")), "tcp.tick: 0s"),
        (
            with("/tcp/tick", json!("1")),
            "tcp.tick: \"1\" is not a time such as \"10ms\" (units: ns,",
        ),
        (with("/tcp/boot", json!(0.1)), "tcp.boot: 0.1 is not from 0 to below the tick, 0.1 s"),
        (with("/tcp/boot", json!(-0.1)), "tcp.boot: -0.1 is not a number of at least 0"),
        (
            with("/tcp/ssthresh", json!(0)),
            "tcp.ssthresh: 0 is not a whole number from 1 to 1000000",
        ),
        (
            rfc("/tcp/header", json!("1500B")),
            "tcp.header: 1500B leaves no room for payload; must be below packet, 1500B",
        ),
        (
            rfc("/tcp/delayed_ack", json!("500ms")),
            "tcp.delayed_ack: 500ms is too long; must be below 500ms",
        ),
        (rfc("/tcp/initial_rto", json!("61s")), "tcp.initial_rto: 61s is above max_rto, 60s"),
        (rfc("/tcp/min_rto", json!("61s")), "tcp.min_rto: 61s is above max_rto, 60s"),
        (rfc("/tcp/congestion", json!("bbr2")), "tcp.congestion: unknown name \"bbr2\""),
        (rfc("/tcp/spurious", json!("eifle")), "tcp.spurious: unknown name \"eifle\""),
    ]);
}

#[test]
fn refused_paths() {
    let hop = |key: &str, value: Value| with(&format!("/path/hop/1/{key}"), value);
    let at = |i: u32| json!({"at": format!("{i}s"), "delay": "1s"});
    check(&[
        (json!({"profile": "ns2", "tcp": {"variant": "reno"}}), "path: missing"),
        (with("/path", json!({})), "path.hop: missing"),
        (with("/path/hop", json!([])), "path.hop: the list is empty"),
        (
            with("/path/hop", json!({"rate": "1Mbps"})),
            "path.hop: {\"rate\":\"1Mbps\"} is not a list",
        ),
        (with("/path/hop/0", json!(3)), "path.hop[0]: 3 is not a table of keys"),
        (hop("rat", json!(1)), "path.hop[1]: unknown key \"rat\"; did you mean \"rate\"?"),
        (hop("rate", json!("x")), "path.hop[1].rate: \"x\" is not a rate"),
        (
            hop("delay", json!(["1ms", "-1ms"])),
            "path.hop[1].delay[1]: \"-1ms\" is outside 0s to 292 years",
        ),
        (
            hop("queue", json!(1)),
            "path.hop[1].queue: 1 is not a whole number from 2 to 1000000000 such as 50, or a text such as \"64kB\"",
        ),
        (hop("queue", json!("64")), "path.hop[1].queue: \"64\" is not a size"),
        (
            hop("drop", json!([[1, 0]])),
            "path.hop[1].drop[0][1]: 0 is not possible: copies are counted from 1",
        ),
        (
            hop("drop", json!([[1]])),
            "path.hop[1].drop[0]: 1 values are not a list of 2 values such as [14,1]",
        ),
        (hop("drop", json!([1, 1])), "path.hop[1].drop[0]: 1 is not a list"),
        (hop("drop", json!([[-1, 1]])), "path.hop[1].drop[0][0]: -1 is not a whole number"),
        (
            hop("delays", json!([at(2), at(2)])),
            "path.hop[1].delays[1].at: 2s comes after 2s, but times must increase",
        ),
        (
            hop("back", json!({"drop": [[0, 0]]})),
            "path.hop[1].back.drop[0][1]: 0 is not possible: copies are counted from 1",
        ),
        (with("/flow", json!({"packets": 3})), "flow: {\"packets\":3} is not a list"),
        (
            with("/flow", json!([{"packets": 3, "milestone": 4}])),
            "flow[0].milestone: 4 is beyond the end",
        ),
        (with("/stop", json!({"time": "0s"})), "stop.time: 0s"),
        (with("/stop", json!({"time": ["1s"]})), "stop.time: a list is not allowed here"),
        (with("/link", json!({})), "link: \"link\" is a key of profile zorzi, not of ns2"),
        (
            with("/stop", json!({"slots": 9})),
            "stop.slots: \"slots\" is a key of profile zorzi, not of ns2 (allowed: time, warmup,",
        ),
    ]);
}

#[test]
fn slots_of_links_too_fast_for_whole_nanoseconds_are_refused() {
    let hop = |keys: Value| {
        let mut hop = json!({"rate": "400Gbps", "delay": "1ms"});
        hop.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        let mut document = with("/path/hop/1", hop);
        document["tcp"]["packet"] = json!("70B");
        document
    };
    let chain =
        |clock: &str| json!({"kind": "two-state", "p_gb": 0.1, "p_bg": 0.5, "clock": clock});
    let off = "400Gbps is too fast for slots of 560 bits: 1.4000 ns are rounded to 1 ns, off by 28.6 % (at most 0.1 \
        % is allowed, as in slots of 500 ns); give a lower rate, longer packets";
    let other = ", or a channel with clock = \"packet\"";
    check(&[
        (hop(json!({"slotted": true})), &format!("path.hop[1].rate: {off}, or no slotted")),
        (hop(json!({"channel": chain("slot")})), &format!("path.hop[1].rate: {off}{other}")),
        (hop(json!({"exit": chain("slot")})), &format!("path.hop[1].rate: {off}{other}")),
        (
            hop(json!({"channel": {"kind": "series", "of": [chain("slot")]}})),
            &format!("path.hop[1].rate: {off}{other}"),
        ),
        (
            hop(json!({"back": {"rate": "300Gbps", "channel": chain("slot")}})),
            "path.hop[1].back.rate: 300Gbps is too fast for slots of 320 bits: 1.0667 ns are rounded to 1 ns, off by 6.2 % \
             (at most 0.1 % is allowed, as in slots of 500 ns); give a lower rate, longer packets, or a channel with clock = \"packet\"",
        ),
    ]);
    for keys in [
        json!({}),
        json!({"channel": chain("packet")}),
        json!({"channel": {"kind": "iid", "loss_rate": 0.1}}),
    ] {
        assert_eq!(paths(&hop(keys)).len(), 1, "no slots");
    }
}

#[test]
fn refused_distributions_of_spikes() {
    let refused = |distribution: Value| {
        let gate = json!({
            "kind": "spikes", "interval": {"kind": "exponential", "mean": "9s"}, "duration": distribution,
        });
        points(&with("/path/hop/1/gate", gate)).unwrap_err().to_string()
    };
    for (distribution, message) in [
        (
            json!({"kind": "fixd"}),
            ".kind: unknown kind \"fixd\"; did you mean \"fixed\"? (allowed: fixed, uniform, exponential, \
             pareto, lomax, log-normal, gamma, hyper-exponential, normal, paretonormal, modulated, autoregressive, \
             values)",
        ),
        (
            json!({"kind": "fixed", "value": "1ns"}),
            ": a mean of 0.000000001 s is too short; must be at least 1us",
        ),
        (
            json!({"kind": "fixed", "value": "100s"}),
            ": a mean length of 100 s is more than 10 mean intervals of 9 s",
        ),
    ] {
        assert_eq!(refused(distribution), format!("path.hop[1].gate.duration{message}"));
    }
}

#[test]
fn phases_that_both_directions_share_are_given_alike() {
    let exit = |on: &str, loss_rate: f64, start: &str| {
        json!({
            "kind": "on-off", "on": on, "off": "5s", "loss_rate": loss_rate, "start": start, "shared": true,
        })
    };
    let both = |back: Value| {
        let mut document = with("/path/hop/1/exit", exit("1s", 0.5, "off"));
        document["path"]["hop"][1]["back"] = json!({"exit": back});
        document
    };
    assert!(points(&both(exit("1s", 1.0, "off"))).is_ok());
    let message = "path.hop[1].back.exit: on, off, start, lengths and shared must be";
    check(&[
        (both(exit("3s", 0.5, "off")), message),
        (both(exit("1s", 0.5, "on")), message),
        (both(json!({"kind": "on-off", "on": "1s", "off": "5s", "loss_rate": 0.5})), message),
    ]);
}

#[test]
fn what_marks_packets_is_checked_as_what_loses_them() {
    let marks = |value: Value| with("/path/hop/1/marks", value);
    check(&[
        (
            marks(json!({"kind": "sojourn", "good": "2s", "bad": "8bits"})),
            "path.hop[1].marks.bad: 8bits does not go with good = 2s",
        ),
        (
            marks(json!({"kind": "sojourn", "good": "1s", "bad": "10ns"})),
            "path.hop[1].marks.bad: 10ns is too short; must be at least 1us",
        ),
    ]);
}

#[test]
fn refused_channels_and_gates() {
    let channel = |value: Value| with("/path/hop/1/channel", value);
    let gate = |value: Value| with("/path/hop/1/gate", value);
    let sojourn =
        |good: &str, bad: &str| channel(json!({"kind": "sojourn", "good": good, "bad": bad}));
    let series = |of: Value| channel(json!({"kind": "series", "of": of}));
    check(&[
        (sojourn("2s", "8bits"), "path.hop[1].channel.bad: 8bits does not go with good = 2s"),
        (
            sojourn("8", "8bits"),
            "path.hop[1].channel.good: \"8\" is not a length such as \"100packets\"",
        ),
        (sojourn("1s", "10ns"), "path.hop[1].channel.bad: 10ns is too short; must be at least 1us"),
        (
            gate(json!({"kind": "on-off", "up": "1s", "down": "1ns"})),
            "path.hop[1].gate.down: 1ns is too short; must be at least 1us",
        ),
        (sojourn("0.5bits", "8bits"), "path.hop[1].channel.good: \"0.5bits\" is out of range"),
        (
            channel(
                json!({"kind": "sojourn", "good": "9packets", "bad": "8bits", "start": "stationary"}),
            ),
            "path.hop[1].channel.start: stationary needs",
        ),
        (series(json!([])), "path.hop[1].channel.of: the list is empty"),
        (series(json!([{"kind": "iid"}])), "path.hop[1].channel.of[0].loss_rate: missing"),
        (
            series(json!([{"kind": "series", "of": [{"kind": "iid", "loss_rate": 0}]}])),
            "path.hop[1].channel.of[0].kind: a series in a series",
        ),
        (
            series(json!([{"kind": "burst", "loss_rate": 1, "mean_burst": 2}])),
            "path.hop[1].channel.of[0].loss_rate: at 1 a burst never ends",
        ),
        (
            gate(json!({"kind": "onoff"})),
            "path.hop[1].gate.kind: unknown kind \"onoff\"; did you mean \"on-off\"?",
        ),
        (gate(json!({"kind": "on-off", "up": "0s", "down": "1s"})), "path.hop[1].gate.up: 0s"),
        (
            gate(json!({"kind": "schedule", "toggles": ["3s", "3s"]})),
            "path.hop[1].gate.toggles: 3s comes after 3s, but times must increase",
        ),
        (
            gate(json!({"kind": "schedule", "toggles": []})),
            "path.hop[1].gate.toggles: the list is empty",
        ),
        (
            gate(json!({"kind": "periodic", "up": "1s", "down": "1s", "loses": "some"})),
            "path.hop[1].gate.loses: unknown name \"some\"",
        ),
    ]);
}

#[test]
fn refused_recorded_losses() {
    let channel = |value: Value| with("/path/hop/1/channel", value);
    check(&[
        (
            channel(json!({"kind": "trace", "lost": []})),
            "path.hop[1].channel.lost: the list is empty",
        ),
        (
            channel(json!({"kind": "trace", "lost": [0, 2]})),
            "path.hop[1].channel.lost[1]: 2 is not a whole",
        ),
        (
            channel(json!({"kind": "trace", "lost": "x"})),
            "path.hop[1].channel.lost: \"x\" is not a list",
        ),
        (
            channel(json!({"kind": "trace", "lost": [1], "clock": "0s"})),
            "path.hop[1].channel.clock: \"0s\" is not packet, slot, or a time",
        ),
        (
            channel(json!({"kind": "trace", "lost": [0, 1], "block": 2})),
            "path.hop[1].channel.block: needs start = \"random\"",
        ),
        (
            channel(
                json!({"kind": "trace", "lost": [0, 1], "block": 2, "start": "random", "repeat": false}),
            ),
            "path.hop[1].channel.block: cannot be combined with repeat = false",
        ),
        (
            channel(json!({"kind": "trace", "lost": [0, 1], "block": 0, "start": "random"})),
            "path.hop[1].channel.block: 0 is not a whole number from 1 to 1000000000",
        ),
        (
            channel(json!({"kind": "trace", "lost": [0, 1], "start": "rando"})),
            "path.hop[1].channel.start: unknown name \"rando\"; did you mean \"random\"?",
        ),
    ]);
}

#[test]
fn long_lists_are_read_quickly_enough_to_be_lists() {
    let lost: Vec<u8> = (0..200_000).map(|i| u8::from(i % 7 == 0)).collect();
    let document = with("/path/hop/1/channel", json!({"kind": "trace", "lost": lost}));
    assert_eq!(paths(&document).len(), 1);
}

#[test]
fn the_schema_has_an_alternative_per_profile() {
    let schema = document_schema();
    let of = |profile: &str| &schema["$defs"][format!("{profile}Scenario")];
    assert_eq!(of("Ns2")["properties"]["profile"]["const"], "ns2");
    assert!(of("Ns2")["properties"].as_object().unwrap().values().all(Value::is_object));
    assert_eq!(of("Ns2")["required"], json!(["profile"]));
    let keys = |name: &str| schema["$defs"][name]["properties"].as_object().unwrap().clone();
    assert!(keys("Ns2Tcp").contains_key("tick") && !keys("RfcTcp").contains_key("tick"));
    assert!(keys("RfcTcp").contains_key("header") && !keys("Ns2Tcp").contains_key("header"));
    assert!(keys("Ns2Tcp").contains_key("ssthresh") && keys("RfcTcp").contains_key("ssthresh"));
    assert_eq!(of("Ns2")["then"]["properties"]["tcp"]["required"], json!(["variant"]));
    let hop = json!([{"required": ["delay"]}, {"required": ["link"]}]);
    assert_eq!(schema["$defs"]["HopSpec"]["anyOf"], hop);
    assert!(!schema["$defs"]["Ns2Tcp"]["properties"]["variant"].to_string().contains("oldtahoe"));
}

#[test]
fn timestamps_count_as_headers() {
    let mut document = rfc("/tcp/spurious", json!("eifel"));
    let point = &paths(&document)[0];
    let plain = &paths(&rfc("/tcp/spurious", json!("none")))[0];
    assert_eq!(point.tcp.payload_bytes() + 12, plain.tcp.payload_bytes());
    assert_eq!(point.tcp.ack_size().bytes(), plain.tcp.ack_size().bytes() + 12);
    document["tcp"]["packet"] = "52B".into();
    let said = points(&document).unwrap_err().to_string();
    assert!(said.contains("40B and 12B of timestamps leaves no room for payload"), "{said}");
}

#[test]
fn refused_nodes() {
    let hops = |hops: Value| with("/path/hop", hops);
    let flows = |flows: Value| with("/flow", flows);
    let hop =
        |near: &str, far: &str| json!({"near": near, "far": far, "rate": "1Mbps", "delay": "1ms"});
    check(&[
        (flows(json!([{}, {"sender": "3"}])), "flow[1].sender: unknown node \"3\""),
        (flows(json!([{"receiver": "0"}])), "flow[0].receiver: sender and receiver are both \"0\""),
        (flows(json!([{"sender": "2"}])), "flow[0].sender: sender and receiver are both \"2\""),
        (flows(json!([{"sender": 1}])), "flow[0].sender: 1 is not a text"),
        (
            hops(json!([hop("a", "b"), hop("c", "c")])),
            "path.hop[1].far: the hop leads from \"c\" to itself; near and far must differ",
        ),
        (
            hops(json!([hop("a", "b"), hop("c", "d")])),
            "flow[0].receiver: no hops lead from \"a\" to \"d\"",
        ),
        (hops(json!([hop("", "b")])), "path.hop[0].near: is empty: give a text, or leave it out"),
        (
            hops(json!([hop("a", "@b")])),
            "path.hop[0].far: \"@b\" could be taken for a formula in a spreadsheet; begin with a letter or a digit",
        ),
        (flows(json!([{"access_delay": "-1s"}])), "flow[0].access_delay: "),
    ]);
}

#[test]
fn forced_losses_are_of_packets_that_pass() {
    let of = |drop: Value, back: bool, flow: Value| {
        let mut hop = json!({"rate": "1Mbps", "delay": "1ms"});
        let place = if back { &mut hop["back"] } else { &mut hop };
        place["drop"] = drop;
        let mut document = with("/path/hop", json!([{"rate": "1Mbps", "delay": "1ms"}, hop]));
        // Others cross all hops.
        document["flow"] = json!([flow, {}, {"sender": "2", "receiver": "0"}]);
        document
    };
    let near = || json!({"receiver": "1"});
    let message = "forced losses hit only the first flow, which does not cross this hop";
    check(&[
        (of(json!([[3, 1]]), false, near()), &format!("path.hop[1].drop: {message}")),
        (of(json!([[3, 1]]), true, near()), &format!("path.hop[1].back.drop: {message}")),
        (
            of(json!([[3, 1], [5, 1]]), false, json!({"packets": 5})),
            "path.hop[1].drop[1][0]: 5 is beyond the end of the first flow: packets are numbered from 0 to 4",
        ),
        (
            of(json!([[5, 1]]), true, json!({"packets": 5})),
            "path.hop[1].back.drop[0][0]: 5 is beyond the end",
        ),
    ]);
    for flow in [json!({}), json!({"sender": "2", "receiver": "1", "packets": 4})] {
        assert_eq!(paths(&of(json!([[3, 1]]), true, flow)).len(), 1);
    }
}

#[test]
fn nodes_are_named_by_their_number_or_as_hops_say() {
    let named = |hops: Value| paths(&with("/path/hop", hops))[0].nodes().names().to_vec();
    let hop = || json!({"rate": "1Mbps", "delay": "1ms"});
    let far = json!({"far": "server", "rate": "1Mbps", "delay": "1ms"});
    assert_eq!(named(json!([hop(), hop()])), ["0", "1", "2"]);
    assert_eq!(named(json!([hop(), far])), ["0", "1", "server"]);
}

/// Each way is looked for once: with a search per flow this takes a minute.
#[test]
fn ten_thousand_flows_over_a_thousand_hops_are_read_as_quickly_as_few() {
    let phone = |i: usize| format!("phone{}", i % 1000);
    let hop = |i| json!({"near": phone(i), "far": "core", "rate": "1Mbps", "delay": "1ms"});
    let flow = |i| json!({"sender": phone(i), "receiver": phone(i + 1)});
    let mut document = with("/path/hop", (0..1000).map(hop).collect());
    document["flow"] = (0..10_000).map(flow).collect();
    let point = &paths(&document)[0];
    let mut routes = point.routes();
    let mut route = |i: usize| {
        routes.nodes().flow_end_nodes(&point.flow[i]).map(|ends| routes.route(ends).to_vec())
    };
    assert_eq!(route(998), Some(vec![(998, false), (999, true)]));
    assert_eq!(route(9999), Some(vec![(999, false), (0, true)]));
}

/// The fewest hops, and among as many those that come first in the scenario.
#[test]
fn ways_are_the_shortest() {
    let hop =
        |near: &str, far: &str| json!({"near": near, "far": far, "rate": "1Mbps", "delay": "1ms"});
    let hops = json!([hop("a", "b"), hop("b", "c"), hop("c", "d"), hop("d", "a"), hop("d", "a")]);
    let mut document = with("/path/hop", hops);
    document["flow"] = json!([
        {"sender": "a", "receiver": "d"}, {"sender": "a", "receiver": "c"}, {"sender": "c", "receiver": "a"},
    ]);
    let point = &paths(&document)[0];
    let mut routes = point.routes();
    let routes: Vec<_> = point
        .flow
        .iter()
        .map(|flow| {
            let ends = routes.nodes().flow_end_nodes(flow).expect("nodes");
            routes.route(ends).to_vec()
        })
        .collect();
    assert_eq!(
        routes,
        [vec![(4, true)], vec![(0, false), (1, false)], vec![(2, false), (3, false)]]
    );
}

#[test]
fn refused_traffic() {
    let traffic = |key: &str, value: Value| {
        let mut one = json!({"rate": "1Mbps", "packet": "500B"});
        one[key] = value;
        with("/traffic", json!([one]))
    };
    check(&[
        (with("/traffic", json!([{}])), "traffic[0].rate: missing"),
        (traffic("sender", json!("9")), "traffic[0].sender: unknown node \"9\""),
        (traffic("sender", json!("2")), "traffic[0].sender: sender and receiver are both \"2\""),
        (traffic("end", json!("0s")), "traffic[0].end: 0s is not after start, 0s"),
        (traffic("rate", json!("9000000Gbps")), "traffic[0].rate: "),
        (traffic("on", json!({"kind": "fixed", "value": "1s"})), "traffic[0].off: missing"),
        (traffic("off", json!({"kind": "fixed", "value": "1s"})), "traffic[0].on: missing"),
        (traffic("burst", json!(1)), "traffic[0]: unknown key \"burst\""),
    ]);
    let bursts = |on: Value, off: Value| {
        with("/traffic", json!([{"rate": "1Mbps", "packet": "500B", "on": on, "off": off}]))
    };
    let fixed = |value: &str| json!({"kind": "fixed", "value": value});
    let exponential = json!({"kind": "exponential", "mean": "0s"});
    let said = "traffic[0].off: on and off together last less than a nanosecond";
    check(&[(bursts(fixed("0s"), fixed("0s")), said), (bursts(fixed("0s"), exponential), said)]);
    let once = json!({"kind": "values", "values": ["0s"], "repeat": false});
    paths(&bursts(once, fixed("0s")));
    paths(&bursts(fixed("1ns"), fixed("0s")));
}
