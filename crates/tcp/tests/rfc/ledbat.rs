//! LEDBAT++: draft-irtf-iccrg-ledbat-plus-plus, section 4, with a least round trip of 100 ms: GAIN = 1 / ceil(120 / 100) =
//! 1/2.

use crate::rfc::rounds::{RTT, Rounds, avoiding};
use airtcp_tcp::SenderConfig;

fn starting(window: u32) -> Rounds {
    let config = avoiding("ledbat++", window);
    Rounds::new(&SenderConfig { ssthresh: u32::MAX, ..config })
}

/// The very first ACK finds no round trip: 1/16.
#[test]
fn section_4_1_slow_start_grows_by_half_per_round_trip() {
    let windows = starting(20).windows([RTT; 2]);
    assert_eq!(windows, [20.0 + 1.0 / 16.0 + 19.0 / 2.0, 29.5625 + 29.0 / 2.0]);
}

/// 140 ms are 40 ms of queue, 150 ms are 50: above three quarters of 60.
#[test]
fn section_4_1_the_first_slow_start_ends_at_three_quarters_of_the_target() {
    let mut rounds = starting(20);
    rounds.windows([RTT, 140]);
    assert!(rounds.cwnd() < rounds.ssthresh());
    rounds.round_of(150);
    let (cwnd, ssthresh) = rounds.script.window();
    assert!(cwnd >= ssthresh && ssthresh < 100.0, "{cwnd}, {ssthresh}");
}

#[test]
fn section_4_2_below_the_target_half_a_segment_per_round_trip() {
    let mut rounds = Rounds::new(&avoiding("ledbat++", 20));
    rounds.round();
    let before = rounds.cwnd();
    rounds.round_of(150);
    assert!((rounds.cwnd() - before - 0.5).abs() < 0.02, "{} of {before}", rounds.cwnd());
}

/// 66 ms of queue are a tenth above the target: a tenth of the window less, but for half a segment.
#[test]
fn section_4_3_above_the_target_the_window_shrinks_in_proportion() {
    let mut rounds = Rounds::new(&avoiding("ledbat++", 40));
    rounds.round();
    let before = rounds.cwnd();
    rounds.round_of(166);
    let (found, expected) = (rounds.cwnd(), 0.905 * before + 0.5); // ACK by ACK: exp(-0.1)
    assert!((found - expected).abs() < 0.5, "{found} and {expected} of {before}");
}

/// The first slow start is over at the first ACK, at 100 ms. A slowdown begins at 300 ms: two segments for 200 ms, then 3,
/// 4.5, 6.5, 9.5, 14, and the window before at 1000 ms, which the next ACK finds at 1100 ms. It took 800 ms: the next
/// begins 7200 ms later.
#[test]
fn section_4_4_slowdowns() {
    let mut rounds = Rounds::new(&avoiding("ledbat++", 20));
    let seen: Vec<f64> = (0..120)
        .map(|_| {
            rounds.round();
            rounds.cwnd()
        })
        .collect();
    let low: Vec<usize> = (0..seen.len()).filter(|at| seen[*at] == 2.0).collect();
    let round = |ms: usize| ms / 100 - 1;
    assert_eq!(low, [300, 400, 8300, 8400].map(round));
    assert_eq!(seen[4..9], [3.0, 4.5, 6.5, 9.5, 14.0]);
    assert_eq!(seen[round(1000)], seen[round(200)], "as before");
}
