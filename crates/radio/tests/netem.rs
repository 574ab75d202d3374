//! netem's words beside plain transcriptions of the rules that the kernel and iproute2 have for them, on random numbers of
//! their own: a million packets each, fixed seeds, five standard errors.

use airtcp_core::{Instant, Payload, PollResult, Rate, Span, Stage, Stream};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::distribution::Spec as _;
use airtcp_radio::{
    Channel, ChannelSpec, DistributionSpec, Fate, HopConfig, Line, Overtaking, Transmission,
};
use serde_json::{Value, json};

const PACKETS: usize = 1_000_000;

/// Random words of the transcriptions: Vigna's splitmix64, upper half.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 32) as u32
    }
}

/// A share as tc sends it to the kernel.
fn share(p: f64) -> u32 {
    (p * f64::from(u32::MAX)).round() as u32
}

/// The rule of correlated numbers.
struct Crandom {
    rho: u32,
    last: u32,
}

impl Crandom {
    fn new(correlation: f64, words: &mut Words) -> Self {
        Crandom { rho: share(correlation), last: words.next() }
    }

    fn next(&mut self, words: &mut Words) -> u32 {
        let value = u128::from(words.next());
        if self.rho == 0 {
            return value as u32;
        }
        let rho = u128::from(self.rho) + 1;
        self.last = ((value * ((1 << 32) - rho) + u128::from(self.last) * rho) >> 32) as u32;
        self.last
    }
}

/// The tables, as the programs of iproute2 go about them: over a grid of x, of which the last stays.
fn normal_quantiles() -> Vec<f64> {
    let mut table = vec![0.0; 16385];
    for step in 0..=401_000_u32 {
        let x = -10.0 + 0.00005 * f64::from(step);
        let place = (16384.0 * (0.5 + 0.5 * libm::erf(x / 2.0_f64.sqrt()))).round_ties_even();
        table[place as usize] = x;
    }
    table
}

fn pareto_value(part: f64) -> i64 {
    let value = (1.0 / libm::pow(part, 1.0 / 3.0) - 1.5) * (4.0 / 3.0) * 8192.0;
    value.min(32767.0).round_ties_even() as i64
}

fn table(name: &str) -> Vec<i64> {
    let quantiles = normal_quantiles();
    let normal = |i: usize| (quantiles[i] * 8192.0).round_ties_even() as i64;
    let pareto = |i: usize| pareto_value((65536 - 4 * i) as f64 / 65536.0);
    let every_fourth = (0..16384).step_by(4);
    let of = |i| match name {
        "normal" => normal(i).clamp(-32768, 32767),
        "pareto" => pareto(i),
        _ => ((normal(i) + 3 * pareto(i)) / 4).clamp(-32768, 32767),
    };
    every_fourth.map(of).collect()
}

/// A delay by the rule, from a table or uniform.
fn tabledist(mu: i64, sigma: i64, number: u32, table: Option<&[i64]>) -> i64 {
    let Some(table) = table else {
        return i64::from(number % (2 * sigma as u32)) + mu - sigma;
    };
    let t = table[number as usize % table.len()];
    let mut x = (sigma % 8192) * t;
    x += if x >= 0 { 4096 } else { -4096 };
    x / 8192 + (sigma / 8192) * t + mu
}

/// Delays of the rule. A packet whose time is past is sent at once.
fn delays(name: &str, mu: i64, sigma: i64, correlation: f64) -> Vec<f64> {
    let mut words = Words(1);
    let mut numbers = Crandom::new(correlation, &mut words);
    let table = (name != "uniform").then(|| table(name));
    let mut delay = || tabledist(mu, sigma, numbers.next(&mut words), table.as_deref());
    (0..PACKETS).map(|_| delay().max(0) as f64).collect()
}

fn drawn(distribution: Value) -> Vec<f64> {
    let distribution: DistributionSpec = serde_json::from_value(distribution).unwrap();
    let (mut draws, mut stream) = (distribution.build().unwrap(), Stream::new(1, "jitter", 0));
    (0..PACKETS).map(|_| draws.next(&mut stream).unwrap().nanos() as f64).collect()
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    values.sum::<f64>() / n
}

/// The greatest distance of the distribution functions of two samples.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let sorted = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_unstable_by(f64::total_cmp);
        values
    };
    let (a, b) = (sorted(a), sorted(b));
    let below = |values: &[f64], x: f64| values.partition_point(|v| *v <= x) as f64;
    let at = |x: &f64| (below(&a, *x) / a.len() as f64 - below(&b, *x) / b.len() as f64).abs();
    a.iter().map(at).fold(0.0, f64::max)
}

