//! Every channel, gate and distribution says rightly whether it draws: what says no is the same on every stream, and
//! what says yes differs between some.

use airtcp_core::{Instant, RegistryEntry, Span, Stream};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::distribution::Spec as _;
use airtcp_radio::gate::Spec as _;
use airtcp_radio::{Channel, ChannelSpec, DistributionSpec, Fate, GateSpec, Transmission};
use serde::de::DeserializeOwned;

const SLOT: i64 = 10;
/// Slots, nanoseconds or lengths that are drawn from each example on each of `STREAMS` streams.
const LENGTH: i64 = 600;
const STREAMS: u64 = 12;

/// Settings of which some draw random numbers and some do not.
struct Examples {
    random: &'static [&'static str],
    certain: &'static [&'static str],
}

const CHANNELS: Examples = Examples {
    random: &[
        r#"{"kind": "iid", "loss_rate": 0.1}"#,
        r#"{"kind": "two-state", "p_gb": 0.02, "p_bg": 0.3}"#,
        r#"{"kind": "two-state", "p_gb": 1, "p_bg": 1, "clock": "packet"}"#,
        r#"{"kind": "burst", "loss_rate": 0.05, "mean_burst": 8}"#,
        r#"{"kind": "rayleigh-two-state", "doppler": 0.08, "loss_rate": 0.1}"#,
        r#"{"kind": "rayleigh", "snr": "0dB", "doppler": "1MHz"}"#,
        r#"{"kind": "jakes", "snr": "0dB", "doppler": "1MHz"}"#,
        r#"{"kind": "gilbert-elliott", "p": 0.05, "r": 0.25}"#,
        r#"{"kind": "gilbert-elliott", "p": 0.05, "r": 0.25, "h": 0.5, "k": 0.5}"#,
        r#"{"kind": "gilbert-elliott", "p": 0, "r": 0.25, "k": 0.9}"#,
        r#"{"kind": "gilbert-elliott", "p": 0.1, "r": 0, "h": 0.5}"#,
        r#"{"kind": "states", "loss": [0, 0.5, 1], "transition": [[0.9, 0.1, 0], [0.2, 0.7, 0.1], [0, 0.5, 0.5]]}"#,
        r#"{"kind": "states", "loss": [0, 1], "transition": [[0.98, 0.02], [0.3, 0.7]], "clock": "slot"}"#,
        r#"{"kind": "states", "loss": [0, 1], "transition": [[0, 1], [1, 0]]}"#,
        r#"{"kind": "bit-errors", "bit_error_rate": 0.2}"#,
        r#"{"kind": "sojourn", "good": "300ns", "bad": "25ns"}"#,
        r#"{"kind": "sojourn", "good": "20packets", "bad": "2bits"}"#,
        r#"{"kind": "on-off", "on": "40ns", "off": "200ns", "loss_rate": 1}"#,
        r#"{"kind": "on-off", "on": "40ns", "off": "200ns", "loss_rate": 0.5, "lengths": "fixed"}"#,
        r#"{"kind": "on-off", "on": "40ns", "off": "200ns", "loss_rate": 1, "start": "stationary", "lengths": "fixed"}"#,
        r#"{"kind": "epochs", "every": "200ns", "loss": {"rate": 0.1}}"#,
        r#"{"kind": "epochs", "every": "200ns", "loss": {"rate": 0.2, "deviation": 2, "handover": {"time": "50ns", "factor": 3}}}"#,
        r#"{"kind": "series", "of": [{"kind": "trace", "lost": [0, 1]}, {"kind": "iid", "loss_rate": 0.2}]}"#,
        r#"{"kind": "trace", "lost": [0, 1, 0, 0, 1, 1, 0], "start": "random"}"#,
        r#"{"kind": "trace", "lost": [1, 1], "start": "random", "repeat": false}"#,
        r#"{"kind": "trace", "lost": [0, 0, 1], "clock": "7ns", "start": "random", "block": 2}"#,
    ],
    certain: &[
        r#"{"kind": "epochs", "every": "200ns"}"#,
        r#"{"kind": "epochs", "every": "200ns", "loss": {"rate": 0, "deviation": 1}}"#,
        r#"{"kind": "epochs", "every": "200ns", "loss": {"rate": 1}}"#,
        r#"{"kind": "iid", "loss_rate": 0}"#,
        r#"{"kind": "iid", "loss_rate": 1}"#,
        r#"{"kind": "two-state", "p_gb": 0, "p_bg": 0.3}"#,
        r#"{"kind": "two-state", "p_gb": 0.3, "p_bg": 0, "clock": "packet"}"#,
        r#"{"kind": "burst", "loss_rate": 0, "mean_burst": 8}"#,
        r#"{"kind": "rayleigh-two-state", "doppler": 0.08, "loss_rate": 0}"#,
        r#"{"kind": "gilbert-elliott", "p": 0.05, "r": 0.25, "h": 1, "k": 1}"#,
        r#"{"kind": "gilbert-elliott", "p": 0.05, "r": 0.25, "h": 0, "k": 0}"#,
        r#"{"kind": "gilbert-elliott", "p": 0, "r": 0.25, "h": 0.5}"#,
        r#"{"kind": "gilbert-elliott", "p": 0.1, "r": 0, "k": 0.5}"#,
        r#"{"kind": "states", "loss": [0, 1], "transition": [[1, 0], [0.5, 0.5]]}"#,
        r#"{"kind": "states", "loss": [1, 1], "transition": [[0.5, 0.5], [0.5, 0.5]]}"#,
        r#"{"kind": "bit-errors", "bit_error_rate": 0}"#,
        r#"{"kind": "bit-errors", "bit_error_rate": 1}"#,
        r#"{"kind": "on-off", "on": "40ns", "off": "200ns", "loss_rate": 0}"#,
        r#"{"kind": "on-off", "on": "40ns", "off": "200ns", "loss_rate": 1, "lengths": "fixed"}"#,
        r#"{"kind": "trace", "lost": [0, 1, 0, 0, 1, 1, 0]}"#,
        r#"{"kind": "trace", "lost": [0, 0, 1], "clock": "7ns", "repeat": false}"#,
        r#"{"kind": "trace", "lost": [1, 1], "start": "random", "block": 1}"#,
        r#"{"kind": "trace", "lost": [0, 0], "start": "random", "repeat": false}"#,
        r#"{"kind": "trace", "lost": [1], "start": "random", "repeat": false}"#,
        r#"{"kind": "series", "of": [{"kind": "trace", "lost": [0, 1]}, {"kind": "iid", "loss_rate": 0}]}"#,
    ],
};

