//! Sojourns, traces and series at work. Statistical checks: fixed seeds, five standard errors.

use airtcp_core::{Instant, Span, Stream};
use airtcp_radio::channel::Spec;
use airtcp_radio::{Channel, ChannelSpec, Fate, Process, Transmission};

fn spec(json: &str) -> ChannelSpec {
    serde_json::from_str(json).unwrap()
}

fn process(json: &str) -> Process {
    spec(json).build(Span::from_nanos(10), Stream::new(21, "laws", 0)).unwrap()
}

/// A burst of `length` ns from `start` that carries `bits`.
fn lost(channel: &mut Process, start: i64, length: i64, bits: u64) -> bool {
    let (start, end) = (Instant::from_nanos(start), Instant::from_nanos(start + length));
    channel.fate_of(Transmission { start, end, bits }) == Fate::Erased
}

/// Fates of `n` packets of 10 ns and 8192 bits, one after the other.
fn path(json: &str, n: i64) -> Vec<bool> {
    let mut channel = process(json);
    (0..n).map(|i| lost(&mut channel, 10 * i, 10, 8192)).collect()
}

/// Lengths of the complete runs of `fate`.
fn runs(fates: &[bool], fate: bool) -> Vec<f64> {
    let all: Vec<_> = fates.chunk_by(|a, b| a == b).collect();
    let inner = &all[1..all.len() - 1];
    inner.iter().filter(|run| run[0] == fate).map(|run| run.len() as f64).collect()
}

/// Good for Exp(`good`) packets, bad for Exp(`bad`): a packet is clean if it starts good, which it does
/// with probability good/(good + bad), and does not leave good: exp(-1/good). After a clean packet
/// the state is good, so that clean runs are geometric.
fn check(json: &str, good: f64, bad: f64) {
    let fates = path(json, 2_000_000);
    let leave = -libm::expm1(-1.0 / good);
    let rate = 1.0 - good / (good + bad) * (1.0 - leave);
    let clean = runs(&fates, false);
    let (n, mean) = (clean.len() as f64, clean.iter().sum::<f64>() / clean.len() as f64);
    let expected = 1.0 / leave;
    let error = 5.0 * (expected * (expected - 1.0) / n).sqrt();
    assert!((mean - expected).abs() < error, "{json}: clean runs {mean} for {expected}");
    let bursts = runs(&fates, true);
    let mean = bursts.iter().sum::<f64>() / bursts.len() as f64;
    let expected = expected * rate / (1.0 - rate);
    // A run of losses varies no more than a geometric one of its mean, but for the first packet.
    let error = 5.0 * expected / n.sqrt();
    assert!((mean - expected).abs() < error, "{json}: bursts {mean} for {expected}");
    let share = fates.iter().filter(|l| **l).count() as f64 / fates.len() as f64;
    let error = 5.0 * rate * (1.0 - rate) * (2.0 / n).sqrt();
    assert!((share - rate).abs() < error, "{json}: {share} for {rate}");
}

