//! RFC 5682 2.1 and 3.1, RFC 3522 3.2 and RFC 4015 3.2, step by step.

use crate::rfc::script::{MSS, Script, classic, config, ms};
use airtcp_core::Span;
use airtcp_tcp::{SenderConfig, Spurious, TimerConfig, Variant};

const WATCHED: [Spurious; 2] = [Spurious::FRto, Spurious::Eifel];
const BASIC: [Variant; 3] = [Variant::Tahoe, Variant::Reno, Variant::NewReno];

/// Segments 1 to 10 are out, the window is 10 in congestion avoidance; the timer has just resent 1.
fn timed_out(config: &SenderConfig) -> Script {
    let mut script = Script::new(config);
    script.send();
    assert_eq!(script.at(100).echoing(0).ack(1), "10");
    assert_eq!(script.timeout(), "1");
    assert_eq!(script.window(), (1.0, 5.0));
    script
}

fn with(spurious: Spurious, variant: Variant) -> SenderConfig {
    SenderConfig { spurious, ..config(variant) }
}

fn f_rto(variant: Variant) -> Script {
    timed_out(&with(Spurious::FRto, variant))
}

fn spurious(script: &Script) -> u64 {
    script.sender.counters().spurious
}

#[test]
fn without_a_watch_a_late_window_is_sent_again() {
    for variant in classic() {
        let mut script = timed_out(&with(Spurious::None, variant));
        assert_eq!(script.ack(2), "2 3", "{variant:?}");
        assert_eq!(script.ack(3), "4 5");
    }
}

#[test]
fn only_the_rfcs_watch() {
    for spurious in WATCHED {
        let second = Span::from_nanos(1_000_000_000);
        let ideal = SenderConfig::idealized(Variant::Reno, 8, second, 1);
        assert!(airtcp_tcp::Sender::new(&SenderConfig { spurious, ..ideal }).is_none());
    }
}

// RFC 5682

#[test]
fn rfc5682_3b_two_acks_that_move_the_window() {
    for variant in classic() {
        let mut script = f_rto(variant);
        assert_eq!(script.ack(2), "11 12", "{variant:?}: step 2b, two new segments");
        assert_eq!((script.window(), spurious(&script)), ((2.0, 5.0), 0));
        // Ten are out, one was acknowledged: cwnd = 10 + 1; pipe_prev = max(10, 10).
        assert_eq!(script.ack(3), "13", "{variant:?}: step 3b");
        assert_eq!((script.window(), spurious(&script)), ((11.0, 10.0), 1));
        assert_eq!(script.ack(4), "14");
        assert_eq!(script.sender.counters().retransmissions, 1);
    }
}

#[test]
fn rfc5682_2a_a_duplicate_first() {
    for variant in BASIC {
        let mut script = f_rto(variant);
        assert_eq!(script.ack(1), "");
        assert_eq!(script.ack(2), "2 3", "{variant:?}: slow start over what is unacknowledged");
        assert_eq!(script.ack(3), "4 5");
        assert_eq!(spurious(&script), 0);
    }
}

#[test]
fn rfc5682_2a_everything_is_acknowledged() {
    for variant in classic() {
        let mut script = f_rto(variant);
        assert_eq!(script.ack(11), "11 12", "{variant:?}");
        assert_eq!(script.window(), (2.0, 5.0));
        assert_eq!(script.ack(12), "13 14", "slow start goes on");
        assert_eq!(spurious(&script), 0);
    }
}

#[test]
fn rfc5682_2b_nothing_new_to_send() {
    for variant in classic() {
        let config = with(Spurious::FRto, variant);
        let mut script = Script::finite(&config, 11 * u64::from(MSS));
        script.send();
        script.at(100).ack(1);
        assert_eq!(script.timeout(), "1");
        assert_eq!(script.ack(2), "2 3", "{variant:?}");
        assert_eq!(script.ack(3), "4 5");
        assert_eq!(spurious(&script), 0);
    }
}

#[test]
fn rfc5682_2b_room_for_one_segment_at_the_receiver() {
    for variant in classic() {
        let config = with(Spurious::FRto, variant);
        let mut script = Script::new(&SenderConfig { window: 9, initial_window: 9, ..config });
        script.send();
        assert_eq!(script.at(100).ack(1), "9");
        assert_eq!(script.timeout(), "1");
        assert_eq!([script.ack(2), script.ack(3)], ["10", "11"], "{variant:?}");
        assert_eq!(spurious(&script), 1);
    }
}

#[test]
fn rfc5682_3a_a_duplicate_second() {
    for variant in BASIC {
        let mut script = f_rto(variant);
        assert_eq!(script.ack(5), "11 12", "{variant:?}: 1 was lost, and so is 5");
        assert_eq!(script.ack(5), "5 6 7", "step 3a: a window of three");
        assert_eq!((script.window(), spurious(&script)), ((3.0, 5.0), 0));
        assert_eq!(script.ack(11), "11 12 13 14");
    }
}

