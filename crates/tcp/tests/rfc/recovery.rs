//! RFC 3042, RFC 5681 3.1 and 3.2, RFC 6582, and Tahoe.

use crate::rfc::script::{MSS, Script, config};
use airtcp_tcp::{CongestionSpec, Cubic, SenderConfig, Variant, rfc5681_initial_window};

const FAST: [Variant; 3] = [Variant::Tahoe, Variant::Reno, Variant::NewReno];

/// Packets 0 to 10 are sent, 0 is acknowledged; the window is 10 in congestion avoidance.
fn under_way(variant: Variant) -> Script {
    let mut script = Script::new(&config(variant));
    assert_eq!(script.send(), "0 1 2 3 4 5 6 7 8 9");
    assert_eq!(script.at(100).ack(1), "10");
    script
}

/// A transfer under way with `n` duplicate ACKs.
fn duplicates(variant: Variant, n: usize) -> Script {
    let mut script = under_way(variant);
    for _ in 0..n {
        script.ack(1);
    }
    script
}

#[test]
fn initial_window_of_rfc5681() {
    let windows = [536, 1095, 1096, 1460, 2190, 2191, 8960].map(rfc5681_initial_window);
    assert_eq!(windows, [4, 4, 3, 3, 3, 2, 2]);
}

#[test]
fn rfc3042_one_new_segment_on_each_of_the_first_two_duplicates() {
    for variant in FAST {
        let mut script = under_way(variant);
        assert_eq!(script.ack(1), "11", "{variant:?}");
        assert_eq!(script.ack(1), "12");
        assert_eq!(script.window(), (10.0, 10.0), "the window itself is not changed");
    }
}

#[test]
fn rfc3042_the_receivers_window_must_allow_it() {
    let mut script = Script::new(&SenderConfig { window: 11, ..config(Variant::Reno) });
    script.send();
    assert_eq!(script.at(100).ack(1), "10");
    assert_eq!([script.ack(1), script.ack(1)], ["11", ""]);
}

#[test]
fn without_limited_transmit_duplicates_send_nothing() {
    let config = SenderConfig { limited_transmit: false, ..config(Variant::Reno) };
    let mut script = Script::new(&config);
    script.send();
    script.at(100).ack(1);
    assert_eq!([script.ack(1), script.ack(1), script.ack(1)], ["", "", "1"]);
    assert_eq!(script.window(), (8.0, 5.0));
}

#[test]
fn rfc5681_3_2_fast_retransmit_and_fast_recovery() {
    let mut script = duplicates(Variant::Reno, 2);
    // Twelve segments are out, ten without limited transmit: ssthresh = 5, cwnd = 5 + 3.
    assert_eq!(script.ack(1), "1", "step 3");
    assert_eq!(script.window(), (8.0, 5.0), "step 2: limited transmit is not in the flight");
    let sent: Vec<String> = (4..=11).map(|_| script.ack(1)).collect();
    assert_eq!(sent, ["", "", "", "", "13", "14", "15", "16"], "steps 4 and 5");
    assert_eq!(script.window(), (16.0, 5.0));
    assert_eq!(script.at(200).ack(13), "17", "step 6: four out of five");
    assert_eq!(script.window(), (5.0, 5.0));
}

#[test]
fn rfc5681_3_1_at_least_two_segments() {
    let mut script = Script::new(&SenderConfig { initial_window: 3, ..config(Variant::Reno) });
    script.send();
    assert_eq!(script.timeout(), "0");
    assert_eq!(script.window(), (1.0, 2.0));
}

#[test]
fn rfc5681_3_1_the_threshold_is_held_when_the_timer_resends_the_same_segment() {
    for variant in FAST.into_iter().chain([Variant::Sack]) {
        let mut script = under_way(variant);
        let windows: Vec<_> = (0..3)
            .map(|_| {
                assert_eq!(script.timeout(), "1");
                script.window()
            })
            .collect();
        assert_eq!(windows, [(1.0, 5.0); 3], "{variant:?}");
        assert_eq!(script.ack(2), "2 3", "slow start from the loss window");
        script.timeout();
        assert_eq!(script.window(), (1.0, 2.0), "another segment: half of what is out");
    }
}

#[test]
fn tahoe_goes_back_with_a_window_of_one_segment() {
    let mut script = duplicates(Variant::Tahoe, 2);
    assert_eq!(script.ack(1), "1");
    assert_eq!(script.window(), (1.0, 5.0));
    assert_eq!([script.ack(1), script.ack(1)], ["", ""], "nothing on further duplicates");
    assert_eq!(script.ack(4), "4 5");
    assert_eq!(script.window(), (2.0, 5.0), "slow start");
}

#[test]
fn tahoe_does_not_take_the_duplicates_of_what_it_resends_for_a_loss() {
    let mut script = duplicates(Variant::Tahoe, 3);
    assert_eq!(script.at(200).ack(2), "2 3");
    assert_eq!(script.ack(6), "6 7 8", "2 was missing, 3 to 5 were not");
    // 3 was there already, and 7 and 8 are: three duplicates and no loss.
    assert_eq!([script.ack(6), script.ack(6), script.ack(6)], ["", "", ""]);
    assert_eq!(script.sender.counters().fast_retransmits, 1);
    assert_eq!(script.at(300).ack(13), "13 14 15 16");
    script.ack(14);
    for _ in 0..3 {
        script.ack(14);
    }
    assert_eq!(script.sender.counters().fast_retransmits, 2, "beyond all that was sent before");
}

