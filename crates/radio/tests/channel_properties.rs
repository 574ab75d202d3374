//! Properties of every registered channel. Statistical checks: fixed seeds, five standard errors.

use airtcp_core::{Instant, Payload, PollResult, Rate, Span, Stage, Stream};
use airtcp_radio::channel::{Extent, Spec, TraceClock};
use airtcp_radio::{
    ArqConfig, ArqCounters, Channel, ChannelSpec, Fate, HopConfig, Line, LossCause, Observed,
    Process, Transmission, TwoState,
};

const SLOT: Span = Span::from_nanos(10);

/// Examples of every registered kind; a kind without one fails the first test.
fn examples() -> Vec<ChannelSpec> {
    let documents = [
        r#"{"kind": "iid", "loss_rate": 0.1}"#,
        r#"{"kind": "two-state", "p_gb": 0.02, "p_bg": 0.3}"#,
        r#"{"kind": "two-state", "p_gb": 0.7, "p_bg": 0.9}"#,
        r#"{"kind": "burst", "loss_rate": 0.05, "mean_burst": 8}"#,
        r#"{"kind": "burst", "loss_rate": 0.05, "mean_burst": 8, "clock": "packet"}"#,
        r#"{"kind": "rayleigh-two-state", "doppler": 0.08, "loss_rate": 0.1}"#,
        r#"{"kind": "rayleigh-two-state", "doppler": 0.01, "fading_margin_db": 10}"#,
        r#"{"kind": "rayleigh", "snr": "0dB", "doppler": "1MHz"}"#,
        r#"{"kind": "rayleigh", "snr": "0dB", "doppler": "10MHz", "rician_k": 3, "mode": "bits"}"#,
        r#"{"kind": "rayleigh", "snr": "0dB", "doppler": "0.1MHz", "code": "bch(15,7)"}"#,
        r#"{"kind": "rayleigh", "snr": "-3dB", "doppler": "1MHz", "code": "bch(31,11)",
            "modulation": "dpsk", "mode": "bits"}"#,
        r#"{"kind": "jakes", "snr": "0dB", "doppler": "1MHz"}"#,
        r#"{"kind": "jakes", "snr": "0dB", "doppler": "1MHz", "oscillators": 20, "mode": "bits"}"#,
        r#"{"kind": "gilbert-elliott", "p": 0.05, "r": 0.25}"#,
        r#"{"kind": "gilbert-elliott", "p": 0.05, "r": 0.95, "h": 0.2, "k": 0.99}"#,
        r#"{"kind": "gilbert-elliott", "p": 0.05, "r": 0.25, "h": 0.5, "k": 0.9}"#,
        r#"{"kind": "states", "loss": [0, 0.5, 1], "transition": [[0.9, 0.1, 0], [0.2, 0.7, 0.1], [0, 0.5, 0.5]]}"#,
        r#"{"kind": "states", "loss": [0, 1], "transition": [[0.98, 0.02], [0.3, 0.7]], "clock": "slot"}"#,
        r#"{"kind": "states", "loss": [0.5, 0], "transition": [[0.5, 0.5], [0.1, 0.9]], "clock": "7ns"}"#,
        r#"{"kind": "bit-errors", "bit_error_rate": 0.2}"#,
        r#"{"kind": "sojourn", "good": "300ns", "bad": "25ns"}"#,
        r#"{"kind": "sojourn", "good": "300ns", "bad": "25ns", "start": "stationary"}"#,
        r#"{"kind": "sojourn", "good": "20packets", "bad": "2bits"}"#,
        r#"{"kind": "on-off", "on": "40ns", "off": "200ns", "loss_rate": 1}"#,
        r#"{"kind": "on-off", "on": "40ns", "off": "200ns", "loss_rate": 0.5, "start": "on"}"#,
        r#"{"kind": "on-off", "on": "40ns", "off": "200ns", "loss_rate": 1, "start": "stationary", "lengths": "fixed"}"#,
        r#"{"kind": "epochs", "every": "300ns", "loss": {"rate": 0.1}}"#,
        r#"{"kind": "epochs", "every": "300ns", "loss": {"rate": 0.05, "deviation": 1, "memories": [{"time": "600ns", "share": 0.8}],
            "handover": {"time": "100ns", "factor": 5}}}"#,
        r#"{"kind": "trace", "lost": [0, 1, 0, 0, 1, 1, 0]}"#,
        r#"{"kind": "trace", "lost": [0, 1, 0, 0, 1, 1, 0], "clock": "slot"}"#,
        r#"{"kind": "trace", "lost": [0, 0, 1], "clock": "7ns", "repeat": false}"#,
        r#"{"kind": "trace", "lost": [0, 1, 0, 0, 1, 1, 0], "start": "random"}"#,
        r#"{"kind": "trace", "lost": [0, 1, 0, 0, 1, 1, 0], "clock": "slot", "start": "random", "repeat": false}"#,
        r#"{"kind": "trace", "lost": [0, 1, 0, 0, 1, 1, 0], "clock": "7ns", "start": "random", "block": 3}"#,
        r#"{"kind": "series", "of": [{"kind": "iid", "loss_rate": 0.1}, {"kind": "iid", "loss_rate": 0.2}]}"#,
        r#"{"kind": "series", "of": [{"kind": "two-state", "p_gb": 0.02, "p_bg": 0.3}]}"#,
        r#"{"kind": "series", "of": [{"kind": "burst", "loss_rate": 0.05, "mean_burst": 8},
            {"kind": "sojourn", "good": "300ns", "bad": "25ns"}]}"#,
    ];
    documents.iter().map(|d| serde_json::from_str(d).expect(d)).collect()
}

