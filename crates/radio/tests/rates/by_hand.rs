//! Times computed by hand.

use crate::rates::{gate, hop, rates, sent};
use airtcp_core::{Rate, Span, Stream};
use airtcp_radio::queue::Spec as _;
use airtcp_radio::{ArqConfig, Discipline, HopConfig, QueueSpec};

const US: i64 = 1000;
const END: i64 = 1_000_000 * US;

/// Start and end on the air, in microseconds, of packets of 12 000 bits that were pushed at the times `pushes`.
fn on_air(config: HopConfig, pushes: &[i64]) -> Vec<(f64, f64)> {
    let pushes: Vec<_> = pushes.iter().map(|push| (push * US, 12_000)).collect();
    let micros = |nanos: i64| nanos as f64 / 1e3;
    let (packets, lost) = sent(config, &pushes, END);
    assert_eq!(lost, 0);
    packets
        .iter()
        .map(|one| one.on_air.map(|(from, to)| (micros(from), micros(to))).unwrap())
        .collect()
}

/// `config` with a queue that decides which packets it keeps.
fn managed(config: HopConfig) -> HopConfig {
    let spec: QueueSpec = serde_json::from_str(r#"{"kind": "codel", "packets": 1000}"#).unwrap();
    let queue = spec.build(Rate::MAX, Stream::new(1, "queue", 0)).unwrap();
    HopConfig { managed: Some(queue), ..config }
}

/// `config` with a link layer that sends every packet in two fragments, each once.
fn in_fragments(config: HopConfig) -> HopConfig {
    let arq = ArqConfig {
        payload: 6000,
        overhead: 0,
        attempts: 1,
        feedback_delay: Span::ZERO,
        feedback_loss: 0.0,
        feedback: Stream::new(1, "feedback", 0),
        in_order: false,
    };
    HopConfig { arq: Some(arq), queue: Discipline::Unlimited, ..config }
}

fn each(rows: &[(i64, u64)], end: &str, pushes: &[i64]) -> Vec<(f64, f64)> {
    let plain = on_air(hop(rates(rows, end)), pushes);
    assert_eq!(plain, on_air(managed(hop(rates(rows, end))), pushes));
    assert_eq!(plain, on_air(in_fragments(hop(rates(rows, end))), pushes));
    plain
}

#[test]
fn what_is_left_of_a_packet_is_sent_at_the_new_rate() {
    // 12 Mbit/s until 1.5 ms, then 3 Mbit/s: half of the second packet takes 2 ms.
    let rows = [(0, 12_000_000), (1500 * US, 3_000_000)];
    let expected = [(0.0, 1000.0), (1000.0, 3500.0), (3500.0, 7500.0)];
    assert_eq!(each(&rows, "hold", &[0, 0, 0]), expected);
}

#[test]
fn at_rate_0_a_packet_waits_and_so_does_what_is_left_of_one() {
    let rows = [(0, 12_000_000), (500 * US, 0), (2000 * US, 12_000_000)];
    assert_eq!(each(&rows, "hold", &[0, 0]), [(0.0, 2500.0), (2500.0, 3500.0)]);
    assert_eq!(each(&rows, "hold", &[600]), [(2000.0, 3000.0)]);
}

#[test]
fn a_packet_that_ends_as_the_rate_becomes_0_does_not_wait() {
    // 3000 bits by 1 ms, 9000 bits by 2 ms.
    let rows = |first: u64, second: u64| {
        let [first, second] = [first, second].map(|megabits| megabits * 1_000_000);
        [(0, first), (1000 * US, second), (2000 * US, 0), (9000 * US, first)]
    };
    assert_eq!(each(&rows(3, 9), "hold", &[0]), [(0.0, 2000.0)]);
    let megabits = || 1..=20_u64;
    for (first, second) in megabits().flat_map(|first| megabits().map(move |rate| (first, rate))) {
        let pushes = [(0, 1000 * (first + second))];
        let (packets, _) = sent(hop(rates(&rows(first, second), "hold")), &pushes, END);
        let on_air: Vec<_> = packets.iter().map(|one| one.on_air).collect();
        assert_eq!(on_air, [Some((0, 2000 * US))], "{first} and {second} Mbit/s");
    }
}

#[test]
fn a_list_repeats_where_its_last_rate_has_lasted_as_long_as_the_one_before() {
    let rows = [(0, 12_000_000), (1000 * US, 0)];
    assert_eq!(
        each(&rows, "repeat", &[0, 0, 0]),
        [(0.0, 1000.0), (2000.0, 3000.0), (4000.0, 5000.0)]
    );
    assert_eq!(each(&rows, "repeat", &[500_500]), [(500_500.0, 502_500.0)]);
}

#[test]
fn after_its_end_a_list_that_stops_sends_nothing() {
    let rows = [(0, 12_000_000), (1000 * US, 24_000_000)];
    let expected = [(0.0, 1000.0), (1000.0, 1500.0), (1500.0, 2000.0)];
    assert_eq!(each(&rows, "stop", &[0, 0, 0, 0]), expected);
}

#[test]
fn before_the_first_time_the_rate_is_the_first_one() {
    let rows = [(5000 * US, 6_000_000), (9000 * US, 12_000_000)];
    assert_eq!(each(&rows, "hold", &[0, 8000]), [(0.0, 2000.0), (8000.0, 9500.0)]);
}

#[test]
fn a_gate_and_a_rate_of_0_hold_packets_until_both_are_over() {
    let rows = [(0, 12_000_000), (1000 * US, 0), (3000 * US, 12_000_000)];
    let config = || HopConfig {
        gate: gate(&[500 * US, 2000 * US, 3500 * US, 4000 * US], "nothing"),
        ..hop(rates(&rows, "hold"))
    };
    let expected = [(0.0, 1000.0), (3000.0, 4000.0), (4000.0, 5000.0)];
    assert_eq!(on_air(config(), &[0, 0, 0]), expected);
    assert_eq!(on_air(managed(config()), &[0, 0, 0]), expected);
}