/// Correlation of a value with the next one.
fn autocorrelation(values: &[f64]) -> f64 {
    let middle = mean(values.iter().copied());
    let off: Vec<f64> = values.iter().map(|v| v - middle).collect();
    let variance = mean(off.iter().map(|x| x * x));
    mean(off.windows(2).map(|pair| pair[0] * pair[1])) / variance
}

/// The Kolmogorov-Smirnov statistic of two samples is above this with probability 1e-6.
fn critical() -> f64 {
    (-libm::log(0.5e-6) / PACKETS as f64).sqrt()
}

#[test]
fn delays_are_netems() {
    for (name, correlation) in [
        ("normal", 0.0),
        ("normal", 0.25),
        ("normal", 0.99),
        ("pareto", 0.0),
        ("pareto", 0.5),
        ("paretonormal", 0.0),
        ("paretonormal", 0.25),
        ("uniform", 0.25),
    ] {
        for (mu, sigma) in [(100_000_000, 20_000_000), (10_000_000, 10_000_000), (50_000, 777)] {
            let nanos = |n: i64| format!("{n}ns");
            let distribution = if name == "uniform" {
                json!({"kind": name, "min": nanos(mu - sigma), "max": nanos(mu + sigma),
                    "correlation": correlation})
            } else {
                json!({"kind": name, "mean": nanos(mu), "deviation": nanos(sigma),
                    "correlation": correlation})
            };
            let (ours, rule) = (drawn(distribution), delays(name, mu, sigma, correlation));
            let apart = distance(&ours, &rule);
            assert!(apart < critical(), "{name} {mu} {sigma} {correlation}: {apart}");
            let [a, b] = [&ours, &rule].map(|delays| autocorrelation(delays));
            let five = 5.0 * (2.0 / PACKETS as f64).sqrt();
            assert!((a - b).abs() < five, "{name} {mu} {sigma} {correlation}: {a} for {b}");
        }
    }
}

/// Two seconds and more of uniform jitter are where netem's correlation shows.
#[test]
fn correlation_shows_in_long_uniform_delays() {
    let distribution =
        json!({"kind": "uniform", "min": "0s", "max": "4294967294ns", "correlation": 0.75});
    let (ours, rule) = (drawn(distribution), delays("uniform", 2_147_483_647, 2_147_483_647, 0.75));
    assert!((autocorrelation(&ours) - 0.75).abs() < 0.01);
    assert!((autocorrelation(&rule) - 0.75).abs() < 0.01);
    // A sample of this correlation says as much as a seventh of it: (1 + r) / (1 - r).
    let apart = distance(&ours, &rule);
    assert!(apart < critical() * 7.0_f64.sqrt(), "{apart}");
}

#[test]
fn the_mean_of_a_distribution_is_the_mean_of_its_draws() {
    for distribution in [
        json!({"kind": "normal", "mean": "10ms", "deviation": "10ms"}),
        json!({"kind": "pareto", "mean": "10ms", "deviation": "3ms", "correlation": 0.5}),
        json!({"kind": "paretonormal", "mean": "1ms", "deviation": "3ms"}),
        json!({"kind": "uniform", "min": "1s", "max": "4s"}),
        json!({"kind": "uniform", "min": "1s", "max": "4s", "correlation": 0}),
        json!({"kind": "uniform", "min": "1s", "max": "4s", "correlation": 1e-6}),
        json!({"kind": "uniform", "min": "1s", "max": "4s", "correlation": 0.25}),
        json!({"kind": "uniform", "min": "0s", "max": "4294967295ns", "correlation": 0.5}),
        json!({"kind": "uniform", "min": "1s", "max": "3s", "correlation": 0.9}),
        json!({"kind": "uniform", "min": "2s", "max": "3s", "correlation": 0.98}),
        json!({"kind": "uniform", "min": "1ms", "max": "5ms", "correlation": 0.5}),
    ] {
        let draws = drawn(distribution.clone());
        let middle = mean(draws.iter().copied());
        // Draws that depend on the one before say less: batches of many give the error.
        let batches: Vec<f64> =
            draws.chunks(5000).map(|batch| mean(batch.iter().copied())).collect();
        let variance = mean(batches.iter().map(|b| (b - middle) * (b - middle)));
        let said: DistributionSpec = serde_json::from_value(distribution.clone()).unwrap();
        let off = (middle - said.mean()).abs();
        assert!(off < 5.0 * (variance / batches.len() as f64).sqrt(), "{distribution}: {middle}");
        let (least, most) = said.bounds();
        assert!(draws.iter().all(|d| (least.max(1.0)..=most).contains(d)), "{distribution}");
    }
}

