//! Epochs: delays and losses that change together. Statistical checks: fixed seeds, five standard errors.

use airtcp_core::{Instant, Span, Stream};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::{Channel, ChannelSpec, Fate, Process, Transmission};
use serde_json::{Value, json};

const MS: i64 = 1_000_000;
const EVERY: i64 = 100; // ms

fn epochs(more: &Value) -> ChannelSpec {
    let mut document = json!({"kind": "epochs", "every": "100ms"});
    document.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(document).unwrap()
}

fn process(spec: &ChannelSpec, seed: u64) -> Process {
    spec.build_unslotted(Span::from_nanos(1), Stream::new(seed, "hop0/down/channel", 0)).unwrap()
}

fn at(millis: i64) -> Instant {
    Instant::START + Span::from_nanos(millis * MS)
}

fn delays(channel: &mut Process, times: impl Iterator<Item = i64>) -> Vec<i64> {
    times.map(|time| channel.delay(at(time)).nanos()).collect()
}

fn is_lost(channel: &mut Process, time: i64) -> bool {
    channel.fate_of(Transmission { start: at(time), end: at(time + 1), bits: 1 }) == Fate::Erased
}

/// A delay that shows the epoch and a loss rate that follows from it: all or next to nothing.
fn joint() -> ChannelSpec {
    epochs(&json!({
        "delay": {"kind": "exponential", "mean": "10ms"},
        "memories": [{"time": "300ms", "share": 0.9}],
        "loss": {"rate": 0.01, "deviation": 1, "correlation": 1},
    }))
}

#[test]
fn delays_change_at_equal_times_and_start_within_an_epoch() {
    let found = delays(&mut process(&joint(), 1), 0..5000);
    let changes: Vec<usize> = (1..5000).filter(|i| found[*i] != found[i - 1]).collect();
    assert!(changes.windows(2).all(|pair| pair[1] - pair[0] == 100), "{changes:?}");
    assert_eq!(changes.len(), 50);
    let firsts: Vec<usize> = (0..20)
        .map(|seed| {
            let found = delays(&mut process(&joint(), seed), 0..EVERY + 1);
            (1..found.len()).find(|i| found[*i] != found[i - 1]).unwrap()
        })
        .collect();
    assert!(firsts.iter().any(|first| *first < 40) && firsts.iter().any(|first| *first > 60));
}

#[test]
fn delays_have_their_distribution_and_memory() {
    let epochs = 20_000;
    let found = delays(&mut process(&joint(), 2), (0..epochs).map(|i| i * EVERY));
    let millis: Vec<f64> = found.iter().map(|one| *one as f64 / 1e6).collect();
    let mean = millis.iter().sum::<f64>() / epochs as f64;
    // Of the sum of an autoregressive process with memory 3 epochs and of exponential numbers.
    assert!((mean - 10.0).abs() < 5.0 * 10.0 * (6.0 / epochs as f64).sqrt(), "{mean}");
    let mut ranked: Vec<(f64, usize)> = millis.iter().copied().zip(0..).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut rank = vec![0.0; millis.len()];
    for (place, (_, i)) in ranked.iter().enumerate() {
        rank[*i] = (place as f64 + 0.5) / epochs as f64 - 0.5;
    }
    let square: f64 = rank.iter().map(|r| r * r).sum();
    let next: f64 = rank.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let normal = 0.9 * libm::exp(-1.0 / 3.0);
    let expected = 6.0 / std::f64::consts::PI * libm::asin(normal / 2.0);
    assert!((next / square - expected).abs() < 0.03, "{} {expected}", next / square);
}