#[test]
fn rfc5682_1_no_second_watch_in_one_recovery() {
    for variant in classic() {
        let mut script = f_rto(variant);
        assert_eq!(script.ack(5), "11 12");
        assert_eq!(script.timeout(), "5", "{variant:?}: before step 3");
        assert_eq!(script.ack(6), "6 7", "slow start, not step 2");
        assert_eq!(script.ack(7), "8", "the threshold is two");
        assert_eq!(spurious(&script), 0);
    }
}

#[test]
fn rfc5682_1_the_same_segment_again_before_any_ack() {
    for variant in classic() {
        let mut script = f_rto(variant);
        assert_eq!(script.timeout(), "1");
        assert_eq!([script.ack(2), script.ack(3)], ["11 12", "13"], "{variant:?}");
        assert_eq!((script.window(), spurious(&script)), ((11.0, 10.0), 1));
    }
}

#[test]
fn a_new_spike_right_after_is_watched_again() {
    for variant in classic() {
        let mut script = f_rto(variant);
        script.ack(2);
        script.ack(3);
        assert_eq!(script.timeout(), "3");
        assert_eq!([script.ack(4), script.ack(5)], ["14 15", "16"], "{variant:?}");
        assert_eq!(spurious(&script), 2);
    }
}

#[test]
fn rfc5682_3_1_duplicates_before_the_first_new_ack_change_nothing() {
    let mut script = f_rto(Variant::Sack);
    assert_eq!(script.sack(1, &[(4, 5)]), "");
    assert_eq!([script.ack(2), script.ack(3)], ["11 12", "13"]);
    assert_eq!(spurious(&script), 1);
}

#[test]
fn rfc5682_3_1_3a_reports_beyond_the_recovery_point() {
    let mut script = f_rto(Variant::Sack);
    assert_eq!(script.sack(5, &[(6, 11)]), "11 12");
    assert_eq!(script.sack(5, &[(11, 12), (6, 11)]), "5 12 13", "go back, over reports");
    assert_eq!((script.window(), spurious(&script)), ((3.0, 5.0), 0));
}

#[test]
fn rfc5682_3_1_3a_a_duplicate_without_news() {
    let mut script = f_rto(Variant::Sack);
    assert_eq!(script.sack(5, &[(8, 9)]), "11 12");
    assert_eq!(script.sack(5, &[(8, 9)]), "5 6 7");
    assert_eq!(spurious(&script), 0);
}

#[test]
fn rfc5682_3_1_3b_a_report_of_what_was_not_sent_again() {
    let mut script = f_rto(Variant::Sack);
    assert_eq!(script.ack(2), "11 12");
    // 2 is missing, 3 has arrived late: eleven are out, none was acknowledged.
    assert_eq!(script.sack(2, &[(3, 4)]), "");
    assert_eq!((script.window(), spurious(&script)), ((11.0, 10.0), 1));
}

// RFC 3522

#[test]
fn rfc3522_4_an_echo_of_the_original() {
    for variant in classic() {
        let mut script = timed_out(&with(Spurious::Eifel, variant));
        // Nine are out, one was acknowledged: cwnd = 9 + 1.
        assert_eq!(script.echoing(1099).ack(2), "11", "{variant:?}");
        assert_eq!((script.window(), spurious(&script)), ((10.0, 10.0), 1));
        assert_eq!(script.sender.counters().retransmissions, 1);
    }
}

#[test]
fn rfc3522_4_an_echo_of_the_retransmission() {
    for variant in classic() {
        let mut script = timed_out(&with(Spurious::Eifel, variant));
        assert_eq!(script.echoing(1100).ack(2), "2 3", "{variant:?}: the timer expired at 1.1 s");
        assert_eq!(script.echoing(0).ack(3), "4 5", "the first ACK of new data decides");
        assert_eq!(spurious(&script), 0);
    }
}

#[test]
fn rfc3522_2_the_time_of_the_first_retransmission_stays() {
    for (echo, sent) in [(1099, "11"), (1100, "2 3")] {
        let mut script = timed_out(&with(Spurious::Eifel, Variant::NewReno));
        assert_eq!([script.timeout(), script.timeout()], ["1", "1"]);
        assert_eq!(script.echoing(echo).ack(2), sent);
    }
}

#[test]
fn rfc3522_3_duplicates_decide_nothing() {
    let mut script = timed_out(&with(Spurious::Eifel, Variant::NewReno));
    assert_eq!([script.ack(1), script.ack(2)], ["", "11"]);
    assert_eq!(spurious(&script), 1);
}

#[test]
fn rfc3522_5_an_ack_of_all_that_is_outstanding_decides_nothing() {
    let mut script = timed_out(&with(Spurious::Eifel, Variant::NewReno));
    assert_eq!(script.ack(11), "11 12");
    assert_eq!((script.window(), spurious(&script)), ((2.0, 5.0), 0));
}