#[test]
fn correlation_0_is_none() {
    for (kind, rest) in [
        ("uniform", json!({"min": "1s", "max": "9s"})),
        ("normal", json!({"mean": "1s", "deviation": "9ms"})),
    ] {
        let distribution = |more: &Value| {
            let mut distribution = json!({"kind": kind});
            for part in [&rest, more] {
                distribution.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
            }
            distribution
        };
        let (without, with) = (distribution(&json!({})), distribution(&json!({"correlation": 0})));
        assert!(drawn(without) == drawn(with), "{kind}");
    }
}

/// Of a deviation of 8192 ns an entry is the distance from the mean in nanoseconds.
#[test]
fn the_tables_are_netems() {
    for name in ["normal", "pareto", "paretonormal"] {
        let distribution = json!({"kind": name, "mean": "1ms", "deviation": "8192ns"});
        let (rule, mut numbers) = (table(name), Stream::new(1, "jitter", 0));
        let mut met = vec![false; rule.len()];
        for (place, delay) in drawn(distribution).into_iter().enumerate() {
            let entry = (numbers.next_u64() >> 32) as usize % rule.len();
            assert_eq!(
                delay as i64 - 1_000_000,
                rule[entry],
                "{name}: entry {entry}, draw {place}"
            );
            met[entry] = true;
        }
        assert!(met.iter().all(|met| *met), "{name}");
    }
}

/// Holds every kind of statistic of `ours` to that of `rule`: batches of a thousand packets give its error.
fn agree(name: &str, ours: &[bool], rule: &[bool]) {
    type Statistic = fn(&[bool]) -> f64;
    let statistics: [(&str, Statistic); 4] = [
        ("share", |all| all.iter().filter(|one| **one).count() as f64),
        ("pairs", |all| all.windows(2).filter(|w| w[0] && w[1]).count() as f64),
        ("one apart", |all| all.windows(3).filter(|w| w[0] && !w[1] && w[2]).count() as f64),
        ("gaps of ten", |all| all.windows(10).filter(|w| !w.contains(&true)).count() as f64),
    ];
    for (kind, statistic) in statistics {
        let [a, b] = [ours, rule].map(|all| {
            let batches: Vec<f64> = all.chunks(1000).map(statistic).collect();
            let middle = mean(batches.iter().copied());
            let variance = mean(batches.iter().map(|x| (x - middle) * (x - middle)));
            (middle, variance / batches.len() as f64)
        });
        let error = 5.0 * (a.1 + b.1).sqrt();
        assert!((a.0 - b.0).abs() <= error, "{name}, {kind}: {} for {} +- {error}", a.0, b.0);
    }
    assert!(ours.contains(&true) && ours.contains(&false), "{name}");
}

#[derive(Clone, Copy, Debug)]
struct Packet(usize);

impl Payload for Packet {
    fn bits(&self) -> u64 {
        10
    }
}

/// Marks, for each packet of a million that arrives, if it does so at the end of its transmission, before the
/// wire of 1 us, on a hop of 1 Gbit/s.
fn ahead(probability: f64, correlation: f64, gap: u32, loss: f64) -> Vec<bool> {
    let p = |p: f64| serde_json::from_value(json!(p)).unwrap();
    let stream = Stream::new(1, "reorder", 0);
    let overtaking = Overtaking::new(p(probability), Some(p(correlation)), gap, stream).unwrap();
    let rate = Rate::try_from("1Gbps".to_owned()).unwrap();
    let channel: ChannelSpec =
        serde_json::from_value(json!({"kind": "iid", "loss_rate": loss})).unwrap();
    let mut line = Line::new(HopConfig {
        channel: channel.build(Span::from_nanos(10), Stream::new(1, "channel", 0)).unwrap(),
        reorder: true,
        overtaking: Some(overtaking),
        ..HopConfig::new(rate, Span::from_nanos(1000))
    });
    let mut came = vec![None; PACKETS];
    // As long again as the wire takes, for the last ones.
    for place in 0..PACKETS + 200 {
        let start = 10 * place as i64;
        if place < PACKETS {
            line.push(Instant::from_nanos(start), Packet(place));
        }
        while let PollResult::Out(Packet(number)) = line.poll(Instant::from_nanos(start + 10)) {
            came[number] = Some(number == place);
        }
    }
    came.into_iter().flatten().collect()
}

