//! Delay spikes: their distributions, timings and unions. Statistical checks: fixed seeds, five standard errors.

use airtcp_core::{Instant, Span, Stream};
use airtcp_radio::distribution::Spec as _;
use airtcp_radio::gate::Spec as _;
use airtcp_radio::{DistributionSpec, GateProcess, GateSpec, Outage, OutageLosses};
use serde_json::{Value, json};

const SECOND: f64 = 1e9;

fn fixed(value: &str) -> Value {
    json!({"kind": "fixed", "value": value})
}

fn values(list: &[&str], repeat: bool) -> Value {
    json!({"kind": "values", "values": list, "repeat": repeat})
}

fn exponential(mean: &str) -> Value {
    json!({"kind": "exponential", "mean": mean})
}

fn distribution(document: Value) -> DistributionSpec {
    serde_json::from_value(document).unwrap()
}

fn spikes(interval: &Value, duration: &Value, timing: &str) -> GateSpec {
    let document =
        json!({"kind": "spikes", "interval": interval, "duration": duration, "timing": timing});
    serde_json::from_value(document).unwrap()
}

fn process(spec: &GateSpec) -> GateProcess {
    spec.build(Stream::new(4, "hop0/gate", 0)).unwrap()
}

/// The first outages in milliseconds; -1 for never.
fn outages(spec: &GateSpec, n: usize) -> Vec<[i64; 2]> {
    let (mut gate, mut now) = (process(spec), Instant::START);
    let millis = |at: Instant| if at == Instant::NEVER { -1 } else { at.nanos() / 1_000_000 };
    let mut next = || {
        let outage = gate.current_outage(now);
        now = outage.up;
        [millis(outage.down), millis(outage.up)]
    };
    (0..n).map(|_| next()).collect()
}

/// The share of time held over so many cycles of a spike and the time up before it, and its standard
/// error, by the spread of the cycles about it: they are independent.
fn share_held(spec: &GateSpec, cycles: usize) -> (f64, f64) {
    let (mut gate, mut now) = (process(spec), Instant::START);
    let mut next = || {
        let (outage, before) = (gate.current_outage(now), now);
        now = outage.up;
        [outage.up - outage.down, now - before].map(Span::seconds)
    };
    let all: Vec<[f64; 2]> = (0..cycles).map(|_| next()).collect();
    let sum = |of: &dyn Fn(&[f64; 2]) -> f64| all.iter().map(of).sum::<f64>();
    let (held, time) = (sum(&|c| c[0]), sum(&|c| c[1]));
    let share = held / time;
    let beside = |c: &[f64; 2]| c[0] - share * c[1];
    (share, sum(&|c| beside(c) * beside(c)).sqrt() / time)
}

#[test]
fn intervals_go_from_start_to_start_or_from_end_to_start() {
    let spec = |timing| spikes(&fixed("10s"), &fixed("3s"), timing);
    let start = [[10_000, 13_000], [20_000, 23_000], [30_000, 33_000]];
    let gap = [[10_000, 13_000], [23_000, 26_000], [36_000, 39_000]];
    assert_eq!(outages(&spec("start"), 3), start);
    assert_eq!(outages(&spec("gap"), 3), gap);
    assert_eq!(process(&spec("gap")).loses(), OutageLosses::Nothing);
}

#[test]
fn spikes_that_overlap_or_touch_are_one() {
    // At 1, 2, 4, 9 and 10 s, for 5, 1, 1, 1 and 1 s: the second lies within the first, the last two touch.
    let starts = values(&["1s", "1s", "2s", "5s", "1s"], false);
    let lengths = values(&["5s", "1s", "1s", "1s", "1s"], false);
    let found = outages(&spikes(&starts, &lengths, "start"), 3);
    assert_eq!(found, [[1000, 6000], [9000, 11_000], [-1, -1]]);
}

#[test]
fn a_list_starts_again_unless_told_otherwise() {
    let spec = |repeat| spikes(&values(&["1s", "3s"], repeat), &fixed("500ms"), "start");
    let twice = [[1000, 1500], [4000, 4500], [5000, 5500], [8000, 8500]];
    assert_eq!(outages(&spec(true), 4), twice);
    assert_eq!(outages(&spec(false), 3), [[1000, 1500], [4000, 4500], [-1, -1]]);
}

#[test]
fn a_list_that_ends_may_have_spikes_longer_than_its_intervals() {
    let spec = spikes(&values(&["1s", "2s"], false), &fixed("60s"), "start");
    assert_eq!(outages(&spec, 2), [[1000, 63_000], [-1, -1]]);
}

#[test]
fn durations_do_not_move_the_intervals() {
    let downs = |duration: &Value| {
        let found = outages(&spikes(&exponential("100s"), duration, "start"), 5);
        found.into_iter().map(|[down, _]| down).collect::<Vec<_>>()
    };
    assert_eq!(downs(&fixed("1us")), downs(&exponential("1us")));
}

#[test]
fn the_union_of_spikes_at_exponential_intervals_holds_the_share_of_theory() {
    // A busy period of an M/G/infinity queue, whatever the distribution of S: 1 - exp(-E(S)/m).
    for (mean, duration) in [
        ("10s", json!({"kind": "uniform", "min": "1s", "max": "5s"})),
        ("10s", exponential("20s")),
        ("3s", fixed("2s")),
    ] {
        let (m, s) =
            (distribution(exponential(mean)).mean(), distribution(duration.clone()).mean());
        let (share, error) = share_held(&spikes(&exponential(mean), &duration, "start"), 50_000);
        let expected = -libm::expm1(-s / m);
        assert!(
            (share - expected).abs() < 5.0 * error,
            "{mean}: {share} for {expected} +- {error}"
        );
    }
}