fn process(spec: &ChannelSpec, seed: u64) -> Process {
    spec.build(SLOT, Stream::new(seed, "laws", 0)).unwrap()
}

fn ask(channel: &mut Process, slot: i64, slots: i64) -> bool {
    let start = Instant::START + SLOT * slot;
    channel.fate_of(Transmission { start, end: start + SLOT * slots, bits: 1 }) == Fate::Erased
}

/// Losses in slots 0..n.
fn path(spec: &ChannelSpec, seed: u64, n: i64) -> Vec<bool> {
    let mut channel = process(spec, seed);
    (0..n).map(|slot| ask(&mut channel, slot, 1)).collect()
}

/// True if the fate of a packet is a function of its interval alone: no clock counts packets or bits that are
/// sent, and no losses are drawn within states.
fn states_decide(spec: &ChannelSpec) -> bool {
    use airtcp_radio::channel::Clock::Slot;
    match spec {
        ChannelSpec::Iid(_) => true,
        ChannelSpec::TwoState(s) => s.clock == Slot,
        ChannelSpec::Burst(s) => s.clock == Slot,
        ChannelSpec::RayleighTwoState(s) => s.clock == Slot,
        ChannelSpec::GilbertElliott(s) => {
            s.clock == Slot && s.h.value() == 0.0 && s.k.value() == 1.0
        }
        ChannelSpec::Sojourn(s) => matches!(s.good, Extent::Time(_)),
        ChannelSpec::OnOff(s) => s.loss_rate.value() == 1.0,
        ChannelSpec::Trace(s) => s.clock != TraceClock::Packet,
        ChannelSpec::Series(s) => s.of.iter().all(states_decide),
        ChannelSpec::Rayleigh(_) | ChannelSpec::Jakes(_) => false,
        ChannelSpec::States(_) | ChannelSpec::BitErrors(_) | ChannelSpec::Epochs(_) => false,
    }
}

/// True if questions in between change nothing, even where losses are drawn by the instant of the start.
fn time_decides(spec: &ChannelSpec) -> bool {
    matches!(spec, ChannelSpec::Rayleigh(_) | ChannelSpec::Jakes(_)) || states_decide(spec)
}

/// A chain in time whose states lose all or nothing: a packet meets the one at its start.
fn start_decides(spec: &ChannelSpec) -> bool {
    let is_certain =
        |loss: &[airtcp_core::Probability]| loss.iter().all(|p| p.value().fract() == 0.0);
    matches!(spec, ChannelSpec::States(s) if s.clock != TraceClock::Packet && is_certain(&s.loss))
}

#[test]
fn every_registered_kind_has_an_example() {
    for entry in ChannelSpec::ENTRIES {
        assert!(examples().iter().any(|e| e.entry() == entry), "{}", entry.name);
    }
}

#[test]
fn the_same_stream_gives_the_same_fates() {
    for spec in examples() {
        assert_eq!(path(&spec, 5, 2000), path(&spec, 5, 2000), "{spec:?}");
        let differ = path(&spec, 5, 2000) != path(&spec, 6, 2000);
        assert_eq!(differ, spec.is_random(), "{spec:?}");
    }
}

