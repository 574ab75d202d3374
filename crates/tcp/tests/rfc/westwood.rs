//! Westwood+: the filter and the threshold of Grieco and Mascolo 2004, worked by hand.

use crate::rfc::rounds::{RTT, Rounds, avoiding};

/// Ten segments in the first round trip, then 11, 12 and 13 of 100 ms: samples of 100, 110, 120 and 130 segments per
/// second, so `b = 100`, `0.9 x 100 + 0.1 x 110 = 101`, `0.9 x 101 + 12 = 102.9`, `0.9 x 102.9 + 13 = 105.61`; times 0.1 s.
const THRESHOLD: f64 = 10.561;

fn four_rounds() -> Rounds {
    let mut rounds = Rounds::new(&avoiding("westwood", 10));
    assert_eq!(rounds.windows([RTT; 4]), [11.0, 12.0, 13.0, 14.0], "Reno's growth");
    rounds
}

#[test]
fn three_duplicates_leave_what_the_path_delivers_in_the_least_round_trip() {
    let mut rounds = four_rounds();
    rounds.lose();
    assert!((rounds.ssthresh() - THRESHOLD).abs() < 1e-9, "{}", rounds.ssthresh());
    assert!((rounds.cwnd() - THRESHOLD).abs() < 1e-9, "{}", rounds.cwnd());
}

/// The last of the samples is not there yet.
#[test]
fn a_timeout_leaves_the_same_as_threshold_and_a_window_of_one() {
    let mut rounds = four_rounds();
    rounds.script.timeout();
    let (cwnd, ssthresh) = rounds.script.window();
    assert_eq!(cwnd, 1.0);
    assert!((ssthresh - 10.29).abs() < 1e-9, "{ssthresh}");
}

#[test]
fn before_the_first_sample_a_loss_leaves_half() {
    let mut rounds = Rounds::new(&avoiding("westwood", 10));
    rounds.lose();
    assert_eq!(rounds.ssthresh(), 5.0);
}

/// A queue lengthens the round trip and not the product: at 200 ms the path delivers 14 segments in 0.2 s.
#[test]
fn a_queue_is_not_part_of_the_product() {
    let mut rounds = four_rounds();
    for _ in 0..60 {
        rounds.round_of(200);
    }
    let window = rounds.cwnd();
    rounds.lose();
    let share = rounds.ssthresh() / window;
    assert!((0.4..0.55).contains(&share), "about RTTmin / RTT: {share}");
}