#[test]
fn losses_have_their_rate_and_go_with_the_delay() {
    let mut channel = process(&joint(), 3);
    let (mut lost, mut high, mut lost_high) = (0_u32, 0_u32, 0_u32);
    let asked = 2_000_000;
    for time in 0..asked {
        let is_high = channel.delay(at(time)).nanos() > 7 * MS; // about the median
        let loses = is_lost(&mut channel, time);
        lost += u32::from(loses);
        high += u32::from(is_high);
        lost_high += u32::from(loses && is_high);
    }
    let rate = f64::from(lost) / asked as f64;
    assert!((rate - 0.01).abs() < 0.002, "{rate}");
    let above = f64::from(lost_high) / f64::from(high);
    assert!(above > 1.4 * rate, "{above} {rate}");
}

#[test]
fn handovers_lose_more_and_keep_the_mean() {
    let loss = json!({"rate": 0.02, "handover": {"time": "20ms", "factor": 6}});
    let with_delay = epochs(&json!({"loss": loss, "delay": {"kind": "exponential", "mean": "1s"}}));
    let mut channel = process(&with_delay, 4);
    let (mut since, mut last) = (None, -1);
    let (mut asked, mut lost) = ([0_u32; 2], [0_u32; 2]);
    for time in 0..1_000_000 {
        let delay = channel.delay(at(time)).nanos();
        if delay != last && last >= 0 {
            since = Some(time);
        }
        last = delay;
        let loses = is_lost(&mut channel, time);
        // The epoch begins within the millisecond before.
        if let Some(since) = since {
            let place = usize::from(time - since < 19);
            asked[place] += 1;
            lost[place] += u32::from(loses);
        }
    }
    let [rest, handover] = [0, 1].map(|i| f64::from(lost[i]) / f64::from(asked[i]));
    assert!((rest - 0.01).abs() < 0.001, "{rest}");
    assert!((handover - 0.06).abs() < 0.003, "{handover}");
}

#[test]
fn noise_is_added_and_times_may_run_back() {
    let noisy = epochs(&json!({
        "delay": {"kind": "uniform", "min": "10ms", "max": "20ms"},
        "noise": {"every": "7ms", "delay": {"kind": "exponential", "mean": "2ms"}},
    }));
    let all = delays(&mut process(&noisy, 5), 0..40_000);
    let changes = all.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(changes > 40_000 / 7, "{changes}");
    assert!(all.iter().all(|one| *one >= 10 * MS));
    let mut channel = process(&noisy, 5);
    for time in [39_999, 39_950, 100, 20_000, 0] {
        let found = channel.delay(at(time)).nanos();
        assert_eq!(found, all[usize::try_from(time).unwrap()], "{time}");
    }
}

#[test]
fn slots_and_contradictions_are_refused() {
    let refused = |more: Value| {
        let spec = epochs(&more);
        let stream = Stream::new(1, "hop0/down/channel", 0);
        spec.build_unslotted(Span::from_nanos(1), stream).unwrap_err().field
    };
    assert_eq!(
        refused(json!({"memories": [{"time": "1s", "share": 0.6}, {"time": "2s", "share": 0.6}]})),
        "memories"
    );
    assert_eq!(
        refused(json!({"loss": {"rate": 0.1, "memories": [{"time": "0s", "share": 0.6}]}})),
        "loss.memories[0].time"
    );
    assert_eq!(refused(json!({"loss": {"rate": 0.1, "correlation": 1.5}})), "loss.correlation");
    assert_eq!(
        refused(json!({"loss": {"rate": 0.1, "handover": {"time": "1s", "factor": 2}}})),
        "loss.handover.time"
    );
    let all = json!({"loss": {"rate": 0.1, "handover": {"time": "100ms", "factor": 0}}});
    assert_eq!(refused(all), "loss.handover.factor");
    let dependent = json!({"delay": {"kind": "modulated", "laws": [{"kind": "fixed", "value": "1s"}], "transition": [[1]]}});
    assert_eq!(refused(dependent), "delay.kind");
    let stream = Stream::new(1, "hop0/down/channel", 0);
    assert_eq!(joint().build(Span::from_nanos(1), stream).unwrap_err().field, "delay");
}