const GATES: Examples = Examples {
    random: &[
        r#"{"kind": "on-off", "up": "200ns", "down": "30ns"}"#,
        r#"{"kind": "on-off", "up": {"kind": "fixed", "value": "100ns"}, "down": {"kind": "gamma", "shape": 2, "mean": "20ns"}}"#,
        r#"{"kind": "spikes", "interval": {"kind": "exponential", "mean": "100ns"},
            "duration": {"kind": "fixed", "value": "20ns"}}"#,
        r#"{"kind": "spikes", "interval": {"kind": "fixed", "value": "100ns"},
            "duration": {"kind": "uniform", "min": "10ns", "max": "50ns"}}"#,
    ],
    certain: &[
        r#"{"kind": "periodic", "up": "100ns", "down": "10ns"}"#,
        r#"{"kind": "on-off", "up": {"kind": "fixed", "value": "100ns"}, "down": {"kind": "values", "values": ["9ns", "5ns"]}}"#,
        r#"{"kind": "schedule", "toggles": ["300ns", "330ns"]}"#,
        r#"{"kind": "spikes", "interval": {"kind": "fixed", "value": "100ns"},
            "duration": {"kind": "values", "values": ["10ns", "40ns"]}}"#,
    ],
};

const LAWS: Examples = Examples {
    random: &[
        r#"{"kind": "uniform", "min": "10ns", "max": "50ns"}"#,
        r#"{"kind": "exponential", "mean": "30ns"}"#,
        r#"{"kind": "pareto", "shape": 1.5, "mean": "30ns"}"#,
        r#"{"kind": "pareto", "deviation": "30ns", "mean": "30ns"}"#,
        r#"{"kind": "normal", "deviation": "30ns", "mean": "30ns", "correlation": 0.25}"#,
        r#"{"kind": "paretonormal", "deviation": "30ns", "mean": "30ns"}"#,
        r#"{"kind": "uniform", "min": "10ns", "max": "50ns", "correlation": 0.25}"#,
        r#"{"kind": "lomax", "shape": 1.5, "mean": "30ns"}"#,
        r#"{"kind": "log-normal", "sigma": 0.5, "mean": "30ns"}"#,
        r#"{"kind": "gamma", "shape": 0.5, "mean": "30ns"}"#,
        r#"{"kind": "hyper-exponential", "weights": [9, 1], "means": ["10ns", "90ns"]}"#,
        r#"{"kind": "autoregressive", "marginal": {"kind": "gamma", "shape": 3, "mean": "30ns"}, "correlation": 0.9}"#,
        r#"{"kind": "autoregressive", "marginal": {"kind": "values", "values": ["5ns", "9ns"]}, "correlation": -0.5}"#,
        r#"{"kind": "modulated", "laws": [{"kind": "fixed", "value": "5ns"}, {"kind": "fixed", "value": "9ns"}],
            "transition": [[0, 1], [1, 0]]}"#,
        r#"{"kind": "modulated", "laws": [{"kind": "exponential", "mean": "30ns"}], "transition": [[1]]}"#,
    ],
    certain: &[
        r#"{"kind": "fixed", "value": "30ns"}"#,
        r#"{"kind": "uniform", "min": "30ns", "max": "30ns"}"#,
        r#"{"kind": "normal", "deviation": "0s", "mean": "30ns"}"#,
        r#"{"kind": "pareto", "deviation": "0s", "mean": "30ns"}"#,
        r#"{"kind": "values", "values": ["12ns", "48ns"]}"#,
        r#"{"kind": "autoregressive", "marginal": {"kind": "fixed", "value": "5ns"}, "correlation": 0.5}"#,
        r#"{"kind": "autoregressive", "marginal": {"kind": "values", "values": ["9ns", "9ns"]}, "correlation": 0.5}"#,
        r#"{"kind": "values", "values": ["12ns", "48ns"], "repeat": false}"#,
        r#"{"kind": "modulated", "laws": [{"kind": "fixed", "value": "5ns"}], "transition": [[1]]}"#,
    ],
};

