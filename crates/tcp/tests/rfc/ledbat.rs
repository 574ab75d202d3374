//! LEDBAT++: draft-irtf-iccrg-ledbat-plus-plus, section 4, with a least round trip of 100 ms: GAIN = 1 / ceil(120 / 100) = 1/2.

use crate::rounds::{RTT, Rounds, avoiding};
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

/// The first slow start is over at once; the slowdown comes two round trips later, lasts for two at two segments, and the way back up; the
/// next comes nine times as long after its end.
#[test]
fn section_4_4_slowdowns() {
    let mut rounds = Rounds::new(&avoiding("ledbat++", 20));
    let mut seen = vec![];
    for _ in 0..120 {
        rounds.round();
        seen.push(rounds.cwnd());
    }
    eprintln!("SEEN {seen:?}");
    let low: Vec<usize> = (0..seen.len()).filter(|at| seen[*at] == 2.0).collect();
    assert_eq!(low[..2], [2, 3], "two round trips after the first ACK, for two: {seen:?}");
    let back = (4..).find(|at| seen[*at] >= 20.0).expect("it comes back");
    let next = low.iter().copied().find(|at| *at > 3).expect("another one");
    let length = back - 2;
    assert!(next.abs_diff(back + 9 * length) <= 10, "{low:?}, back at {back}");
}
