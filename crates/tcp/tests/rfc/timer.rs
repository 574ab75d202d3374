//! RFC 6298, and what RFC 5681 and 6582 say about the timer.

use crate::rfc::script::{MSS, Script, config, ms};
use airtcp_core::{Instant, Span};
use airtcp_tcp::{Sender, SenderConfig, TimerConfig, Variant};

/// Bounds that do not hide the arithmetic.
fn bare() -> SenderConfig {
    let timer = TimerConfig::Rfc6298 {
        initial: ms(1000),
        margin: Span::ZERO,
        least: Span::ZERO,
        most: ms(60_000),
    };
    SenderConfig { timer, ..config(Variant::NewReno) }
}

/// A window of one segment: every segment is timed.
fn one_at_a_time() -> Script {
    Script::new(&SenderConfig { window: 1, ..bare() })
}

fn estimate(script: &Script) -> (f64, f64, f64) {
    let estimate = script.sender.rtt_estimate();
    (estimate.srtt, estimate.rttvar, estimate.rto.seconds())
}

#[test]
fn clause_2_1_one_second_before_the_first_sample() {
    let mut script = Script::new(&bare());
    assert_eq!(script.timer(), None);
    script.send();
    assert_eq!(script.timer(), Some(1000.0), "5.1: started by the first segment");
    assert!(script.sender.rtt_estimate().srtt.is_nan());
}

#[test]
fn clauses_2_2_and_2_3_worked() {
    let mut script = one_at_a_time();
    script.send();
    script.at(200).ack(1);
    assert_eq!(estimate(&script), (0.2, 0.1, 0.6));
    // RTTVAR = 3/4 0.1 + 1/4 |0.2 - 0.3|, then SRTT = 7/8 0.2 + 1/8 0.3.
    script.at(500).ack(2);
    assert_eq!(estimate(&script), (0.2125, 0.1, 0.6125));
    // RTTVAR = 0.075 + 1/4 |0.2125 - 0.1125|, SRTT = 0.1859375 + 0.0140625.
    script.at(500).at(612).ack(3);
    let (srtt, rttvar, rto) = estimate(&script);
    assert!((srtt - (7.0 * 0.2125 + 0.112) / 8.0).abs() < 1e-8);
    assert!((rttvar - (3.0 * 0.1 + 0.1005) / 4.0).abs() < 1e-8);
    assert!((rto - (srtt + 4.0 * rttvar)).abs() < 1e-8);
}

#[test]
fn clause_2_3_the_variation_counts_for_at_least_the_granularity() {
    let mut script = one_at_a_time();
    script.send();
    for n in 1..100 {
        script.at(100 * n).ack(n as u64);
    }
    let estimate = script.sender.rtt_estimate();
    assert_eq!(estimate.rto, Span::from_nanos(100_000_001));
}

#[test]
fn clause_2_4_at_least_one_second() {
    let mut script = Script::new(&config(Variant::NewReno));
    script.send();
    script.at(100).ack(1);
    assert_eq!(script.timer(), Some(1000.0));
}

#[test]
fn clauses_5_4_to_5_6_doubling_up_to_the_maximum() {
    let mut script = Script::new(&config(Variant::NewReno));
    script.send();
    let mut lengths = vec![];
    for _ in 0..9 {
        assert_eq!(script.timeout(), "0", "5.4: the earliest segment");
        lengths.push(script.timer().expect("5.6: started again"));
    }
    let expected = [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0, 60.0].map(|s| s * 1e3);
    assert_eq!(lengths, expected);
}

#[test]
fn clauses_5_2_and_5_3_new_data_restarts_all_of_it_stops() {
    let mut script = Script::finite(&config(Variant::NewReno), 3 * u64::from(MSS));
    assert_eq!(script.send(), "0 1 2");
    script.at(400).ack(1);
    assert_eq!(script.timer(), Some(1000.0 + 200.0), "5.3: SRTT 0.4, RTTVAR 0.2");
    script.at(500).ack(1);
    assert_eq!(script.timer(), Some(1100.0), "a duplicate ACK does not restart it");
    script.at(600).ack(3);
    assert_eq!(script.timer(), None, "5.2");
}

