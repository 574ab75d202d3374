//! Distributions of lengths at work: moments, tails, dependence, refusals. Statistical checks: fixed seeds, five standard errors.

use airtcp_core::Stream;
use airtcp_radio::DistributionSpec;
use airtcp_radio::distribution::Spec as _;
use serde_json::{Value, json};

fn distribution(json: &Value) -> DistributionSpec {
    serde_json::from_value(json.clone()).unwrap_or_else(|e| panic!("{json}: {e}"))
}

/// Lengths in seconds.
fn draws(json: &Value, seed: u64, n: usize) -> Vec<f64> {
    let mut stream = Stream::new(seed, "laws", 0);
    let mut draws = distribution(json).build().unwrap();
    let mut next = || draws.next(&mut stream).unwrap().nanos() as f64 / 1e9;
    (0..n).map(|_| next()).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn share_above(values: &[f64], bound: f64) -> f64 {
    values.iter().filter(|value| **value > bound).count() as f64 / values.len() as f64
}

/// Correlation of each value with the next one.
fn correlation(values: &[f64]) -> f64 {
    let centre = mean(values);
    let product = |lag: usize| {
        values.iter().zip(&values[lag..]).map(|(a, b)| (a - centre) * (b - centre)).sum::<f64>()
    };
    product(1) / product(0)
}

const N: usize = 200_000;

#[test]
fn means_and_tails_are_those_of_the_formulas() {
    // (distribution, mean, bound, share above it); five standard errors of a share are at most 0.0056.
    let cases = [
        (
            json!({"kind": "log-normal", "mean": "2s", "sigma": 0.8}),
            2.0,
            2.0 * libm::exp(-0.32),
            0.5,
        ),
        (json!({"kind": "log-normal", "median": "1s", "sigma": 0.8}), libm::exp(0.32), 1.0, 0.5),
        (
            json!({"kind": "gamma", "shape": 1, "mean": "3s", "shift": "1s"}),
            3.0,
            3.0,
            libm::exp(-1.0),
        ),
        (json!({"kind": "gamma", "shape": 2, "mean": "2s"}), 2.0, 3.0, 4.0 * libm::exp(-3.0)),
        (
            json!({"kind": "hyper-exponential", "weights": [3, 1], "means": ["1s", "5s"]}),
            2.0,
            4.0,
            0.75 * libm::exp(-4.0) + 0.25 * libm::exp(-0.8),
        ),
    ];
    for (json, expected, bound, share) in cases {
        let found = draws(&json, 3, N);
        let correlated = json!({"kind": "autoregressive", "marginal": json, "correlation": 0.5});
        assert!((distribution(&json).mean() / 1e9 - expected).abs() < 1e-9 * expected, "{json}");
        // The largest deviation here is 3.3 s; lengths that depend on each other have up to 3 times the variance.
        for (lengths, errors) in [(found, 1.0), (draws(&correlated, 4, N), 3.0_f64.sqrt())] {
            let (least, off) = (distribution(&json).bounds().0 / 1e9, 5.0 * errors);
            assert!((mean(&lengths) - expected).abs() < off * 3.3 / (N as f64).sqrt(), "{json}");
            assert!((share_above(&lengths, bound) - share).abs() < 0.0056 * errors, "{json}");
            assert!(lengths.iter().all(|length| *length >= least), "{json}");
        }
    }
}

#[test]
fn the_logarithm_of_log_normal_lengths_is_autoregressive() {
    for weight in [0.95, 0.3, 0.0, -0.6] {
        let marginal = json!({"kind": "log-normal", "mean": "2s", "sigma": 0.8});
        let json = json!({"kind": "autoregressive", "marginal": marginal, "correlation": weight});
        let logs: Vec<f64> = draws(&json, 5, N).iter().map(|length| libm::log(*length)).collect();
        let error = ((1.0 - weight * weight) / N as f64).sqrt() + 5.0 / N as f64;
        assert!((correlation(&logs) - weight).abs() < 5.0 * error, "{weight}");
    }
}

#[test]
fn measured_lengths_serve_as_a_marginal_distribution_in_any_order() {
    let values = json!({"kind": "values", "values": ["5s", "1s", "3s", "3s"]});
    let json = json!({"kind": "autoregressive", "marginal": values, "correlation": 0.8});
    let found = draws(&json, 6, N);
    assert!(found.iter().all(|length| [1.0, 3.0, 5.0].contains(length)));
    assert!((share_above(&found, 1.0) - 0.75).abs() < 0.015);
    assert!((share_above(&found, 3.0) - 0.25).abs() < 0.015);
    assert!(correlation(&found) > 0.5);
}

#[test]
fn contradictions_are_refused_where_they_are() {
    let auto = |marginal: Value, weight: f64| json!({"kind": "autoregressive", "marginal": marginal, "correlation": weight});
    let fixed = json!({"kind": "fixed", "value": "1s"});
    let chain = json!({"kind": "modulated", "laws": [fixed], "transition": [[1.0]]});
    let once = json!({"kind": "values", "values": ["1s"], "repeat": false});
    let netem = json!({"kind": "normal", "mean": "1s", "deviation": "0.1s", "correlation": 0.5});
    let cases = [
        (json!({"kind": "log-normal", "mean": "1s", "sigma": 0}), "sigma", "0 is not above 0"),
        (json!({"kind": "log-normal", "sigma": 1}), "mean", "missing: give one of mean and median"),
        (
            json!({"kind": "log-normal", "sigma": 1, "mean": "1s", "median": "1s"}),
            "mean",
            "both given",
        ),
        (json!({"kind": "gamma", "shape": -1, "mean": "1s"}), "shape", "-1 is not above 0"),
        (
            json!({"kind": "gamma", "shape": 1, "mean": "1s", "shift": "1s"}),
            "mean",
            "not above shift",
        ),
        (json!({"kind": "hyper-exponential", "weights": [], "means": []}), "weights", "empty"),
        (
            json!({"kind": "hyper-exponential", "weights": [1], "means": []}),
            "means",
            "0 means for 1 weights",
        ),
        (
            json!({"kind": "hyper-exponential", "weights": [1, 0], "means": ["1s", "1s"]}),
            "weights[1]",
            "above 0",
        ),
        (
            json!({"kind": "hyper-exponential", "weights": [1], "means": ["0s"]}),
            "means[0]",
            "too short",
        ),
        (auto(fixed.clone(), 1.0), "correlation", "below 1"),
        (auto(fixed.clone(), -1.0), "correlation", "above -1"),
        (auto(chain, 0.5), "marginal", "depend on each other"),
        (auto(auto(fixed.clone(), 0.5), 0.5), "marginal", "depend on each other"),
        (auto(netem, 0.5), "marginal", "depend on each other"),
        (auto(once, 0.5), "marginal", "depend on each other"),
        (
            auto(json!({"kind": "lomax", "mean": "1s", "shape": 1}), 0.5),
            "marginal.shape",
            "infinite mean",
        ),
    ];
    for (json, field, message) in cases {
        let fault = distribution(&json).build().err().unwrap_or_else(|| panic!("{json} is taken"));
        assert!(fault.field == field && fault.message.contains(message), "{json}: {fault:?}");
    }
}