#[test]
fn rfc6582_partial_acks_resend_the_next_hole_and_deflate() {
    // 1, 3 and 5 of 1 to 12 are lost: nine duplicates.
    let mut script = duplicates(Variant::NewReno, 2);
    assert_eq!(script.ack(1), "1");
    assert_eq!(script.window(), (8.0, 5.0));
    let sent: Vec<String> = (4..=9).map(|_| script.ack(1)).collect();
    assert_eq!(sent, ["", "", "", "", "13", "14"]);
    assert_eq!(script.window(), (14.0, 5.0));
    // Two segments acknowledged, one back: 13; twelve are out and the next one goes.
    assert_eq!(script.at(200).ack(3), "3 15");
    assert_eq!(script.window(), (13.0, 5.0));
    // 13 and 14 arrive: two more duplicates.
    assert_eq!([script.ack(3), script.ack(3)], ["16", "17"]);
    assert_eq!(script.at(300).ack(5), "5 18");
    assert_eq!(script.window(), (14.0, 5.0));
    // Full ACK, recover = 12: 13 to 18 are out, min(5, 6 + 1).
    assert_eq!(script.at(400).ack(13), "");
    assert_eq!(script.window(), (5.0, 5.0));
}

#[test]
fn rfc6582_a_full_ack_with_little_outstanding_does_not_open_a_burst() {
    let mut script = duplicates(Variant::NewReno, 3);
    // Everything is acknowledged: min(5, max(0, 1) + 1).
    assert_eq!(script.at(200).ack(13), "13 14");
    assert_eq!(script.window(), (2.0, 5.0));
}

#[test]
fn rfc6582_no_second_fast_retransmit_until_recover_is_passed() {
    let mut script = under_way(Variant::NewReno);
    assert_eq!(script.timeout(), "1");
    // Step 4: recover = 10. Duplicates of packets sent before the timeout.
    assert_eq!(script.ack(4), "4 5");
    for _ in 0..6 {
        script.ack(4);
    }
    assert_eq!(script.sender.counters().fast_retransmits, 0);
    // The ACK reaches recover without passing it: still none.
    script.ack(11);
    for _ in 0..3 {
        script.ack(11);
    }
    assert_eq!(script.sender.counters().fast_retransmits, 0);
    script.ack(12);
    for _ in 0..3 {
        script.ack(12);
    }
    assert_eq!(script.sender.counters().fast_retransmits, 1);
}

#[test]
fn rfc6582_step_1_the_first_segment_is_not_beyond_recover() {
    for (variant, expected) in [(Variant::Reno, 1), (Variant::NewReno, 0), (Variant::Sack, 0)] {
        let mut script = Script::new(&config(variant));
        script.send();
        for _ in 0..4 {
            script.at(100).ack(0);
        }
        assert_eq!(script.sender.counters().fast_retransmits, expected, "{variant:?}");
    }
}

#[test]
fn rfc5681_reno_leaves_recovery_on_a_partial_ack() {
    let mut script = duplicates(Variant::Reno, 11);
    assert_eq!(script.at(200).ack(3), "", "3 is lost too: the window is 5, thirteen are out");
    assert_eq!(script.window(), (5.0, 5.0));
    // Its duplicates, from 13 to 16: two losses in a row lower the threshold twice (4.3), though
    // fourteen segments are not acknowledged.
    for _ in 0..3 {
        script.ack(3);
    }
    assert_eq!(script.window(), (5.5, 2.5));
}

#[test]
fn rfc5681_4_3_a_timeout_in_recovery_halves_the_uninflated_window() {
    for variant in [Variant::Reno, Variant::NewReno] {
        let mut script = duplicates(variant, 11);
        assert_eq!(script.window(), (16.0, 5.0));
        assert_eq!(script.timeout(), "1");
        assert_eq!(script.window(), (1.0, 2.5), "{variant:?}");
    }
}

#[test]
fn rfc9438_4_6_nor_does_a_timeout_in_recovery_raise_the_threshold_of_cubic() {
    for variant in [Variant::Reno, Variant::NewReno] {
        let config = SenderConfig {
            growth: CongestionSpec::Cubic(Cubic::default()).into(),
            ..config(variant)
        };
        let mut script = Script::new(&config);
        script.send();
        script.at(100);
        for _ in 0..11 {
            script.ack(1);
        }
        // 0.7 of all that is outstanding would be a threshold above the window of the first loss.
        assert!(script.sender.view().flight_size() > 14 * u64::from(MSS));
        let (_, before) = script.window();
        assert_eq!(script.timeout(), "1");
        assert!((script.window().1 - 0.7 * before).abs() < 1e-6, "{:?}", script.window());
    }
}

#[test]
fn rfc5681_4_1_after_an_idle_time_the_window_starts_again() {
    let data = 40 * u64::from(MSS);
    let config = SenderConfig { ssthresh: u32::MAX, initial_window: 4, ..config(Variant::Reno) };
    let mut script = Script::finite(&config, data);
    script.send();
    let mut acked = 0;
    for round in 1.. {
        let high = script.sender.view().high / u64::from(MSS);
        if acked == high {
            break;
        }
        for next in acked + 1..=high {
            script.at(100 * round).ack(next);
        }
        acked = high;
    }
    let (grown, _) = script.window();
    assert!(grown > 16.0);
    script.sender.write(data);
    assert_eq!(script.at(1200).send().split(' ').count(), grown as usize, "within a timeout");
    let high = script.sender.view().high / u64::from(MSS);
    for next in acked + 1..=high {
        script.at(1300).ack(next);
    }
    let all = script.sender.view().high / u64::from(MSS);
    script.ack(all);
    script.sender.write(data);
    assert_eq!(script.at(5000).send().split(' ').count(), 4, "after more than a timeout");
}