#[test]
fn questions_in_between_do_not_change_the_path() {
    assert!(examples().iter().any(start_decides));
    for spec in examples().iter().filter(|s| time_decides(s) || start_decides(s)) {
        let full = path(spec, 9, 3000);
        for step in [7, 97] {
            let mut channel = process(spec, 9);
            for slot in (0..3000).step_by(step) {
                let expected = full[usize::try_from(slot).unwrap()];
                assert_eq!(ask(&mut channel, slot, 1), expected, "{spec:?} slot {slot}");
            }
        }
    }
}

#[test]
fn a_longer_burst_is_never_safer() {
    for spec in examples().iter().filter(|s| states_decide(s)) {
        let full = path(spec, 3, 4000);
        for length in [2, 5, 20] {
            let mut channel = process(spec, 3);
            for slot in (0..3900).step_by(25) {
                let first = usize::try_from(slot).unwrap();
                let any = full[first..first + usize::try_from(length).unwrap()].contains(&true);
                assert_eq!(ask(&mut channel, slot, length), any, "{spec:?} {slot} {length}");
            }
        }
    }
}

/// Where losses are drawn, it is so in probability: a longer packet of the same bit rate, at the same
/// instants of the same fading. Five standard errors of the discordant ones.
#[test]
fn a_longer_packet_is_lost_more_often() {
    for spec in examples().iter().filter(|s| time_decides(s) && !states_decide(s)) {
        let lost = |bits: u64| -> Vec<bool> {
            let mut channel = process(spec, 4);
            let mut fate = |slot: i64| {
                let start = Instant::START + SLOT * (10 * slot);
                let end = start + SLOT * bits.cast_signed();
                channel.fate_of(Transmission { start, end, bits }) == Fate::Erased
            };
            (0..20_000).map(&mut fate).collect()
        };
        let (short, long) = (lost(1), lost(9));
        let only =
            |a: &[bool], b: &[bool]| a.iter().zip(b).filter(|(a, b)| **a && !**b).count() as f64;
        let (fewer, more) = (only(&short, &long), only(&long, &short));
        assert!(more - fewer > -5.0 * (more + fewer).sqrt(), "{spec:?} {fewer} {more}");
        assert!(long.iter().filter(|l| **l).count() > 100, "{spec:?}");
    }
}

/// Mean loss rate, with the variance inflation of a chain with correlation lambda.
#[test]
fn the_long_run_rate_is_the_declared_one() {
    let n = 400_000;
    for spec in &examples() {
        let Some(chain) = spec.two_state().unwrap() else { continue };
        let (p, lambda) = (chain.loss_rate(), 1.0 - chain.p_gb - chain.p_bg);
        let lost = path(spec, 11, n).iter().filter(|l| **l).count() as f64 / n as f64;
        let sd = (p * (1.0 - p) / n as f64 * (1.0 + lambda) / (1.0 - lambda)).sqrt();
        assert!((lost - p).abs() < 5.0 * sd, "{spec:?}: {lost} against {p} +- {sd}");
    }
}

/// The transitions between consecutive fates are those of the declared summary.
#[test]
fn consecutive_fates_follow_the_summary() {
    for spec in examples() {
        let Some(chain) = spec.two_state().unwrap() else { continue };
        let fates = path(&spec, 13, 400_000);
        for (from, p) in [(false, chain.p_gb), (true, 1.0 - chain.p_bg)] {
            let next: Vec<bool> = fates.windows(2).filter(|w| w[0] == from).map(|w| w[1]).collect();
            let share = next.iter().filter(|l| **l).count() as f64 / next.len() as f64;
            let sd = (p * (1.0 - p) / next.len() as f64).sqrt();
            assert!((share - p).abs() < 5.0 * sd, "{spec:?} from {from}: {share} against {p}");
        }
    }
}

