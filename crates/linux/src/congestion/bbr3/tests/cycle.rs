use super::super::probe::AckPhase;
use super::*;

/// An ACK in the cycle: whether it begins a round, and what is in flight.
fn ack(bbr: &mut Bbr3, w: &mut Window, ms: i64, round: bool, in_flight: u32) {
    let prior = bbr.rounds.next_delivered - u32::from(!round);
    let f = TcpSock { in_flight, cwnd_used: false, ..at(ms, bbr.rounds.next_delivered + 100) };
    bbr.cong_control(&f, w, &sample(prior, 100));
}

#[test]
fn down_ends_as_the_queue_is_empty_and_others_find_room() {
    let (mut bbr, mut w) = cruising(State::Down);
    ack(&mut bbr, &mut w, 1040, false, 101);
    assert_eq!(bbr.state, State::Down);
    assert_eq!(w.pacing_rate, (u64::from(BW) * 1448 * 90 / 100 * 990_000) >> 24);
    // 100 less 15 % of them.
    bbr.inflight_longterm = 100;
    let (mut early, mut v) = (bbr.clone(), w.clone());
    ack(&mut early, &mut v, 1041, false, 86);
    assert_eq!(early.state, State::Down);
    ack(&mut bbr, &mut w, 1041, false, 85);
    assert_eq!((bbr.state, w.pacing_rate), (State::Cruise, 3_583_796));
}

#[test]
fn the_clock_ends_cruise() {
    let (mut bbr, mut w) = cruising(State::Cruise);
    ack(&mut bbr, &mut w, 3500, false, 100);
    assert_eq!(bbr.state, State::Cruise);
    (bbr.short_term.bw, bbr.short_term.inflight) = (BW / 2, 60);
    (bbr.growth.rounds, bbr.cycle.precautionary) = (5, true);
    ack(&mut bbr, &mut w, 3501, false, 100);
    assert_eq!((bbr.state, bbr.cycle.ack_phase), (State::Refill, AckPhase::Refilling));
    // Limits that losses of others have lowered are forgotten.
    assert_eq!((bbr.short_term.bw, bbr.short_term.inflight, bbr.bw), (INFINITY, INFINITY, BW));
    assert_eq!((bbr.growth.rounds, bbr.cycle.precautionary), (0, false));
}

#[test]
fn a_down_that_does_not_empty_the_queue_ends_by_the_clock_too() {
    let (mut bbr, mut w) = cruising(State::Down);
    ack(&mut bbr, &mut w, 3501, false, 150);
    assert_eq!(bbr.state, State::Refill);
}

#[test]
fn reno_would_come_to_a_loss_after_as_many_rounds_as_the_pipe_has_packets() {
    for (bw, cwnd, rounds) in [(BW, 200, 63), (BW / 10, 200, 10), (BW, 30, 30)] {
        let (mut bbr, mut w) = cruising(State::Cruise);
        (bbr.bw, w.cwnd) = (bw, cwnd);
        bbr.rounds.since_probe = rounds - 1;
        assert!(!bbr.is_time_to_probe(&at(1040, 1), &w));
        bbr.rounds.since_probe = rounds;
        assert!(bbr.is_time_to_probe(&at(1040, 1), &w));
    }
}

#[test]
fn waits_are_drawn_between_2_and_3_seconds_and_62_and_63_rounds() {
    let (mut bbr, _) = started(1000);
    bbr.set_random(Stream::new(1, "flow0/control", 0));
    let (mut below, mut one) = (0, 0);
    for _ in 0..1000 {
        bbr.choose_probe_wait();
        assert!((2_000_000..3_000_000).contains(&bbr.cycle.wait_us) && bbr.rounds.since_probe < 2);
        below += u32::from(bbr.cycle.wait_us < 2_500_000);
        one += bbr.rounds.since_probe;
    }
    // 500 each; five standard deviations are 79.
    assert!((421..=579).contains(&below) && (421..=579).contains(&one), "{below} {one}");
}

#[test]
fn refill_lasts_a_round_and_up_follows() {
    let (mut bbr, mut w) = cruising(State::Refill);
    ack(&mut bbr, &mut w, 1040, false, 100);
    assert_eq!(bbr.state, State::Refill);
    ack(&mut bbr, &mut w, 1041, true, 100);
    assert_eq!((bbr.state, bbr.cycle.ack_phase), (State::Up, AckPhase::ProbeStarting));
    assert!(bbr.cycle.is_probe_sample);
    assert_eq!((bbr.full_bw.bw, bbr.full_bw.count), (BW, 0));
    assert_eq!(w.pacing_rate, 4_479_745);
    ack(&mut bbr, &mut w, 1081, true, 110);
    assert_eq!(bbr.cycle.ack_phase, AckPhase::ProbeFeedback);
}

/// A BBR in `ProbeBW_UP`, a round after it began.
fn probing() -> (Bbr3, Window) {
    let (mut bbr, mut w) = cruising(State::Refill);
    ack(&mut bbr, &mut w, 1041, true, 100);
    (bbr, w)
}

