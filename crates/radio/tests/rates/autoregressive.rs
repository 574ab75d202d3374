//! Rates by an autoregressive process: their distribution, their memory, and what is refused.

use airtcp_core::{Instant, Stream};
use airtcp_radio::RatesSpec;
use airtcp_radio::rates::Spec as _;
use serde_json::{Value, json};

const STEPS: usize = 400_000;

fn levels() -> Value {
    json!([
        {"rate": "0bps", "share": 0.5}, {"rate": "1Mbps", "share": 0.25}, {"rate": "4Mbps", "share": 0.25}
    ])
}

fn spec(fields: &Value) -> RatesSpec {
    let mut all = json!({"kind": "autoregressive", "every": "10ms", "levels": levels()});
    for (key, value) in fields.as_object().unwrap() {
        all[key] = value.clone();
    }
    serde_json::from_value(all).unwrap()
}

/// The rates of the first steps in bit/s.
fn drawn(fields: &Value, steps: usize) -> Vec<f64> {
    let rates = spec(fields).build(Stream::new(5, "rates", 0)).unwrap();
    let end = Instant::from_nanos(10_000_000 * steps as i64);
    rates
        .segments_before(end)
        .map(|one| one.rate.map_or(0.0, |rate| rate.bits_per_second()))
        .collect()
}

fn share(of: &[f64], rate: f64) -> f64 {
    of.iter().filter(|one| **one == rate).count() as f64 / of.len() as f64
}

/// Share of pairs of rates so many steps apart that are both 0, or both not.
fn alike(of: &[f64], lag: usize) -> f64 {
    let pairs = of.iter().zip(&of[lag..]);
    let same = pairs.clone().filter(|(one, other)| (**one == 0.0) == (**other == 0.0)).count();
    same as f64 / pairs.count() as f64
}

#[test]
fn rates_have_the_shares_of_their_levels() {
    for memories in
        [json!([]), json!([{"time": "100ms", "share": 0.4}, {"time": "15ms", "share": 0.6}])]
    {
        let found = drawn(&json!({"memories": memories}), STEPS);
        assert_eq!(found.len(), STEPS);
        for (rate, expected) in [(0.0, 0.5), (1e6, 0.25), (4e6, 0.25)] {
            let found = share(&found, rate);
            assert!((found - expected).abs() < 0.01, "{rate}: {found} for {expected}");
        }
    }
}

/// Two normal numbers of correlation r are on the same side of their median with probability 1/2 + asin(r) / pi.
#[test]
fn correlations_are_sums_over_the_memories() {
    let memories = json!([{"time": "20ms", "share": 0.3}, {"time": "500ms", "share": 0.5}]);
    let found = drawn(&json!({"memories": memories}), STEPS);
    for lag in [1, 2, 5, 20, 50, 100] {
        let after = 10.0 * lag as f64;
        let r = 0.3 * libm::exp(-after / 20.0) + 0.5 * libm::exp(-after / 500.0);
        let expected = 0.5 + libm::asin(r) / std::f64::consts::PI;
        let found = alike(&found, lag);
        assert!((found - expected).abs() < 0.012, "{lag}: {found} for {expected}");
    }
    let found = alike(&drawn(&json!({}), STEPS), 1);
    assert!((found - 0.5).abs() < 0.004, "{found}");
}

#[test]
fn the_first_rate_has_the_distribution_too() {
    let fields = json!({"memories": [{"time": "1000s", "share": 1.0}]});
    let first = |run: u32| {
        let rates = spec(&fields).build(Stream::new(5, "rates", run.into())).unwrap();
        rates.segments_before(Instant::from_nanos(1)).next().unwrap().rate.is_none()
    };
    let none = (0..4000).filter(|run| first(*run)).count() as f64 / 4000.0;
    assert!((none - 0.5).abs() < 0.035, "{none}");
}

#[test]
fn a_level_of_no_share_is_never_drawn() {
    let last = json!([{"rate": "1Mbps", "share": 1.0}, {"rate": "2Mbps", "share": 0.0}]);
    let first = json!([{"rate": "0bps", "share": 0.0}, {"rate": "1Mbps", "share": 1.0}]);
    for levels in [last, first] {
        let fields = json!({"levels": levels});
        assert_eq!(share(&drawn(&fields, 1000), 1e6), 1.0);
        assert!(!spec(&fields).is_random());
    }
    assert!(spec(&json!({})).is_random());
}

#[test]
fn the_mean_is_that_of_the_levels() {
    assert_eq!(spec(&json!({})).mean(), 1_250_000.0);
}

#[test]
fn what_cannot_be_is_refused() {
    for (fields, field, message) in [
        (json!({"every": "0s"}), "every", "0"),
        (
            json!({"levels": [{"rate": "1Mbps", "share": 0.9}]}),
            "levels",
            "the shares sum to 0.9; they must sum to 1",
        ),
        (
            json!({"levels": [{"rate": "2Mbps", "share": 0.5}, {"rate": "1Mbps", "share": 0.5}]}),
            "levels[1].rate",
            "1Mbps comes after 2Mbps, but rates must increase",
        ),
        (json!({"levels": [{"rate": "0bps", "share": 1.0}]}), "levels", "all rates are 0"),
        (json!({"levels": []}), "levels", "the list is empty; give at least one rate"),
        (
            json!({"memories": [{"time": "1s", "share": 0.5}, {"time": "0s", "share": 0.1}]}),
            "memories[1].time",
            "0s is too short",
        ),
        (
            json!({"memories": [{"time": "1s", "share": 0.5}, {"time": "2s", "share": 0.6}]}),
            "memories",
            "the shares sum to 1.1; they must sum to at most 1",
        ),
    ] {
        let error = spec(&fields).build(Stream::new(1, "rates", 0)).unwrap_err();
        assert_eq!(error.field, field, "{fields}");
        assert!(error.message.contains(message), "{}", error.message);
    }
}
