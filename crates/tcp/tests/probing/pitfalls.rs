//! Rules that are easily got wrong [lahanas reading, section 6].

use crate::probing::script::{MSS, PROBING, Script, config, ms};
use airtcp_tcp::{SenderConfig, Variant};

#[test]
fn answers_to_probes_are_no_duplicates_outside_a_cycle_either() {
    let mut script = Script::timed_out(&config(Variant::TahoeProbing));
    assert_eq!(script.timeout(), "P1");
    script.probe([50, 50], 1);
    for _ in 0..4 {
        assert_eq!(script.answer_to(0, 1), "");
    }
    assert_eq!((script.sender.view().dupacks, script.sender.is_probing()), (0, false));
    assert_eq!(script.answer_to(0, 4), "9 10 11", "what it acknowledges counts");
}

#[test]
fn time_is_not_measured_over_a_probe_that_was_sent_again() {
    let mut script = Script::timed_out(&config(Variant::TahoeProbing));
    assert_eq!(script.timeout(), "P1");
    // From the last transmission it takes 90 ms, from the first 1090.
    assert_eq!(script.after(90).answer(1), "P2");
    assert_eq!(script.timeout(), "P2");
    assert_eq!(script.after(90).answer(1), "1 2 3 4 5 6 7 8", "both were good");
}

#[test]
fn the_best_round_trip_is_measured_on_a_fine_clock() {
    // 100 ms and 101 ms are the same number of ticks.
    for (time, cwnd) in [(100, 8125), (101, 1000)] {
        let mut script = Script::timed_out(&config(Variant::TahoeProbing));
        script.probe([time, time], 1);
        assert_eq!(script.window().0, cwnd, "{time} ms");
    }
}

#[test]
fn probes_do_not_count_as_best_round_trips() {
    let mut script = Script::duplicates(&config(Variant::TahoeProbing));
    script.probe([10, 10], 1);
    assert_eq!(script.timeout(), "P1");
    script.probe([100, 100], 1);
    assert_eq!(script.window().0, 8125, "100 ms is still as good as the best");
}

#[test]
fn no_round_trip_is_measured_across_a_cycle() {
    let mut script = Script::duplicates(&config(Variant::TahoeProbing));
    // 8 was timed from 100 ms on; were its ACK at 111 ms a sample, 11 ms would be the best.
    assert_eq!(script.at(111).ack(9), "");
    script.probe([99, 100], 9);
    assert_eq!(script.window().0, 8125);
}

#[test]
fn before_any_round_trip_nothing_is_good() {
    let mut script = Script::new(&config(Variant::TahoeProbing));
    script.send();
    assert_eq!(script.timeout(), "P1");
    assert_eq!(script.probe([1, 1], 0), "0");
    assert_eq!(script.window(), (1000, 4000));
}

#[test]
fn halves_are_of_the_smaller_window() {
    for variant in PROBING {
        // 20 segments of congestion window, of which 8 fit.
        let config = SenderConfig { initial_window: 20, ..config(variant) };
        let mut script = Script::new(&config);
        script.send();
        script.at(100).ack(1);
        assert_eq!(script.timeout(), "P1");
        script.probe([101, 101], 1);
        assert_eq!(script.window(), (1000, 4000), "{variant:?}");
    }
}

/// IR after a timeout sends a window of which the receiver has all but one: two stragglers from
/// before it make no third duplicate.
#[test]
fn duplicates_from_before_a_decision_do_not_count_after_it() {
    let mut script = Script::timed_out(&config(Variant::TahoeProbing));
    script.ack(1);
    script.ack(1);
    script.probe([50, 50], 1);
    assert_eq!([script.ack(1), script.ack(1)], ["", ""]);
    assert!(!script.sender.is_probing());
}

#[test]
fn the_first_timeout_takes_from_one_tick_to_two() {
    for (boot, timeout) in [(0, 1000), (1, 999), (250, 750), (499, 501)] {
        let clock = (ms(500), ms(boot));
        let config = SenderConfig::bsd(Variant::Tahoe, 8, MSS, 20, clock);
        let mut script = Script::new(&config);
        assert_eq!(script.send(), "0");
        assert_eq!(script.timer(), Some(timeout), "phase {boot} ms");
    }
}