/// After a silence of n slots the chain is where its n-th power says.
#[test]
fn the_chain_moves_while_nobody_sends() {
    let spec: ChannelSpec =
        serde_json::from_str(r#"{"kind": "two-state", "p_gb": 0.02, "p_bg": 0.1}"#).unwrap();
    let TwoState { p_gb, p_bg } = spec.two_state().unwrap().unwrap();
    let gap = 6;
    let mut channel = process(&spec, 17);
    let fates: Vec<bool> = (0..200_000).map(|i| ask(&mut channel, i * gap, 1)).collect();
    let after_loss: Vec<bool> = fates.windows(2).filter(|w| w[0]).map(|w| w[1]).collect();
    let share = after_loss.iter().filter(|l| **l).count() as f64 / after_loss.len() as f64;
    let rate = p_gb / (p_gb + p_bg);
    let expected = rate + (1.0 - rate) * libm::pow(1.0 - p_gb - p_bg, 6.0);
    let sd = (expected * (1.0 - expected) / after_loss.len() as f64).sqrt();
    assert!((share - expected).abs() < 5.0 * sd, "{share} against {expected}");
}

/// On the packet clock it stands still instead.
#[test]
fn a_packet_clock_stands_still_while_nobody_sends() {
    let spec: ChannelSpec = serde_json::from_str(
        r#"{"kind": "two-state", "p_gb": 0.02, "p_bg": 0.1, "clock": "packet"}"#,
    )
    .unwrap();
    assert_eq!(spec.two_state().unwrap(), None);
    let dense = path(&spec, 19, 5000);
    let mut channel = process(&spec, 19);
    let sparse: Vec<bool> = (0..5000).map(|i| ask(&mut channel, i * 100, 1)).collect();
    assert_eq!(dense, sparse);
}

#[test]
fn degenerate_chains_do_as_told() {
    let lost = |json: &str| {
        let spec: ChannelSpec = serde_json::from_str(json).unwrap();
        path(&spec, 1, 100).into_iter().filter(|l| *l).count()
    };
    assert_eq!(lost(r#"{"kind": "iid", "loss_rate": 0}"#), 0);
    assert_eq!(lost(r#"{"kind": "iid", "loss_rate": -0.0}"#), 0);
    assert_eq!(lost(r#"{"kind": "gilbert-elliott", "p": -0.0, "r": 0.2}"#), 0);
    assert_eq!(lost(r#"{"kind": "iid", "loss_rate": 1}"#), 100);
    assert_eq!(lost(r#"{"kind": "two-state", "p_gb": 1, "p_bg": 1}"#), 50);
    assert_eq!(lost(r#"{"kind": "rayleigh-two-state", "doppler": 0.1, "loss_rate": 0}"#), 0);
    assert_eq!(lost(r#"{"kind": "gilbert-elliott", "p": 0.5, "r": 0.5, "h": 1, "k": 1}"#), 0);
}

#[test]
fn hidden_chains_have_a_summary_only_where_it_is_exact() {
    let summary = |json: &str| {
        let spec: ChannelSpec = serde_json::from_str(json).unwrap();
        spec.two_state().unwrap().map(|c| (c.p_gb, c.p_bg))
    };
    let ge = |rest: &str| summary(&format!(r#"{{"kind": "gilbert-elliott", {rest}}}"#));
    assert_eq!(ge(r#""p": 0.1, "r": 0.5"#), Some((0.1, 0.5)));
    assert_eq!(ge(r#""p": 0.1, "r": 0.5, "clock": "packet""#), None);
    assert_eq!(ge(r#""p": 0.1, "r": 0.5, "h": 1, "k": 0"#), Some((0.5, 0.1)), "roles swapped");
    assert_eq!(ge(r#""p": 0.1, "r": 0.5, "h": 0.25"#), None);
    assert_eq!(ge(r#""p": 0.1, "r": 0.5, "h": 0.75, "k": 0.75"#), Some((0.25, 0.75)));
    assert_eq!(ge(r#""p": 0, "r": 0.5, "h": 0.5, "k": 0.75"#), Some((0.25, 0.75)));
    assert_eq!(ge(r#""p": 0.5, "r": 0.5, "h": 0.5, "clock": "packet""#), Some((0.25, 0.75)));
    let burst = r#"{"kind": "burst", "loss_rate": 0.9, "mean_burst": 9}"#;
    assert_eq!(summary(burst), Some((1.0, 1.0 / 9.0)), "rounding is no contradiction");
}

#[test]
fn contradictions_are_refused() {
    let refused = |json: &str| {
        let spec: ChannelSpec = serde_json::from_str(json).unwrap();
        spec.build(SLOT, Stream::new(1, "laws", 0)).unwrap_err().field
    };
    assert_eq!(refused(r#"{"kind": "two-state", "p_gb": 0, "p_bg": 0}"#), "p_bg");
    assert_eq!(refused(r#"{"kind": "burst", "loss_rate": 0.9, "mean_burst": 2}"#), "mean_burst");
    assert_eq!(refused(r#"{"kind": "burst", "loss_rate": 1, "mean_burst": 2}"#), "loss_rate");
    assert_eq!(refused(r#"{"kind": "rayleigh-two-state", "doppler": 0.1}"#), "loss_rate");
    let both =
        r#"{"kind": "rayleigh-two-state", "doppler": 1, "loss_rate": 0.1, "fading_margin_db": 3}"#;
    assert_eq!(refused(both), "loss_rate");
    assert_eq!(refused(r#"{"kind": "sojourn", "good": "2s", "bad": "8bits"}"#), "bad");
    let states = |loss: &str, rows: &str| {
        refused(&format!(r#"{{"kind": "states", "loss": {loss}, "transition": {rows}}}"#))
    };
    assert_eq!(states("[0, 1]", "[[1, 0], [0, 1]]"), "transition");
    assert_eq!(states("[0, 1]", "[[1, 0]]"), "transition");
    assert_eq!(states("[0, 1]", "[[0.5, 0.5], [1]]"), "transition[1]");
    assert_eq!(states("[0, 1]", "[[0.5, 0.6], [1, 0]]"), "transition[0]");
    let series = |of: &str| format!(r#"{{"kind": "series", "of": [{of}]}}"#);
    assert_eq!(refused(&series("")), "of");
    assert_eq!(refused(&series(r#"{"kind": "two-state", "p_gb": 0, "p_bg": 0}"#)), "of[0].p_bg");
    assert_eq!(refused(&series(&series(r#"{"kind": "iid", "loss_rate": 0}"#))), "of[0].kind");
    let jakes = r#"{"kind": "jakes", "snr": "20dB", "doppler": "1Hz", "oscillators": 0}"#;
    assert_eq!(refused(jakes), "oscillators");
    let rician = r#"{"kind": "rayleigh", "snr": "20dB", "doppler": "1Hz", "rician_k": -1}"#;
    assert_eq!(refused(rician), "rician_k");
}

#[test]
fn a_gain_is_sampled_once_per_bit() {
    let check = |json: &str| {
        let spec: ChannelSpec = serde_json::from_str(json).unwrap();
        spec.check_rate(airtcp_core::Rate::try_from("1kbps".to_owned()).unwrap())
    };
    assert_eq!(check(r#"{"kind": "rayleigh", "snr": "20dB", "doppler": "500Hz"}"#), Ok(()));
    let fast = r#"{"kind": "rayleigh", "snr": "20dB", "doppler": "501Hz"}"#;
    let refused = check(fast).unwrap_err();
    assert_eq!(refused.field, "doppler");
    assert!(refused.message.contains("at most 500Hz"), "{}", refused.message);
    let inside = check(&format!(r#"{{"kind": "series", "of": [{fast}]}}"#)).unwrap_err();
    assert_eq!(inside.field, "of[0].doppler");
}

/// A code takes the time of its words on the air, the last one filled up.
#[test]
fn codes_lengthen_packets() {
    let air = |json: &str| {
        let spec: ChannelSpec = serde_json::from_str(json).unwrap();
        let built = spec.build(SLOT, Stream::new(1, "laws", 0)).unwrap();
        assert_eq!(spec.bits_on_air(256), built.bits_on_air(256), "{json}");
        spec.bits_on_air(256)
    };
    let coded = r#"{"kind": "rayleigh", "snr": "20dB", "doppler": "1Hz", "code": "bch(255,87)"}"#;
    assert_eq!(air(coded), 765);
    assert_eq!(air(&coded.replace("rayleigh", "jakes")), 765);
    assert_eq!(air(r#"{"kind": "rayleigh", "snr": "20dB", "doppler": "1Hz"}"#), 256);
    assert_eq!(air(r#"{"kind": "iid", "loss_rate": 0.1}"#), 256);
    assert_eq!(
        air(&format!(
            r#"{{"kind": "series", "of": [{{"kind": "iid", "loss_rate": 0}}, {coded}]}}"#
        )),
        765
    );
}

/// A packet of three fragments, or of fewer.
#[derive(Clone, Copy, Debug)]
struct Numbered(u64);

impl Payload for Numbered {
    fn bits(&self) -> u64 {
        10 * (self.0 % 3 + 1)
    }
}

/// Packets that a link layer over `spec` hands over, those that it gives up, and its counts. A fragment
/// lasts a slot.
fn carried(spec: &ChannelSpec, in_order: bool) -> (Vec<u64>, Vec<u64>, ArqCounters) {
    let arq = ArqConfig {
        payload: 10,
        overhead: 0,
        attempts: 2,
        feedback_delay: SLOT * 3,
        feedback_loss: 0.2,
        feedback: Stream::new(4, "feedback", 0),
        in_order,
    };
    let rate = Rate::try_from("1Gbps".to_owned()).unwrap();
    let hop = HopConfig { channel: process(spec, 4), ..HopConfig::new(rate, SLOT) };
    let mut line = Line::new(HopConfig { arq: Some(arq), ..hop });
    line.keep_losses(true);
    (0..900).for_each(|number| line.push(Instant::START, Numbered(number)));
    let (mut out, mut lost) = (Vec::new(), Vec::new());
    while line.due().0 < Instant::NEVER {
        let now = line.due().0;
        while let PollResult::Out(packet) = line.poll(now) {
            out.push(packet.0);
        }
    }
    while let Some(one) = line.take_lost() {
        assert_eq!(one.cause, LossCause::Arq);
        lost.push(one.payload.0);
    }
    (out, lost, line.air(0))
}

#[test]
fn a_link_that_retransmits_conserves_packets_and_their_order_on_every_channel() {
    for spec in examples() {
        let (out, mut lost, air) = carried(&spec, true);
        assert!(out.is_sorted() && lost.is_sorted(), "{spec:?}");
        assert_eq!((out.len() + lost.len(), lost.len() as u64), (900, air.failures), "{spec:?}");
        // First attempts at 1800 fragments, less what was dropped; one repetition of each at most.
        let first = air.transmissions - air.retransmissions;
        assert!(
            first <= 1800 && air.retransmissions <= first && air.retransmissions > 0,
            "{spec:?}"
        );
        assert_eq!(air.bits, spec.bits_on_air(10) * air.transmissions, "{spec:?}");
        // Order is a matter of the far end alone.
        let (mut any, mut also_lost, same) = carried(&spec, false);
        any.sort_unstable();
        also_lost.sort_unstable();
        lost.sort_unstable();
        assert_eq!((any, also_lost, same), (out, lost, air), "{spec:?}");
    }
}

/// Fates of both directions of a hop in slots 0..n.
fn both_ways(document: &str, n: i64) -> [Vec<bool>; 2] {
    let spec: ChannelSpec = serde_json::from_str(document).unwrap();
    ["down", "up"].map(|way| {
        let stream = |name: &str| Stream::new(3, name, 0);
        let mut channel = spec.build_paired(SLOT, stream(way), stream("both")).unwrap();
        (0..n).map(|slot| ask(&mut channel, slot, 1)).collect()
    })
}

#[test]
fn shared_phases_are_those_of_both_directions_and_losses_are_their_own() {
    let on_off = |rest: &str| {
        format!(r#"{{"kind": "on-off", "on": "400ns", "off": "2us", "loss_rate": {rest}}}"#)
    };
    let [down, up] = both_ways(&on_off(r#"1, "shared": true"#), 5000);
    assert!(down.contains(&true));
    assert_eq!(down, up);
    let [down, up] = both_ways(&on_off("1"), 5000);
    assert_ne!(down, up);
    let [down, up] = both_ways(&on_off(r#"0.5, "shared": true"#), 5000);
    assert_ne!(down, up);
}

#[test]
fn fixed_phases_repeat_from_where_they_start() {
    let lost = |start: &str| -> String {
        let spec = format!(
            r#"{{"kind": "on-off", "on": "20ns", "off": "30ns", "loss_rate": 1, "lengths": "fixed",
                "start": "{start}"}}"#
        );
        let spec: ChannelSpec = serde_json::from_str(&spec).unwrap();
        path(&spec, 1, 10).into_iter().map(|lost| if lost { 'x' } else { '.' }).collect()
    };
    assert_eq!((lost("off").as_str(), lost("on").as_str()), ("...xx...xx", "xx...xx..."));
}

/// Share of losses and mean length of On phases, from a stationary start.
#[test]
fn phases_have_the_declared_means() {
    let document = r#"{"kind": "on-off", "on": "400ns", "off": "1600ns", "loss_rate": 1,
        "start": "stationary"}"#;
    let spec: ChannelSpec = serde_json::from_str(document).unwrap();
    let n = 1_000_000;
    let fates = path(&spec, 21, n);
    let lost = fates.iter().filter(|lost| **lost).count() as f64 / n as f64;
    // Exponential phases of 40 and 160 slots: variance 2 p^2 q^2 (40 + 160) / n of the share; a slot that
    // a phase only touches is lost, which adds half a slot at either end of one in 200.
    let (p, q) = (0.2, 0.8);
    let sd = (2.0 * p * p * q * q * 200.0 / n as f64).sqrt();
    let touched = 1.0 / 200.0;
    assert!((lost - p - touched).abs() < 5.0 * sd, "{lost} against {} +- {sd}", p + touched);
}