#[test]
fn karn_no_sample_from_a_retransmission_and_backoff_until_the_next_one() {
    let mut script = one_at_a_time();
    script.send();
    script.at(200).ack(1);
    assert_eq!(script.timeout(), "1");
    assert_eq!(script.timer(), Some(1200.0), "twice 0.6 s");
    script.at(900).ack(2);
    assert_eq!(estimate(&script), (0.2, 0.1, 0.6), "ambiguous: no sample");
    assert_eq!(script.timer(), Some(1200.0), "still backed off");
    script.at(1100).ack(3);
    assert_eq!(script.sender.rtt_estimate().backoff, 1);
    assert_eq!(script.timer(), Some(500.0), "0.2 + 4 x 0.075: collapsed by a sample");
}

#[test]
fn nothing_is_timed_across_a_fast_retransmit_and_the_timer_goes_on() {
    let mut script = Script::new(&bare());
    script.send();
    script.at(100).ack(1);
    assert_eq!(script.timer(), Some(300.0));
    script.at(150);
    for _ in 0..3 {
        script.ack(1);
    }
    assert_eq!(script.sender.counters().fast_retransmits, 1);
    assert_eq!(script.timer(), Some(250.0), "no RFC restarts it here");
    // The ACK of the repair covers packet 10, which was being timed.
    script.at(260).ack(13);
    assert_eq!(estimate(&script), (0.1, 0.05, 0.3));
}

#[test]
fn rfc6582_step_3_only_the_first_partial_ack_restarts_the_timer() {
    let mut script = Script::new(&bare());
    script.send();
    script.at(100).ack(1);
    for _ in 0..3 {
        script.ack(1);
    }
    script.at(200).ack(3);
    assert_eq!(script.timer(), Some(300.0), "first partial ACK");
    script.at(250).ack(5);
    assert_eq!(script.timer(), Some(250.0), "second partial ACK: impatient");
}

#[test]
fn clause_2_3_the_margin_is_a_floor_of_the_deviation_alone() {
    let timer = TimerConfig::Rfc6298 {
        initial: ms(1000),
        margin: ms(150),
        least: Span::ZERO,
        most: ms(60_000),
    };
    let mut script = Script::new(&SenderConfig { window: 1, timer, ..bare() });
    script.send();
    script.at(20).ack(1); // SRTT = 20, RTTVAR = 10.
    assert_eq!(estimate(&script), (0.02, 0.01, 0.17));
    script.at(160).ack(2); // RTTVAR = 3/4 10 + 1/4 |20 - 140|, SRTT = 7/8 20 + 1/8 140.
    assert_eq!(estimate(&script), (0.035, 0.0375, 0.185), "four deviations are as much");
    script.at(300).ack(3); // RTTVAR = 3/4 37.5 + 1/4 |35 - 140|, SRTT = 7/8 35 + 1/8 140.
    assert_eq!(estimate(&script), (0.048_125, 0.054_375, 0.265_625), "four deviations are more");
}

#[test]
fn clause_5_5_backing_off_never_runs_over() {
    let (nano, hour) = (Span::from_nanos(1), Span::from_nanos(3_600_000_000_000));
    let timer = TimerConfig::Rfc6298 { initial: nano, margin: Span::ZERO, least: nano, most: hour };
    let mut sender = Sender::new(&SenderConfig { timer, ..bare() }).expect("defined");
    sender.write(1);
    assert!(sender.poll_transmit(Instant::START).is_some());
    let mut last = Span::ZERO;
    for _ in 0..100 {
        let now = sender.poll_timeout();
        sender.on_timer(now);
        assert!(sender.poll_transmit(now).is_some(), "every timeout resends");
        let length = sender.poll_timeout() - now;
        assert!(length >= last && length > Span::ZERO, "{length:?} after {last:?}");
        last = length;
    }
}
