//! The solver against a second implementation of the rules, slot by slot.

use crate::slots::{Chain, Stage};
use airtcp_analysis::exact::{Problem, Variant, solve};
use proptest::prelude::*;

fn agrees(problem: &Problem) {
    let chain = Chain::new(problem);
    let rates = chain.rates(&chain.stationary());
    let solution = solve(problem).unwrap();
    for (name, expected, actual) in [
        ("throughput", rates.delivered, solution.throughput),
        ("transmissions", rates.sent, solution.transmissions),
        ("timeouts", rates.timeouts, solution.timeouts),
        ("fast retransmits", rates.fast, solution.fast_retransmits),
    ] {
        assert!((expected - actual).abs() < 1e-10, "{name}: {expected} {actual} {problem:?}");
    }
}

fn problem(variant: Variant, p_gb: f64, p_bg: f64, window: u32) -> Problem {
    Problem { timeout: 12, dupacks: 2, ..Problem::new(variant, p_gb, p_bg).with_window(window) }
}

#[test]
fn agrees_for_every_variant_and_window() {
    for variant in Variant::ALL {
        for window in 1..=6 {
            for (p_gb, p_bg) in [(0.1, 0.9), (0.05, 0.2), (0.5, 0.5), (0.8, 0.9), (0.4, 0.1)] {
                agrees(&problem(variant, p_gb, p_bg, window));
            }
        }
    }
}

#[test]
fn agrees_on_channels_with_a_certain_transition() {
    for variant in Variant::ALL {
        for (p_gb, p_bg) in [(1.0, 0.5), (0.5, 1.0), (0.01, 1.0), (1.0, 0.01)] {
            agrees(&problem(variant, p_gb, p_bg, 5));
        }
        let alternating = problem(variant, 1.0, 1.0, 5);
        agrees(&Problem { timeout: 13, ..alternating });
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(300)
    })]

    #[test]
    fn agrees_on_random_problems(
        variant in prop::sample::select(Variant::ALL.to_vec()),
        p_gb in 0.01..1.0_f64,
        p_bg in 0.05..1.0_f64,
        window in 1..=8_u32,
        dupacks in 1..=4_u32,
        slack in 0..8_u64,
    ) {
        let timeout = variant.min_timeout(window) + slack;
        let problem = Problem::new(variant, p_gb, p_bg).with_window(window);
        agrees(&Problem { dupacks, timeout, ..problem });
    }
}

/// Checks the bound on the loss of Tahoe and `OldTahoe` when the receiver forgets: relative values
/// with and without the farthest held packet differ by less than two packets.
#[test]
fn a_forgotten_packet_is_worth_less_than_two() {
    for variant in [Variant::OldTahoe, Variant::Tahoe] {
        for (p_gb, p_bg) in [(0.1, 0.9), (0.05, 0.2), (0.3, 0.3), (0.5, 0.9)] {
            let problem = problem(variant, p_gb, p_bg, 7);
            let worst = worth_of_the_farthest_packet(&problem);

            assert!(worst < 2.0, "{worst} {problem:?}");
        }
    }
}

fn worth_of_the_farthest_packet(problem: &Problem) -> f64 {
    let chain = Chain::new(problem);
    let mean = chain.rates(&chain.stationary()).delivered;
    let mut values = vec![0.0; chain.states.len()];
    for _ in 0..3000 {
        for state in (0..values.len()).rev() {
            values[state] = chain.next[state]
                .iter()
                .map(|&(to, p, tally)| p * (tally.delivered - mean + values[to]))
                .sum();
        }
        let base = values[0];
        values.iter_mut().for_each(|value| *value -= base);
    }
    let forgotten = |(state, machine): (usize, &crate::slots::Machine)| {
        let boundary = matches!(machine.stage, Stage::Grow { .. } | Stage::Burst { sent: 0, .. });
        let mut other = *machine;
        other.held ^= 1 << other.held.checked_ilog2()?;
        let other = *chain.index.get(&other)?;
        boundary.then(|| (values[state] - values[other]).abs())
    };
    chain.states.iter().enumerate().filter_map(forgotten).fold(0.0, f64::max)
}
