//! Reference values, honesty of the bound, degenerate channels, refusals.

use airtcp_analysis::exact::{
    MAX_WINDOW, Options, Problem, Solution, SolveError, Variant, solve, solve_unless_interrupted,
};

/// Rayleigh fading with `f_d T = 0.01` as a two-state chain, at loss rates .01 and .1.
const FADING_01: (f64, f64) = (0.002481769174559334, 0.24569514828137404);
const FADING_10: (f64, f64) = (0.00812765184599974, 0.07314886661399767);
const IID_01: (f64, f64) = (0.01, 0.99);
const IID_10: (f64, f64) = (0.1, 0.9);

fn problem(variant: Variant, (p_gb, p_bg): (f64, f64), window: u32) -> Problem {
    Problem::new(variant, p_gb, p_bg).with_window(window)
}

fn pruned(problem: Problem, prune: f64) -> Solution {
    let options = Options { prune, ..problem.options };
    solve(&Problem { options, ..problem }).unwrap()
}

/// [zorzi] with `K` = 3, `T_o` = 100, by an independent prototype and a slot Monte Carlo.
#[test]
fn reference_points() {
    for (variant, channel, window, throughput, transmissions) in [
        (Variant::Tahoe, IID_01, 24, 0.960195, 0.969897),
        (Variant::Tahoe, FADING_01, 24, 0.983372, 0.993173),
        (Variant::Tahoe, IID_10, 6, 0.165717, 0.184353),
        (Variant::Reno, FADING_01, 24, 0.845114, 0.853512),
        (Variant::Reno, IID_10, 6, 0.155240, 0.172607),
        (Variant::NewReno, FADING_10, 24, 0.703982, 0.754793),
        (Variant::OldTahoe, FADING_01, 24, 0.832301, 0.840567),
    ] {
        let solution = solve(&problem(variant, channel, window)).unwrap();
        assert!((solution.throughput - throughput).abs() < 1e-6, "{variant} {solution:?}");
        assert!((solution.transmissions - transmissions).abs() < 1e-6, "{variant} {solution:?}");
    }
}

#[test]
fn the_error_is_below_its_bound_and_small() {
    let slow = (2.9e-6, 3.2e-6);
    for variant in Variant::ALL {
        for channel in [IID_01, FADING_01, IID_10, FADING_10, slow, (0.03, 0.7), (0.3, 0.4)] {
            let problem = problem(variant, channel, 15);
            let exact = pruned(problem, 1e-11);
            for prune in [1e-3, 1e-4, 1e-5, 1e-6, 1e-8] {
                let solution = pruned(problem, prune);
                let error = (solution.throughput - exact.throughput).abs();
                assert!(error <= solution.error_bound, "{error} {solution:?} {problem:?}");
            }
            assert!(exact.error_bound < 1e-8, "{exact:?}");
        }
    }
}

#[test]
fn default_pruning_is_accurate_for_wide_windows() {
    for (variant, finer) in
        [(Variant::OldTahoe, 1e-6), (Variant::NewReno, 1e-10), (Variant::Sack, 1e-8)]
    {
        let problem = problem(variant, FADING_10, 24);
        let solution = solve(&problem).unwrap();
        let error = (solution.throughput - pruned(problem, finer).throughput).abs();
        assert!(error < 1e-7 && error < solution.error_bound, "{error} {solution:?}");
    }
}

#[test]
fn every_parameter_works() {
    for variant in Variant::ALL {
        for window in [1, 2, 3, 9, 13, 32] {
            for dupacks in 1..=4 {
                let timeout = variant.min_timeout(window);
                let problem = Problem { dupacks, timeout, ..problem(variant, IID_10, window) };
                let solution = solve(&problem).unwrap();
                assert!(solution.throughput > 0.0 && solution.error_bound < 1e-4, "{problem:?}");
                assert!(solution.throughput < solution.transmissions);
            }
        }
    }
}

#[test]
fn extreme_channels_are_solved() {
    for variant in Variant::ALL {
        for p in [1e-12, 1e-6, 0.5, 0.9, 1.0 - 1e-9] {
            for channel in [(p, 1.0 - p), (p, 0.5 * p), (p, 1.0)] {
                let solution = solve(&problem(variant, channel, 24)).unwrap();
                assert!((0.0..=1.0).contains(&solution.throughput), "{solution:?}");
                assert!(solution.error_bound < 1e-5, "{variant} {channel:?} {solution:?}");
            }
        }
    }
}

#[test]
fn a_channel_that_never_loses_delivers_in_every_slot() {
    let solution = solve(&problem(Variant::Reno, (0.0, 0.3), 24)).unwrap();
    assert_eq!((solution.throughput, solution.transmissions), (1.0, 1.0));
}

#[test]
fn a_channel_that_stays_bad_costs_one_transmission_per_timeout() {
    for variant in Variant::ALL {
        // The alternating channel is bad again after every even number of slots.
        for channel in [(0.2, 0.0), (1.0, 0.0), (1.0, 1.0)] {
            let solution = solve(&problem(variant, channel, 24)).unwrap();
            assert_eq!(solution.throughput, 0.0);
            assert_eq!((solution.transmissions, solution.timeouts), (0.01, 0.01));
        }
    }
}

#[test]
fn the_answer_does_not_vary() {
    let problem = problem(Variant::NewReno, (0.02, 0.3), 20);
    assert_eq!(solve(&problem), solve(&problem));
}

#[test]
fn refusals_say_why() {
    let good = problem(Variant::Reno, IID_10, 24);
    for (bad, message) in [
        (Problem { p_gb: -0.1, ..good }, "p_gb = -0.1"),
        (Problem { p_bg: f64::NAN, ..good }, "p_bg = NaN"),
        (Problem { p_gb: 0.0, p_bg: 0.0, ..good }, "no stationary distribution"),
        (Problem { window: 0, ..good }, "window = 0"),
        (Problem { window: MAX_WINDOW + 1, timeout: 1000, ..good }, "outside 1 to 48"),
        (Problem { dupacks: 0, ..good }, "dupacks = 0"),
        (Problem { timeout: 24, ..good }, "Reno with window 24 needs at least 25"),
        (
            Problem { variant: Variant::Tahoe, timeout: 23, ..good },
            "Tahoe with window 24 needs at least 24",
        ),
        (Problem { options: Options { prune: 1.0, ..good.options }, ..good }, "prune = 1"),
        (
            Problem { options: Options { max_states: 50, ..good.options }, ..good },
            "max_states = 50",
        ),
    ] {
        let refusal = solve(&bad).unwrap_err().to_string();
        assert!(refusal.contains(message), "{refusal}");
    }
}

/// The problem prunes nothing, and one window alone has 2^47 patterns of successes.
#[test]
fn a_hopeless_problem_is_refused_early() {
    let options = Options { prune: 0.0, max_states: 100_000 };
    let problem = Problem { options, ..problem(Variant::OldTahoe, (0.5, 0.5), MAX_WINDOW) };
    let refusal = solve(&problem).unwrap_err();
    assert!(matches!(refusal, SolveError::TooManyStates { limit: 100_000, .. }));
}

#[test]
fn a_caller_can_interrupt() {
    let problem = problem(Variant::OldTahoe, FADING_10, 24);
    let mut asked = 0;
    let answer = solve_unless_interrupted(&problem, &mut || {
        asked += 1;
        asked > 3
    });
    assert_eq!(answer, Err(SolveError::Interrupted));
}
