//! Veno: the estimate N and what follows from it [Fu and Liew 2003], worked by hand.

use crate::rfc::rounds::{RTT, Rounds, avoiding};

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-4, "{found} and {expected}");
}

/// The round trip is the least one: N = 0.
#[test]
fn a_loss_at_a_short_queue_leaves_four_fifths() {
    let mut rounds = Rounds::new(&avoiding("veno", 20));
    assert_eq!(rounds.windows([RTT; 2]), [21.0, 22.0], "Reno's growth");
    rounds.lose();
    close(rounds.ssthresh(), 0.8 * 22.0);
}

/// SRTT after rounds of 100, 200 and 200 ms: 100, 112.5, 123.4 ms. `N = 21 (1 - 100 / 112.5) = 2.3`, then
/// `22 (1 - 100 / 123.4) = 4.2`.
#[test]
fn a_loss_at_a_queue_of_three_segments_leaves_half() {
    let mut rounds = Rounds::new(&avoiding("veno", 20));
    assert_eq!(rounds.windows([RTT, 200, 200]), [21.0, 22.0, 22.0]);
    rounds.lose();
    assert_eq!(rounds.ssthresh(), 11.0);
}

#[test]
fn with_three_segments_in_queues_the_window_grows_every_other_round() {
    let mut rounds = Rounds::new(&avoiding("veno", 40));
    rounds.windows([RTT, 200, 200]);
    let from = rounds.cwnd();
    let windows = rounds.windows([200; 8]);
    assert_eq!(windows[7] - from, 4.0, "{windows:?}");
}

#[test]
fn a_timeout_leaves_half_at_any_queue() {
    let mut rounds = Rounds::new(&avoiding("veno", 20));
    rounds.round();
    rounds.script.timeout();
    assert_eq!(rounds.script.window(), (1.0, 10.5));
}

/// The least round trip of before is forgotten at a loss: what was a queue then is the path now.
#[test]
fn the_least_round_trip_is_sought_anew_after_a_loss() {
    let mut rounds = Rounds::new(&avoiding("veno", 40));
    rounds.round_of(20);
    rounds.lose();
    rounds.windows([RTT; 40]);
    let before = rounds.cwnd();
    rounds.lose();
    close(rounds.ssthresh(), 0.8 * before);
}
