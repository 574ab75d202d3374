//! Bits sent never exceed the integral of the rate, and equal it while the queue is never empty, except for the
//! rounding of every end of a transmission to whole nanoseconds.

use crate::rates::plain::{BIT, Plain};
use crate::rates::{Packet, gate, hop, rates, sent, settings};
use airtcp_core::{Rate, Stream};
use airtcp_radio::queue::Spec as _;
use airtcp_radio::{Discipline, HopConfig, QueueSpec};
use proptest::prelude::*;

/// Queues of which none waits while it holds a packet.
const QUEUES: [&str; 8] = [
    r#"{"kind": "drop-tail", "packets": 6}"#,
    r#"{"kind": "head-drop", "packets": 5}"#,
    r#"{"kind": "codel", "target": "200us", "interval": "1ms", "packets": 20}"#,
    r#"{"kind": "fq-codel", "target": "200us", "interval": "1ms", "packets": 20}"#,
    r#"{"kind": "drr", "packets": 9}"#,
    r#"{"kind": "pie", "target": "500us", "update": "500us", "burst": "0ns", "packets": 20}"#,
    r#"{"kind": "red", "min": 1, "max": 6, "max_p": 0.5, "weight": 0.5, "packets": 9}"#,
    r#"{"kind": "priority", "bands": [[0]], "packets": 7}"#,
];
const US: i64 = 1000;
const END: i64 = 1_000_000_000_000;

#[derive(Clone, Debug)]
struct Case {
    plain: Plain,
    /// None: one that only refuses.
    queue: Option<usize>,
    toggles: Vec<i64>,
    loses: &'static str,
    pushes: Vec<(i64, u64)>,
}

impl Case {
    fn run(&self) -> (Vec<Packet>, u64) {
        let managed = self.queue.map(|queue| {
            let spec: QueueSpec = serde_json::from_str(QUEUES[queue]).unwrap();
            spec.build(Rate::from_bits_per_second(1e7).unwrap(), Stream::new(1, "queue", 0))
                .unwrap()
        });
        let config = HopConfig {
            managed,
            queue: Discipline::DropTail(8),
            gate: gate(&self.toggles, self.loses),
            ..hop(rates(&self.plain.rows, self.plain.end))
        };
        sent(config, &self.pushes, END)
    }

    /// The first instant from `now` on at which the gate is open and the rate above 0.
    fn open(&self, mut now: i64) -> i64 {
        loop {
            let is_up = self.toggles.iter().filter(|t| **t <= now).count() % 2 == 0;
            let up = self.toggles.iter().find(|t| **t > now).copied().unwrap_or(i64::MAX);
            let next = if is_up { self.plain.open(now) } else { up };
            if next == now || next == i64::MAX {
                return next;
            }
            now = next;
        }
    }

    /// True if packets that wait are sent some day.
    fn goes_on(&self) -> bool {
        let last = self.plain.rows.last().map_or(0, |row| row.1);
        let rates = self.plain.end == "repeat" || (self.plain.end == "hold" && last > 0);
        rates && self.toggles.len().is_multiple_of(2)
    }
}

fn plains() -> impl Strategy<Value = Plain> {
    let rate = prop_oneof![1 => Just(0), 4 => 100_000..100_000_000_u64];
    let rows = proptest::collection::btree_map(0..200_i64, rate, 2..9);
    let end = prop_oneof![Just("hold"), Just("repeat"), Just("stop")];
    (rows, end, 100_000..100_000_000_u64).prop_map(|(rows, end, positive)| {
        let mut rows: Vec<_> = rows.into_iter().map(|(at, rate)| (at * 100 * US, rate)).collect();
        rows[0].1 = rows[0].1.max(positive);
        Plain { rows, end }
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let queue = proptest::option::weighted(0.7, 0..QUEUES.len());
    let toggles = proptest::collection::btree_set(0..20_000_i64, 0..6);
    let loses = prop_oneof![3 => Just("nothing"), 1 => Just("all")];
    let pushes = proptest::collection::vec((0..20_000_i64, 320..12_000_u64), 1..60);
    (plains(), queue, toggles, loses, pushes).prop_map(
        |(plain, queue, toggles, loses, mut pushes)| {
            pushes.sort_unstable();
            let toggles = toggles.into_iter().map(|toggle| toggle * US).collect();
            let pushes = pushes.into_iter().map(|(at, bits)| (at * US, bits)).collect();
            Case { plain, queue, toggles, loses, pushes }
        },
    )
}

proptest! {
    #![proptest_config(settings(3000))]

    #[test]
    fn every_packet_takes_its_part_of_the_integral(case in cases()) {
        let (packets, lost) = case.run();
        // A nanosecond at the highest rate: half a one for its end, and as much that the one before has left.
        let rounding = case.plain.fastest();
        let mut free = 0;
        for (i, packet) in packets.iter().enumerate() {
            let (start, end) = packet.on_air.unwrap();
            let off = case.plain.integral(start, end) - i128::from(packet.bits) * BIT;
            prop_assert!(off.abs() <= rounding, "{packet:?}: {off}");
            prop_assert!(start >= free.max(packet.pushed));
            prop_assert_eq!(case.plain.open(start), start, "no rate at its start");
            if case.loses == "nothing" {
                let first = packets[i..].iter().map(|later| later.pushed).min().unwrap();
                prop_assert_eq!(start, case.open(free.max(first)), "{:?} after {}", packet, free);
            }
            free = end;
        }
        if case.goes_on() {
            prop_assert_eq!(packets.len() as u64 + lost, case.pushes.len() as u64);
        }
    }

    #[test]
    fn a_queue_that_is_never_empty_is_served_at_the_integral(
        plain in plains(), sizes in proptest::collection::vec(320..12_000_u64, 1..80),
        is_managed in any::<bool>(),
    ) {
        let pushes: Vec<_> = sizes.iter().map(|bits| (0, *bits)).collect();
        let spec: QueueSpec = serde_json::from_str(r#"{"kind": "drr", "packets": 1000}"#).unwrap();
        let queue = spec.build(Rate::from_bits_per_second(1e7).unwrap(), Stream::new(1, "queue", 0)).unwrap();
        let managed = is_managed.then_some(queue);
        let config = HopConfig { managed, ..hop(rates(&plain.rows, plain.end)) };
        let (packets, _) = sent(config, &pushes, END);
        let mut served = 0;
        for (i, packet) in packets.iter().enumerate() {
            served += i128::from(packet.bits) * BIT;
            let off = plain.integral(0, packet.on_air.unwrap().1) - served;
            // Half a nanosecond each at most, up and down.
            prop_assert!(2 * off.abs() <= (i as i128 + 1) * plain.fastest(), "{packet:?}: {off}");
        }
    }
}
