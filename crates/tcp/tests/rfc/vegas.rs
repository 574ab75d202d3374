//! Vegas: slow start and the comparison of rates [Brakmo and Peterson 1995], worked by hand.

use crate::rfc::rounds::{RTT, Rounds, avoiding};
use airtcp_tcp::SenderConfig;

fn starting() -> Rounds {
    let config = avoiding("vegas", 2);
    Rounds::new(&SenderConfig { ssthresh: u32::MAX, ..config })
}

#[test]
fn slow_start_doubles_every_other_round_trip() {
    let windows = starting().windows([RTT; 7]);
    assert_eq!(windows, [4.0, 4.0, 8.0, 8.0, 16.0, 16.0, 32.0]);
}

/// `16 (1 - 100 / 105) = 0.76`, below gamma; `32 (1 - 100 / 105) = 1.5`, above it. The segment that shows it opens the
/// window once more.
#[test]
fn slow_start_ends_where_more_than_one_segment_waits() {
    let mut rounds = starting();
    rounds.windows([RTT; 4]);
    assert_eq!(rounds.windows([105; 4]), [16.0, 16.0, 32.0, 32.0]);
    rounds.round_of(105);
    assert_eq!(rounds.script.window(), (33.0, 33.0));
    assert_eq!(rounds.windows([105; 2]), [33.0; 2], "between alpha and beta");
}

/// From 20 segments: nothing waits at 100 ms; `23 (1 - 100 / 108) = 1.7` stays; at 118 ms `23 (1 - 100 / 118) = 3.5`, then
/// 3.4, 3.2 and, with 20, 3.05 are above beta, and with 19 2.9 are not.
#[test]
fn a_segment_more_below_alpha_one_less_above_beta() {
    let mut rounds = Rounds::new(&avoiding("vegas", 20));
    assert_eq!(rounds.windows([RTT; 3]), [21.0, 22.0, 23.0]);
    assert_eq!(rounds.windows([108; 3]), [23.0; 3]);
    let windows = rounds.windows([118; 8]);
    assert_eq!(windows, [22.0, 21.0, 20.0, 19.0, 19.0, 19.0, 19.0, 19.0]);
}

#[test]
fn the_window_shrinks_to_two_segments_at_least() {
    let mut rounds = Rounds::new(&avoiding("vegas", 20));
    rounds.round();
    for _ in 0..40 {
        rounds.round_of(900);
    }
    assert!(rounds.cwnd() >= 2.0 && rounds.cwnd() < 4.0, "{}", rounds.cwnd());
}

#[test]
fn a_loss_leaves_half_the_flight() {
    let mut rounds = Rounds::new(&avoiding("vegas", 20));
    rounds.lose();
    assert_eq!(rounds.script.window(), (10.0, 10.0));
}