#[test]
fn sojourns_have_the_loss_rate_and_the_runs_of_their_lengths() {
    check(r#"{"kind": "sojourn", "good": "100packets", "bad": "8bits"}"#, 100.0, 8.0 / 8192.0);
    check(r#"{"kind": "sojourn", "good": "819200bits", "bad": "8bits"}"#, 100.0, 8.0 / 8192.0);
    check(r#"{"kind": "sojourn", "good": "3packets", "bad": "1packets"}"#, 3.0, 1.0);
    check(r#"{"kind": "sojourn", "good": "3packets", "bad": "20000bits"}"#, 3.0, 20_000.0 / 8192.0);
    // On the grid of nanoseconds a stay of mean 300 is 1/(1 - exp(-1/300)) = 300.5 long.
    let grid = |mean: f64| -1.0 / libm::expm1(-1.0 / mean) / 10.0;
    let fates = path(r#"{"kind": "sojourn", "good": "300ns", "bad": "40ns"}"#, 2_000_000);
    let share = fates.iter().filter(|l| **l).count() as f64 / 2e6;
    let rate = 1.0 - grid(300.0) / (grid(300.0) + grid(40.0)) * libm::exp(-9.0 / 300.0);
    assert!((share - rate).abs() < 0.003, "{share} for {rate}");
}

/// Bits that are sent in one burst or in several meet the same states.
#[test]
fn bits_are_laid_over_the_states_without_gaps() {
    let json = r#"{"kind": "sojourn", "good": "1000bits", "bad": "150bits"}"#;
    let (mut whole, mut parts) = (process(json), process(json));
    for i in 0..20_000 {
        let any = (0..8).map(|k| lost(&mut parts, 80 * i + 10 * k, 10, 128)).filter(|l| *l).count();
        assert_eq!(lost(&mut whole, 80 * i, 80, 1024), any > 0, "{i}");
    }
}

#[test]
fn counted_states_stand_still_while_nobody_sends_and_timed_ones_move() {
    let sparse = |json: &str| -> Vec<bool> {
        let mut channel = process(json);
        (0..5000).map(|i| lost(&mut channel, 1000 * i, 10, 8192)).collect()
    };
    let counted = r#"{"kind": "sojourn", "good": "5packets", "bad": "9000bits"}"#;
    assert_eq!(path(counted, 5000), sparse(counted));
    let timed = r#"{"kind": "sojourn", "good": "200ns", "bad": "100ns"}"#;
    assert_ne!(path(timed, 5000), sparse(timed));
}

#[test]
fn a_sojourn_starts_good_unless_told_otherwise() {
    let first = |start: &str, seed: u64| {
        let json = format!(
            r#"{{"kind": "sojourn", "good": "100packets", "bad": "100packets", "start": "{start}"}}"#
        );
        let stream = Stream::new(seed, "start", 0);
        let mut channel = spec(&json).build(Span::from_nanos(10), stream).unwrap();
        lost(&mut channel, 0, 10, 8192)
    };
    let share = |start| (0..2000).filter(|seed| first(start, *seed)).count() as f64 / 2000.0;
    // Lost: bad at first, or within the packet. Five standard errors of 2000 draws: 0.056 at most.
    assert!(share("good") < 0.01 + 0.012, "{}", share("good"));
    assert!((share("stationary") - 0.505).abs() < 0.056, "{}", share("stationary"));
}

#[test]
fn a_trace_is_read_by_its_clock() {
    let ask = |json: &str, bursts: &[(i64, i64)]| -> Vec<u8> {
        let mut channel = process(json);
        bursts.iter().map(|b| u8::from(lost(&mut channel, b.0, b.1, 8))).collect()
    };
    let per_packet = r#"{"kind": "trace", "lost": [0, 1, 1]}"#;
    assert_eq!(ask(per_packet, &[(0, 1), (90, 1), (91, 1), (95, 50), (200, 1)]), [0, 1, 1, 0, 1]);
    let once = r#"{"kind": "trace", "lost": [0, 1, 1], "repeat": false}"#;
    assert_eq!(ask(once, &[(0, 1), (1, 1), (2, 1), (3, 1), (4, 1)]), [0, 1, 1, 0, 0]);
    // Entries of a slot, 10 ns: lost in [10, 20), [40, 50), ...
    let slots = r#"{"kind": "trace", "lost": [0, 1, 0], "clock": "slot"}"#;
    let bursts = [(0, 10), (5, 6), (19, 1), (20, 20), (20, 21), (50, 20), (70, 1)];
    assert_eq!(ask(slots, &bursts), [0, 1, 1, 0, 1, 0, 1]);
    let timed = r#"{"kind": "trace", "lost": [0, 1], "clock": "4ns", "repeat": false}"#;
    assert_eq!(ask(timed, &[(0, 4), (4, 1), (7, 9), (8, 100)]), [0, 1, 1, 0]);
}

#[test]
fn a_series_loses_what_any_member_loses() {
    let members = [
        r#"{"kind": "iid", "loss_rate": 0.1}"#,
        r#"{"kind": "trace", "lost": [0, 0, 0, 1]}"#,
        r#"{"kind": "sojourn", "good": "20packets", "bad": "3packets"}"#,
    ];
    let stream = Stream::new(21, "laws", 0);
    let alone = |i: usize| -> Vec<bool> {
        let stream = stream.child((i as u64 + 1) << 16);
        let mut channel = spec(members[i]).build(Span::from_nanos(10), stream).unwrap();
        (0..5000).map(|k| lost(&mut channel, 10 * k, 10, 8192)).collect()
    };
    let paths = [alone(0), alone(1), alone(2)];
    let together = path(&format!(r#"{{"kind": "series", "of": [{}]}}"#, members.join(",")), 5000);
    for (i, fate) in together.into_iter().enumerate() {
        assert_eq!(fate, paths.iter().any(|path| path[i]), "{i}");
    }
}

/// A transmission that does not keep to slots meets two of them, and is still lost with the declared
/// probability.
#[test]
fn independent_losses_are_one_draw_per_packet() {
    let iid = spec(r#"{"kind": "iid", "loss_rate": 0.1}"#);
    let series = spec(r#"{"kind": "series", "of": [{"kind": "iid", "loss_rate": 0.1}]}"#);
    for spec in [iid, series] {
        let stream = Stream::new(4, "laws", 0);
        let mut channel = spec.build_unslotted(Span::from_nanos(10), stream).unwrap();
        let n = 200_000;
        let share = (0..n).filter(|i| lost(&mut channel, 17 * i + 5, 10, 8192)).count() as f64;
        assert!((share / n as f64 - 0.1).abs() < 5.0 * (0.09 / n as f64).sqrt(), "{share}");
    }
}