/// The rule of netem's enqueue.
fn reordered(probability: f64, correlation: f64, gap: u32) -> Vec<bool> {
    let mut words = Words(2);
    let mut numbers = Crandom::new(correlation, &mut words);
    let mut counter = 0;
    let mut packet = || {
        let delayed = counter < gap - 1 || share(probability) < numbers.next(&mut words);
        counter = if delayed { counter + 1 } else { 0 };
        !delayed
    };
    (0..PACKETS).map(|_| packet()).collect()
}

#[test]
fn reordering_is_netems() {
    for (probability, correlation, gap) in
        [(0.25, 0.5, 1), (0.25, 0.0, 1), (0.25, 0.5, 5), (0.9, 0.25, 3), (0.02, 0.1, 1)]
    {
        let (ours, rule) =
            (ahead(probability, correlation, gap, 0.0), reordered(probability, correlation, gap));
        agree(&format!("reorder {probability} {correlation} gap {gap}"), &ours, &rule);
    }
    // The page says so of netem's best-known example.
    let ours = ahead(0.25, 0.5, 1, 0.0).into_iter().filter(|one| *one).count();
    assert!((68_000..72_000).contains(&ours), "{ours}");
    let every_fifth = ahead(1.0, 0.0, 5, 0.0);
    assert!(every_fifth.iter().enumerate().all(|(i, ahead)| *ahead == (i % 5 == 4)));
}

/// netem drops what is lost before it asks who overtakes.
#[test]
fn lost_packets_neither_count_nor_step_in_reordering() {
    let every_fifth = ahead(1.0, 0.0, 5, 0.3);
    assert!(every_fifth.len() < PACKETS * 3 / 4);
    assert!(every_fifth.iter().enumerate().all(|(i, ahead)| *ahead == (i % 5 == 4)));
    for (probability, correlation, gap) in [(0.25, 0.5, 1), (0.25, 0.5, 5), (0.45, 0.9, 1)] {
        let ours = ahead(probability, correlation, gap, 0.3);
        let rule = reordered(probability, correlation, gap);
        agree(&format!("reorder {probability} {correlation} gap {gap}"), &ours, &rule);
    }
}

/// Losses of a million packets, one after the other, of `bits` each in turn.
fn lost(channel: &Value, bits: &[u64]) -> Vec<bool> {
    let spec: ChannelSpec = serde_json::from_value(channel.clone()).unwrap();
    let mut channel = spec.build(Span::from_nanos(10), Stream::new(1, "netem", 0)).unwrap();
    let mut fate = |i: usize| {
        let start = Instant::from_nanos(10 * i as i64);
        let burst =
            Transmission { start, end: start + Span::from_nanos(10), bits: bits[i % bits.len()] };
        channel.fate_of(burst) == Fate::Erased
    };
    (0..PACKETS).map(&mut fate).collect()
}

/// `loss state p13 p31 p32 p23 p14`.
fn four_states([p13, p31, p32, p23, p14]: [f64; 5]) -> Vec<bool> {
    let mut words = Words(3);
    let mut state = 1;
    let mut packet = || {
        let number = f64::from(words.next()) / f64::from(u32::MAX);
        state = match state {
            1 if number < p14 => 4,
            1 if number < p14 + p13 => 3,
            2 if number < p23 => 3,
            3 if number < p32 => 2,
            3 if number < p32 + p31 => 1,
            4 => 1,
            same => same,
        };
        state >= 3
    };
    (0..PACKETS).map(|_| packet()).collect()
}

#[test]
fn loss_state_is_four_states() {
    for rule in
        [[0.02, 0.3, 0.2, 0.6, 0.01], [0.01, 0.99, 0.0, 1.0, 0.0], [0.05, 0.1, 0.0, 1.0, 0.2]]
    {
        let [p13, p31, p32, p23, p14] = rule;
        let channel = json!({"kind": "states", "loss": [0, 0, 1, 1], "transition": [
            [1.0 - p13 - p14, 0, p13, p14], [0, 1.0 - p23, p23, 0],
            [p31, p32, 1.0 - p31 - p32, 0], [1, 0, 0, 0]]});
        agree(&format!("{rule:?}"), &lost(&channel, &[1]), &four_states(rule));
    }
}

/// `loss gemodel p r 1-h 1-k`: the loss is drawn by the state before the step.
fn gemodel(p: f64, r: f64, h: f64, k: f64) -> Vec<bool> {
    let mut words = Words(4);
    let mut chance = move |p: f64| f64::from(words.next()) < p * 4_294_967_296.0;
    let mut bad = false;
    let mut packet = || {
        let was_bad = bad;
        bad = if was_bad { !chance(r) } else { chance(p) };
        chance(if was_bad { 1.0 - h } else { 1.0 - k })
    };
    (0..PACKETS).map(|_| packet()).collect()
}