#[test]
fn gaps_and_spikes_hold_the_share_of_their_means() {
    let pareto = json!({"kind": "pareto", "shape": 3.0, "mean": "6s"});
    for (interval, duration) in [
        (exponential("10s"), json!({"kind": "uniform", "min": "1s", "max": "5s"})),
        (pareto, exponential("4s")),
    ] {
        let (u, s) = (distribution(interval.clone()).mean(), distribution(duration.clone()).mean());
        let (share, error) = share_held(&spikes(&interval, &duration, "gap"), 50_000);
        let expected = s / (u + s);
        assert!((share - expected).abs() < 5.0 * error, "{share} for {expected} +- {error}");
    }
}

#[test]
fn a_chain_keeps_its_shares_of_draws() {
    // Leaving the first distribution twice as often as the second: a third of the draws are of the first.
    let spec = distribution(json!({
        "kind": "modulated", "laws": [fixed("1s"), fixed("4s")], "transition": [[0.8, 0.2], [0.1, 0.9]],
    }));
    assert!((spec.mean() - 3.0 * SECOND).abs() < 1e-3, "{}", spec.mean());
    let (mut draws, mut stream) = (spec.build().unwrap(), Stream::new(3, "law", 0));
    let lengths: Vec<i64> =
        (0..30_000).map(|_| draws.next(&mut stream).unwrap().nanos() / 1_000_000_000).collect();
    let short = lengths.iter().filter(|length| **length == 1).count() as f64 / 3e4;
    // The share of a chain with second eigenvalue 0.7 has (1 + 0.7)/(1 - 0.7) times the variance of a coin's.
    let error = 5.0 * (2.0 / 9.0 * (1.7 / 0.3) / 3e4_f64).sqrt();
    assert!((short - 1.0 / 3.0).abs() < error, "{short}");
    let stays = lengths.windows(2).filter(|pair| pair[0] == 1 && pair[1] == 1).count() as f64 / 3e4;
    assert!((stays / short - 0.8).abs() < 5.0 * (0.8 * 0.2 / 1e4_f64).sqrt(), "{stays}");
}

#[test]
fn a_periodic_chain_alternates() {
    let laws = [fixed("1s"), fixed("2s")];
    let spec = json!({"kind": "modulated", "laws": laws, "transition": [[0.0, 1.0], [1.0, 0.0]]});
    let found = outages(&spikes(&spec, &fixed("100ms"), "gap"), 6);
    let waits: Vec<i64> = found.windows(2).map(|pair| pair[1][0] - pair[0][1]).collect();
    assert!(waits.windows(2).all(|pair| pair[0] + pair[1] == 3000), "{waits:?}");
}

#[test]
fn lengths_beyond_all_time_end_the_spikes() {
    let endless = fixed("9000000000s");
    let spec = spikes(&fixed("1s"), &values(&["1s", "9000000000s"], true), "gap");
    assert_eq!(outages(&spec, 1), [[1000, 2000]]);
    let mut gate = process(&spikes(&endless, &fixed("1s"), "start"));
    let first = gate.current_outage(Instant::START);
    assert_eq!(gate.current_outage(first.up), Outage::NEVER);
}

#[test]
fn contradictions_are_refused() {
    let modulated = |transition: Value| json!({"kind": "modulated", "laws": [fixed("1s"), fixed("2s")], "transition": transition});
    let second = fixed("1s");
    for (interval, duration, field, message) in [
        (fixed("0s"), second.clone(), "interval", "a mean of 0s"),
        (fixed("5s"), fixed("5s"), "duration", "never end"),
        (exponential("1s"), fixed("11s"), "duration", "more than 10 mean intervals"),
        (
            json!({"kind": "uniform", "min": "2s", "max": "1s"}),
            second.clone(),
            "interval.min",
            "above",
        ),
        (
            json!({"kind": "lomax", "shape": 1.0, "mean": "1s"}),
            second.clone(),
            "interval.shape",
            "infinite mean",
        ),
        (json!({"kind": "pareto", "shape": 2.0}), second.clone(), "interval.mean", "missing"),
        (
            json!({"kind": "pareto", "shape": 2.0, "mean": "1s", "min": "1s"}),
            second.clone(),
            "interval.mean",
            "both given",
        ),
        (
            modulated(json!([[1.0, 0.0]])),
            second.clone(),
            "interval.transition",
            "1 row for 2 distributions",
        ),
        (
            modulated(json!([[1.0], [0.5, 0.5]])),
            second.clone(),
            "interval.transition[0]",
            "1 probability",
        ),
        (
            modulated(json!([[0.5, 0.4], [0.5, 0.5]])),
            second.clone(),
            "interval.transition[0]",
            "sum to 1",
        ),
        (
            modulated(json!([[1.0, 0.0], [0.5, 0.5]])),
            second.clone(),
            "interval.transition",
            "cannot be reached",
        ),
        (
            modulated(json!([[0.5, 0.5], [0.0, 1.0]])),
            second.clone(),
            "interval.transition",
            "cannot be reached",
        ),
    ] {
        let refused = spikes(&interval, &duration, "start").build(Stream::new(1, "", 0));
        let error = refused.unwrap_err();
        assert_eq!(error.field, field, "{}", error.message);
        assert!(error.message.contains(message), "{}", error.message);
    }
}
