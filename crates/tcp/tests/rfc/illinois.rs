//! Illinois: what the curves of Liu, Basar and Srikant 2008 make of a window; the curves themselves are in the unit test of
//! the law.

use crate::rfc::rounds::{RTT, Rounds, avoiding};

/// The window after all its segments are acknowledged, with this alpha.
fn grown(window: f64, alpha: f64) -> f64 {
    (0..window as u64).fold(window, |window, _| window + alpha / window)
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 0.002, "{found} and {expected}");
}

#[test]
fn without_a_queue_ten_segments_per_round_after_the_first() {
    let mut rounds = Rounds::new(&avoiding("illinois", 100));
    let [first, second, third] = rounds.windows([RTT; 3]);
    close(first, grown(100.0, 1.0));
    close(second, grown(first, 10.0));
    close(third, grown(second, 10.0));
}

#[test]
fn a_loss_takes_an_eighth_without_a_queue_and_half_at_a_full_one() {
    let left = |rtt| {
        let mut rounds = Rounds::new(&avoiding("illinois", 100));
        rounds.windows([RTT, RTT, rtt, rtt]);
        let window = rounds.cwnd();
        rounds.lose();
        rounds.ssthresh() / window
    };
    close(left(RTT), 0.875);
    close(left(200), 0.5);
}

/// The queue of 100 ms is the largest: alpha is 0.3 a round trip later; it stays so for four round trips without a queue,
/// and is 10 after the fifth.
#[test]
fn the_largest_alpha_comes_back_after_theta_round_trips() {
    let mut rounds = Rounds::new(&avoiding("illinois", 100));
    rounds.windows([RTT, RTT, 200]);
    for _ in 0..5 {
        let before = rounds.cwnd();
        rounds.round();
        close(rounds.cwnd(), grown(before, 0.3));
    }
    let before = rounds.cwnd();
    rounds.round();
    close(rounds.cwnd(), grown(before, 10.0));
}

#[test]
fn a_window_below_the_threshold_is_renos() {
    let mut rounds = Rounds::new(&avoiding("illinois", 10));
    let [first, second] = rounds.windows([RTT; 2]);
    close(first, grown(10.0, 1.0));
    close(second, grown(first, 1.0));
    rounds.lose();
    close(rounds.ssthresh(), second / 2.0);
}