#[test]
fn up_ends_at_a_plateau_of_three_rounds() {
    let (mut bbr, mut w) = probing();
    for ms in [1081, 1121] {
        ack(&mut bbr, &mut w, ms, true, 125);
        assert_eq!(bbr.state, State::Up);
    }
    bbr.cycle.too_high = true;
    ack(&mut bbr, &mut w, 1161, true, 125);
    assert_eq!((bbr.state, bbr.cycle.ack_phase), (State::Down, AckPhase::ProbeStopping));
    assert_eq!((bbr.cycle.too_high, bbr.cycle.start_us), (false, at(1161, 1).now.us));
    // A round later the cycle's bandwidth becomes the one before.
    bbr.cycle.is_probe_sample = true;
    ack(&mut bbr, &mut w, 1201, true, 125);
    assert_eq!((bbr.cycle.ack_phase, bbr.cycle.is_probe_sample), (AckPhase::Init, false));
}

#[test]
fn a_plateau_made_by_the_bound_does_not_count() {
    let (mut bbr, mut w) = probing();
    bbr.inflight_longterm = 110;
    (bbr.full_bw.reached_this_round, w.cwnd) = (true, 110);
    let f = TcpSock { in_flight: 109, cwnd_used: true, ..at(1081, 1100) };
    bbr.cong_control(&f, &mut w, &sample(1000, 90));
    assert_eq!(
        (bbr.state, bbr.full_bw.reached_this_round, bbr.full_bw.count),
        (State::Up, false, 0)
    );
}

#[test]
fn the_bound_grows_by_one_packet_per_round_then_two_then_four() {
    let (mut bbr, mut w) = cruising(State::Refill);
    (bbr.inflight_longterm, w.cwnd) = (100, 100);
    ack(&mut bbr, &mut w, 1041, true, 100);
    assert_eq!((bbr.growth.acked_per_packet, bbr.growth.rounds), (100, 1));
    let step = |bbr: &mut Bbr3, acked_sacked, start| {
        let w = window(bbr.inflight_longterm);
        bbr.rounds.round_start = start;
        let s = RateSample { acked_sacked, ..sample(1, 1) };
        bbr.adapt_long_term(&at(1060, 1), &w, &s);
        bbr.inflight_longterm
    };
    assert_eq!(step(&mut bbr, 99, false), 100);
    assert_eq!(step(&mut bbr, 1, true), 101);
    assert_eq!(bbr.growth.acked_per_packet, 50); // half of 100
    assert_eq!(step(&mut bbr, 49, false), 101);
    assert_eq!(step(&mut bbr, 51, true), 103);
    assert_eq!(bbr.growth.acked_per_packet, 25); // a quarter of 101, as it was
    assert_eq!(step(&mut bbr, 100, false), 107);
    // Where cwnd is not used it stays, and what was in flight safely raises it.
    let unused = TcpSock { cwnd_used: false, ..at(1060, 1) };
    bbr.adapt_long_term(&unused, &w, &RateSample { acked_sacked: 100, ..sample(1, 1) });
    assert_eq!(bbr.inflight_longterm, 107);
    bbr.adapt_long_term(&unused, &w, &RateSample { tx_in_flight: 130, lost: 2, ..sample(1, 1) });
    assert_eq!(bbr.inflight_longterm, 130);
    bbr.adapt_long_term(&unused, &w, &RateSample { tx_in_flight: 140, lost: 3, ..sample(1, 1) });
    assert_eq!(bbr.inflight_longterm, 130);
}

#[test]
fn after_too_much_loss_the_next_probe_stops_at_the_bound_and_another_follows() {
    let (mut bbr, mut w) = probing();
    (bbr.cycle.too_high, bbr.inflight_longterm) = (true, 110);
    ack(&mut bbr, &mut w, 1045, false, 109);
    assert_eq!(bbr.state, State::Up);
    ack(&mut bbr, &mut w, 1050, false, 110);
    assert_eq!((bbr.state, bbr.cycle.precautionary), (State::Down, true));
    assert!(!bbr.cycle.too_high);
    ack(&mut bbr, &mut w, 1090, true, 110);
    assert_eq!((bbr.state, bbr.cycle.precautionary), (State::Refill, false));
}

#[test]
fn a_careful_probe_that_loses_too_much_is_not_repeated() {
    let (mut bbr, mut w) = probing();
    (bbr.cycle.too_high, bbr.inflight_longterm) = (true, 110);
    ack(&mut bbr, &mut w, 1050, false, 110);
    bbr.packet_lost(&at(1060, 1200), &mut w, &lost(1, 110, 3));
    assert_eq!((bbr.state, bbr.cycle.too_high), (State::Down, true));
    ack(&mut bbr, &mut w, 1090, true, 110);
    assert_eq!(bbr.state, State::Down);
}