/// Checks examples of `entries`: what each `says`, and its `path` on a stream.
fn check<S: DeserializeOwned, P: PartialEq>(
    examples: &Examples,
    entries: &[RegistryEntry],
    entry: impl Fn(&S) -> &'static RegistryEntry,
    says: impl Fn(&S) -> bool,
    path: impl Fn(&S, Stream) -> P,
) {
    let mut seen = Vec::new();
    for (texts, random) in [(examples.random, true), (examples.certain, false)] {
        for text in texts {
            let spec: S = serde_json::from_str(text).expect(text);
            let paths: Vec<P> =
                (0..STREAMS).map(|seed| path(&spec, Stream::new(seed, "chance", seed))).collect();
            let differ = paths.iter().any(|one| *one != paths[0]);
            assert_eq!((says(&spec), differ), (random, random), "{text}");
            seen.push(entry(&spec).name);
        }
    }
    let missing = entries.iter().find(|entry| !seen.contains(&entry.name));
    assert!(missing.is_none(), "no example of {missing:?}");
}

#[test]
fn channels_say_whether_they_draw() {
    let fate = |process: &mut airtcp_radio::Process, slot: i64| {
        let start = Instant::from_nanos(slot * SLOT);
        process.fate_of(Transmission { start, end: start + Span::from_nanos(SLOT), bits: 4 })
            == Fate::Erased
    };
    let path = |spec: &ChannelSpec, stream| {
        let mut process = spec.build(Span::from_nanos(SLOT), stream).unwrap();
        (0..LENGTH).map(|slot| fate(&mut process, slot)).collect::<Vec<_>>()
    };
    check(&CHANNELS, ChannelSpec::ENTRIES, ChannelSpec::entry, ChannelSpec::is_random, path);
}

/// On a path packets start at any time, and both directions may share what is drawn.
#[test]
fn channels_say_so_of_both_directions() {
    let path = |spec: &ChannelSpec, stream: Stream| {
        let mut process =
            spec.build_paired(Span::from_nanos(SLOT), stream.child(7), stream).unwrap();
        let burst = |n: i64| {
            let start = Instant::from_nanos(n * SLOT + n % SLOT);
            Transmission { start, end: start + Span::from_nanos(SLOT), bits: 4 }
        };
        (0..LENGTH).map(|n| process.fate_of(burst(n)) == Fate::Erased).collect::<Vec<_>>()
    };
    check(&CHANNELS, ChannelSpec::ENTRIES, ChannelSpec::entry, ChannelSpec::is_random, path);
}

#[test]
fn gates_say_whether_they_draw() {
    let path = |spec: &GateSpec, stream| {
        let mut gate = spec.build(stream).unwrap();
        (0..LENGTH).map(|at| gate.current_outage(Instant::from_nanos(at))).collect::<Vec<_>>()
    };
    check(&GATES, GateSpec::ENTRIES, GateSpec::entry, GateSpec::is_random, path);
}

#[test]
fn laws_say_whether_they_draw() {
    let path = |spec: &DistributionSpec, mut stream: Stream| {
        let mut draws = spec.build().unwrap();
        (0..LENGTH).map(|_| draws.next(&mut stream)).collect::<Vec<_>>()
    };
    check(
        &LAWS,
        DistributionSpec::ENTRIES,
        DistributionSpec::entry,
        DistributionSpec::is_random,
        path,
    );
}
