//! Rates that do not change are a rate, to the bit.

use crate::rates::{Packet, gate, hop, rates, sent, settings};
use airtcp_core::{Rate, Span, Stream};
use airtcp_radio::queue::Spec as _;
use airtcp_radio::{ArqConfig, Discipline, HopConfig, QueueSpec};
use proptest::prelude::*;

/// A link besides its rate, and what is pushed into it.
#[derive(Clone, Debug)]
struct Case {
    /// Rate in bit/s: from slow to so fast that a packet takes less than a nanosecond.
    rate: u64,
    times: Vec<i64>,
    end: &'static str,
    kind: u32,
    toggles: Vec<i64>,
    pushes: Vec<(i64, u64)>,
}

impl Case {
    fn run(&self, config: HopConfig) -> (Vec<Packet>, u64) {
        let arq = ArqConfig {
            payload: 700,
            overhead: 10,
            attempts: 2,
            feedback_delay: Span::from_nanos(300),
            feedback_loss: 0.0,
            feedback: Stream::new(1, "feedback", 0),
            in_order: true,
        };
        let codel: QueueSpec = serde_json::from_str(r#"{"kind": "codel", "packets": 6}"#).unwrap();
        let codel = codel.build(Rate::MAX, Stream::new(1, "queue", 0)).unwrap();
        let config = HopConfig {
            arq: (self.kind == 1).then_some(arq),
            managed: (self.kind == 2).then_some(codel),
            queue: Discipline::DropTail(8),
            gate: gate(&self.toggles, "nothing"),
            ..config
        };
        sent(config, &self.pushes, 1_000_000_000_000)
    }
}

fn cases() -> impl Strategy<Value = Case> {
    let rate = (1..1000_u64, 0..12_u32).prop_map(|(digits, power)| digits * 10_u64.pow(power));
    let ends = prop_oneof![Just("hold"), Just("repeat")];
    let increasing = |most: i64, n: usize| {
        proptest::collection::btree_set(0..most, 0..n).prop_map(|set| set.into_iter().collect())
    };
    let pushes = proptest::collection::vec((0..5000_i64, 1..3000_u64), 1..40);
    (rate, increasing(20_000, 6), ends, 0..3_u32, increasing(5000, 6), pushes).prop_map(
        |(rate, mut times, end, kind, toggles, mut pushes): (_, Vec<i64>, _, _, _, _)| {
            if times.is_empty() {
                times.push(0);
            }
            pushes.sort_unstable();
            Case { rate, times, end, kind, toggles, pushes }
        },
    )
}

proptest! {
    #![proptest_config(settings(3000))]

    #[test]
    fn constant_rates_are_a_rate(case in cases()) {
        let rows: Vec<_> = case.times.iter().map(|at| (*at, case.rate)).collect();
        let rate = Rate::from_bits_per_second(case.rate as f64).unwrap();
        // A scenario takes them for that rate; served as rates they come to the same.
        prop_assert_eq!(rates(&rows, case.end).constant(), Some(rate));
        let constant = case.run(HopConfig::new(rate, Span::ZERO));
        prop_assert_eq!(case.run(hop(rates(&rows, case.end))), constant);
    }
}
