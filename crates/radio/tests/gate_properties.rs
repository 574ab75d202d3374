//! Properties of every registered gate. Statistical checks: fixed seeds, five standard errors.

use airtcp_core::{Instant, Stream};
use airtcp_radio::gate::Spec;
use airtcp_radio::{GateProcess, GateSpec, Outage, OutageLosses};

/// Examples of every registered kind; a kind without one fails the first test.
fn examples() -> Vec<GateSpec> {
    let documents = [
        r#"{"kind": "on-off", "up": "200ns", "down": "30ns"}"#,
        r#"{"kind": "on-off", "up": "1ns", "down": "1ns", "loses": "nothing"}"#,
        r#"{"kind": "on-off", "up": {"kind": "log-normal", "mean": "100ns", "sigma": 1}, "down": {"kind": "lomax", "mean": "20ns", "shape": 3}}"#,
        r#"{"kind": "on-off", "up": {"kind": "fixed", "value": "90ns"},
            "down": {"kind": "values", "values": ["7ns", "5ns"], "repeat": false}, "loses": "nothing"}"#,
        r#"{"kind": "periodic", "up": "100ns", "down": "10ns"}"#,
        r#"{"kind": "schedule", "toggles": ["300ns", "330ns", "630ns", "660ns", "960ns"]}"#,
        r#"{"kind": "schedule", "toggles": ["0s", "5ns"], "loses": "nothing"}"#,
        r#"{"kind": "spikes", "interval": {"kind": "exponential", "mean": "100ns"},
            "duration": {"kind": "uniform", "min": "10ns", "max": "200ns"}}"#,
        r#"{"kind": "spikes", "interval": {"kind": "exponential", "mean": "1ns"},
            "duration": {"kind": "exponential", "mean": "1ns"}, "timing": "gap"}"#,
    ];
    documents.iter().map(|d| spec(d)).collect()
}

fn spec(json: &str) -> GateSpec {
    serde_json::from_str(json).expect(json)
}

fn process(spec: &GateSpec, seed: u64) -> GateProcess {
    spec.build(Stream::new(seed, "hop0/gate", 0)).unwrap()
}

fn is_up(gate: &mut GateProcess, nanos: i64) -> bool {
    Instant::from_nanos(nanos) < gate.current_outage(Instant::from_nanos(nanos)).down
}

/// States of the gate, true if up, in the first `n` nanoseconds.
fn path(spec: &GateSpec, seed: u64, n: i64) -> Vec<bool> {
    let mut gate = process(spec, seed);
    (0..n).map(|nanos| is_up(&mut gate, nanos)).collect()
}

#[test]
fn every_registered_kind_has_an_example() {
    for entry in GateSpec::ENTRIES {
        assert!(examples().iter().any(|e| e.entry() == entry), "{}", entry.name);
    }
}

#[test]
fn the_same_stream_gives_the_same_path() {
    for spec in examples() {
        assert_eq!(path(&spec, 5, 3000), path(&spec, 5, 3000), "{spec:?}");
        let differ = path(&spec, 5, 3000) != path(&spec, 6, 3000);
        assert_eq!(differ, spec.is_random(), "{spec:?}");
    }
}

#[test]
fn questions_in_between_do_not_change_the_path() {
    for spec in examples() {
        let full = path(&spec, 9, 5000);
        for step in [7, 997] {
            let mut gate = process(&spec, 9);
            for nanos in (0..5000).step_by(step) {
                let expected = full[usize::try_from(nanos).unwrap()];
                assert_eq!(is_up(&mut gate, nanos), expected, "{spec:?} at {nanos}");
            }
        }
    }
}

#[test]
fn outages_are_in_order_and_apart() {
    for spec in examples() {
        let mut gate = process(&spec, 3);
        let mut last = gate.current_outage(Instant::START);
        for _ in 0..1000 {
            assert!(last.down < last.up || last == Outage::NEVER, "{spec:?} {last:?}");
            if last.up == Instant::NEVER {
                break;
            }
            let next = gate.current_outage(last.up);
            assert!(last.up < next.down, "{spec:?} {last:?} {next:?}");
            last = next;
        }
    }
}

#[test]
fn the_long_run_share_of_time_up_is_that_of_the_means() {
    for (json, up, down) in [
        (r#"{"kind": "on-off", "up": "20us", "down": "3us"}"#, 20_000.0, 3000.0),
        (r#"{"kind": "on-off", "up": "2us", "down": "5us"}"#, 2000.0, 5000.0),
        (r#"{"kind": "periodic", "up": "900ns", "down": "100ns"}"#, 900.0, 100.0),
    ] {
        let (mut gate, cycles) = (process(&spec(json), 11), 100_000);
        let (mut time_down, mut now) = (0, Instant::START);
        for _ in 0..cycles {
            let outage = gate.current_outage(now);
            time_down += (outage.up - outage.down).nanos();
            now = outage.up;
        }
        let share = 1.0 - time_down as f64 / now.nanos() as f64;
        let expected = up / (up + down);
        let error = 5.0 * expected * (1.0 - expected) * (2.0 / f64::from(cycles)).sqrt();
        assert!((share - expected).abs() < error, "{json}: {share} for {expected}");
    }
}

#[test]
fn edges_belong_to_what_begins() {
    let mut gate = process(&spec(r#"{"kind": "periodic", "up": "100ns", "down": "10ns"}"#), 1);
    let seen: Vec<bool> = [0, 99, 100, 109, 110, 209, 210].map(|t| is_up(&mut gate, t)).into();
    assert_eq!(seen, [true, true, false, false, true, true, false]);
}

#[test]
fn a_schedule_of_odd_length_stays_down() {
    let mut gate = process(&spec(r#"{"kind": "schedule", "toggles": ["3ns"]}"#), 1);
    assert!(is_up(&mut gate, 2));
    assert!(!is_up(&mut gate, 1_000_000_000_000));
}

#[test]
fn contradictions_are_refused() {
    let refused = |json: &str| spec(json).build(Stream::new(1, "", 0)).unwrap_err().field;
    assert_eq!(refused(r#"{"kind": "on-off", "up": "0s", "down": "1s"}"#), "up");
    assert_eq!(refused(r#"{"kind": "on-off", "up": "1s", "down": "0s"}"#), "down");
    assert_eq!(refused(r#"{"kind": "periodic", "up": "1s", "down": "0s"}"#), "down");
    assert_eq!(refused(r#"{"kind": "schedule", "toggles": ["2s", "1s"]}"#), "toggles");
}

#[test]
fn an_outage_destroys_unless_told_otherwise() {
    let [default, pause] = [&examples()[0], &examples()[1]].map(|spec| process(spec, 1).loses());
    assert_eq!((default, pause), (OutageLosses::All, OutageLosses::Nothing));
}