#[test]
fn rfc3522_no_watch_begins_in_fast_recovery() {
    for spurious in WATCHED {
        let mut script = Script::new(&with(spurious, Variant::NewReno));
        script.send();
        script.at(100).ack(1);
        let sent = [script.ack(1), script.ack(1), script.ack(1)];
        assert_eq!(sent, ["11", "12", "1"]);
        assert_eq!(script.timeout(), "1");
        script.echoing(0).ack(2);
        script.ack(3);
        assert_eq!(script.sender.counters().spurious, 0, "{spurious:?}");
    }
}

// RFC 4015

#[test]
fn rfc4015_no_more_than_the_initial_window_at_once() {
    let config = SenderConfig { initial_window: 3, ssthresh: 3, ..config(Variant::NewReno) };
    let mut script = Script::new(&SenderConfig { spurious: Spurious::Eifel, ..config });
    script.send();
    for (next, at) in (1..=12).zip(100..) {
        script.at(at).ack(next);
    }
    let high = script.sender.view().high / u64::from(MSS);
    let (window, _) = script.window();
    assert!(window >= 5.0, "{window}");
    assert_eq!(script.timeout(), "12");
    // Five segments at once: cwnd = what is left + 3.
    script.ack(high - 1);
    assert_eq!(script.window(), (1.0 + 3.0, (high - 12) as f64));
}

#[test]
fn rfc4015_the_threshold_does_not_fall_below_what_it_was() {
    for spurious in WATCHED {
        let high = SenderConfig { ssthresh: 64, ..with(spurious, Variant::NewReno) };
        let mut script = Script::new(&high);
        script.send();
        script.at(100).ack(1);
        assert_eq!(script.timeout(), "1");
        script.ack(2);
        script.ack(3);
        assert_eq!(script.window().1, 64.0, "{spurious:?}: pipe_prev = max(FlightSize, ssthresh)");
    }
}

#[test]
fn rfc4015_the_timer_becomes_more_conservative() {
    let least = ms(1);
    let timer =
        TimerConfig::Rfc6298 { initial: ms(1000), margin: Span::ZERO, least, most: ms(60_000) };
    for (spurious, acks) in [(Spurious::FRto, vec![2, 3]), (Spurious::Eifel, vec![2])] {
        let mut script = Script::new(&SenderConfig { timer, ..with(spurious, Variant::NewReno) });
        script.send();
        script.at(100).ack(1); // SRTT = 100, RTTVAR = 50, RTO = 300.
        assert_eq!(script.timer(), Some(300.0));
        script.timeout(); // 400
        script.at(500).echoing(0);
        for next in acks {
            script.ack(next);
        }
        assert_eq!(script.timer(), Some(600.0), "{spurious:?}: backed off until there is a sample");
        // 11 was sent at 500. By RFC 6298: SRTT = 200, RTTVAR = 237.5.
        assert!(!script.at(1400).ack(12).is_empty());
        let estimate = script.sender.rtt_estimate();
        assert_eq!((estimate.srtt, estimate.rttvar), (0.9, 0.45), "{spurious:?}");
        assert_eq!(script.timer(), Some(2700.0));
        // 13 was sent at 500 or later; a shorter sample counts as ever.
        assert_eq!((estimate.backoff, estimate.rto), (1, ms(2700)));
    }
}

#[test]
fn rfc4015_a_shorter_sample_leaves_the_estimate_as_it_was() {
    let timer = TimerConfig::Rfc6298 {
        initial: ms(1000),
        margin: Span::ZERO,
        least: ms(1),
        most: ms(60_000),
    };
    let config = SenderConfig { timer, ..with(Spurious::Eifel, Variant::NewReno) };
    let mut script = Script::new(&config);
    script.send();
    script.at(100).ack(1);
    script.timeout();
    script.at(500).ack(2);
    script.at(550).ack(12);
    let estimate = script.sender.rtt_estimate();
    let srtt = 0.1 + 2e-9; // SRTT_prev = SRTT + 2 G, G = 1 ns
    assert_eq!((estimate.srtt, estimate.rttvar), (srtt, 0.05));
}

#[test]
fn a_loss_behind_a_spurious_timeout_is_repaired_by_duplicates() {
    for spurious in WATCHED {
        for variant in BASIC {
            let mut script = timed_out(&with(spurious, variant));
            script.echoing(0).ack(2);
            script.ack(3);
            script.ack(4); // 4 itself is lost
            let sent: Vec<String> = (0..3).map(|_| script.ack(4)).collect();
            assert!(sent[2].starts_with('4'), "{spurious:?} {variant:?}: {sent:?}");
            assert_eq!(script.sender.counters().fast_retransmits, 1);
        }
    }
}