#[test]
fn loss_gemodel_is_two_states() {
    for (p, r, h, k) in [(0.02, 0.3, 0.4, 0.99), (0.01, 0.2, 0.0, 1.0)] {
        let rule = gemodel(p, r, h, k);
        let by_name =
            json!({"kind": "gilbert-elliott", "p": p, "r": r, "h": h, "k": k, "clock": "packet"});
        let states = json!({"kind": "states", "loss": [1.0 - k, 1.0 - h],
            "transition": [[1.0 - p, p], [r, 1.0 - r]]});
        agree("gilbert-elliott", &lost(&by_name, &[1]), &rule);
        agree("states", &lost(&states, &[1]), &rule);
    }
}

/// Eight states, step by step.
#[test]
fn a_chain_goes_step_by_step_on_any_clock() {
    let loss = [0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0];
    let row = |i: usize| -> Vec<f64> {
        let weight = |j: usize| f64::from(u32::from(i == j)) * 20.0 + ((3 * i + 5 * j) % 7) as f64;
        let sum: f64 = (0..8).map(weight).sum();
        (0..8).map(|j| weight(j) / sum).collect()
    };
    let rows: Vec<Vec<f64>> = (0..8).map(row).collect();
    for (clock, steps) in [("packet", 1), ("slot", 1), ("10ns", 1), ("5ns", 2), ("40ns", 0)] {
        let channel = json!({"kind": "states", "loss": loss, "transition": rows, "clock": clock});
        let mut words = Words(5);
        let mut uniform = move || f64::from(words.next()) / 4_294_967_296.0;
        let mut state = 0;
        let mut packet = |i: usize| {
            // Of 40 ns every fourth packet sees a step.
            for _ in 0..if steps == 0 { usize::from(i.is_multiple_of(4)) } else { steps } {
                let mut u = uniform();
                let found = rows[state].iter().position(|p| {
                    u -= p;
                    u < 0.0
                });
                state = found.unwrap_or(state);
            }
            uniform() < loss[state]
        };
        let rule: Vec<bool> = (0..PACKETS).map(&mut packet).collect();
        agree(clock, &lost(&channel, &[1]), &rule);
    }
}

#[test]
fn bits_fail_one_by_one() {
    let (rate, bits) = (0.002, [40, 400, 120]);
    let mut words = Words(6);
    let mut fails = move || f64::from(words.next()) < rate * 4_294_967_296.0;
    let mut packet = |i: usize| (0..bits[i % 3]).fold(false, |lost, _| fails() || lost);
    let rule: Vec<bool> = (0..PACKETS).map(&mut packet).collect();
    let ours = lost(&json!({"kind": "bit-errors", "bit_error_rate": rate}), &bits);
    agree("bit-errors", &ours, &rule);
    for (place, bits) in bits.iter().enumerate() {
        let of =
            |all: &[bool]| -> Vec<bool> { all.iter().skip(place).step_by(3).copied().collect() };
        agree(&format!("{bits} bits"), &of(&ours), &of(&rule));
    }
}

#[test]
fn words_that_contradict_each_other_are_refused() {
    let refused = |distribution: Value| {
        let distribution: DistributionSpec = serde_json::from_value(distribution).unwrap();
        distribution.build().unwrap_err().field
    };
    let pareto = |rest: Value| {
        let mut distribution = json!({"kind": "pareto"});
        distribution.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        refused(distribution)
    };
    assert_eq!(pareto(json!({"mean": "1ms"})), "shape");
    assert_eq!(pareto(json!({"mean": "1ms", "deviation": "1ms", "shape": 3})), "shape");
    assert_eq!(pareto(json!({"min": "1ms", "deviation": "1ms"})), "min");
    assert_eq!(pareto(json!({"deviation": "1ms"})), "mean");
    assert_eq!(pareto(json!({"mean": "1ms", "shape": 3, "correlation": 0.5})), "correlation");
    let normal = json!({"kind": "normal", "mean": "1ms", "deviation": "3s"});
    assert_eq!(refused(normal), "deviation");
    let stuck = json!({"kind": "normal", "mean": "1ms", "deviation": "1ms", "correlation": 1});
    assert_eq!(refused(stuck), "correlation");
    let wide = json!({"kind": "uniform", "min": "0s", "max": "5s", "correlation": 0.5});
    assert_eq!(refused(wide), "correlation");
}
