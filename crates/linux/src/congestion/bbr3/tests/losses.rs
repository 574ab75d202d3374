use super::super::undo::Origin;
use super::*;

/// A BBR in `ProbeBW_UP`, packets of which are being acknowledged.
fn probing() -> (Bbr3, Window) {
    let (mut bbr, w) = cruising(State::Up);
    bbr.cycle.is_probe_sample = true;
    (bbr, w)
}

#[test]
fn more_than_2_percent_lost_of_a_probe_end_it_and_set_the_bound() {
    let (mut bbr, mut w) = probing();
    let f = at(1060, 1000);
    bbr.packet_lost(&f, &mut w, &lost(1, 150, 3)); // 3 of 150 are 2 %
    assert_eq!((bbr.state, bbr.inflight_longterm), (State::Up, INFINITY));
    bbr.packet_lost(&f, &mut w, &lost(2, 151, 4));
    // 150 before it, 3 of them lost: no part of this packet is allowed.
    assert_eq!((bbr.state, bbr.inflight_longterm, bbr.cycle.too_high), (State::Down, 150, true));
    // The others of the probe say nothing new.
    bbr.packet_lost(&f, &mut w, &lost(3, 120, 9));
    assert_eq!(bbr.inflight_longterm, 150);
}

#[test]
fn the_bound_falls_to_seven_tenths_of_the_pipe_at_most() {
    let (mut bbr, mut w) = probing();
    bbr.packet_lost(&at(1060, 1000), &mut w, &lost(1, 40, 3));
    assert_eq!(bbr.inflight_longterm, 70);
    let (mut bbr, mut w) = probing();
    w.cwnd = 50; // less than the pipe
    bbr.packet_lost(&at(1060, 1000), &mut w, &lost(1, 20, 3));
    assert_eq!(bbr.inflight_longterm, 35);
}

#[test]
fn an_application_that_limits_the_sender_leaves_the_bound() {
    let (mut bbr, mut w) = probing();
    let packet = LostPacket { app_limited: true, ..lost(1, 40, 3) };
    bbr.packet_lost(&at(1060, 1000), &mut w, &packet);
    assert_eq!((bbr.state, bbr.inflight_longterm), (State::Down, INFINITY));
}

#[test]
fn without_sack_one_loss_is_too_much() {
    let (mut bbr, mut w) = probing();
    let f = TcpSock { sack: false, ..at(1060, 1000) };
    bbr.packet_lost(&f, &mut w, &lost(1, 151, 1));
    // 150 before it, of which 3 might be lost: 3 / 0.98 more.
    assert_eq!((bbr.state, bbr.inflight_longterm), (State::Down, 153));
}

#[test]
fn losses_of_no_probe_lower_the_bounds_of_the_short_term_once_per_round() {
    let (mut bbr, mut w) = cruising(State::Cruise);
    let f = |delivered| TcpSock { in_flight: 90, ..at(1060, delivered) };
    bbr.packet_lost(&f(1000), &mut w, &lost(1, 100, 1));
    assert!(bbr.latest.loss_in_round && bbr.inflight_longterm == INFINITY);
    // The round goes on for a round trip after the first loss.
    bbr.cong_control(&f(1050), &mut w, &sample(999, 60));
    assert_eq!(bbr.short_term.bw, INFINITY);
    bbr.packet_lost(&f(1060), &mut w, &lost(1, 100, 1));
    bbr.cong_control(&f(1100), &mut w, &sample(1000, 80));
    // 80 of 100 per 40 ms came, and 80 packets, which is more than 0.7 of cwnd is not: 140.
    assert_eq!((bbr.short_term.bw, bbr.short_term.inflight), (BW * 8 / 10, 140));
    assert_eq!((bbr.bw, w.cwnd, bbr.latest.loss_in_round), (BW * 8 / 10, 140, false));
    // A round without a loss changes nothing; the next with one goes on from there.
    bbr.cong_control(&f(1200), &mut w, &sample(1100, 30));
    assert_eq!(bbr.short_term.inflight, 140);
    bbr.packet_lost(&f(1200), &mut w, &lost(1, 100, 1));
    bbr.cong_control(&f(1300), &mut w, &sample(1200, 30));
    assert_eq!((bbr.short_term.bw, bbr.short_term.inflight), (BW * 8 / 10 * 7 / 10, 98));
}

#[test]
fn states_that_probe_keep_the_bounds_of_the_short_term() {
    for state in [State::Startup, State::Refill, State::Up] {
        let (mut bbr, mut w) = cruising(state);
        bbr.full_bw.reached = state != State::Startup;
        bbr.packet_lost(&at(1060, 1000), &mut w, &lost(1, 100, 1));
        bbr.cong_control(&at(1100, 1100), &mut w, &sample(1000, 80));
        assert_eq!((bbr.short_term.bw, bbr.latest.loss_in_round), (INFINITY, false), "{state:?}");
    }
}

#[test]
fn the_end_of_a_recovery_brings_cwnd_back() {
    let (mut bbr, mut w) = cruising(State::Cruise);
    let f = |state| TcpSock { state, ..at(1060, 1000) };
    bbr.packet_lost(&f(CaState::Open), &mut w, &lost(1, 100, 1));
    bbr.ssthresh(&f(CaState::Open), &mut w);
    w.cwnd = 3; // a timeout: what is in flight, and one
    bbr.set_state(&f(CaState::Loss), &mut w, CaState::Loss);
    assert_eq!((bbr.prior_cwnd, w.ssthresh), (200, INFINITE_SSTHRESH));
    w.cwnd = 20;
    bbr.set_state(&f(CaState::Open), &mut w, CaState::Open);
    assert_eq!(w.cwnd, 200);
}

#[test]
fn a_timeout_in_recovery_keeps_the_larger_cwnd() {
    let (mut bbr, mut w) = cruising(State::Cruise);
    let f = |state| TcpSock { state, ..at(1060, 1000) };
    bbr.ssthresh(&f(CaState::Open), &mut w);
    bbr.set_state(&f(CaState::Recovery), &mut w, CaState::Recovery);
    w.cwnd = 90;
    bbr.save_cwnd(&f(CaState::Recovery), &w);
    assert_eq!(bbr.prior_cwnd, 200);
}

/// A probe of which 4 of 151 packets seem lost; then recovery, and the lower bounds of a round.
fn mistaken(bbr: &mut Bbr3, w: &mut Window) {
    let f = at(1060, 1000);
    for seq in [1, 5000, 9000] {
        bbr.packet_lost(&f, w, &lost(seq, 151, 4));
    }
    bbr.ssthresh(&f, w);
    bbr.set_state(&f, w, CaState::Recovery);
    bbr.short_term = ShortTerm { bw: BW / 2, inflight: 50 };
    w.cwnd = 50;
}

#[test]
fn a_recovery_that_was_none_is_taken_back_with_the_probe_that_it_ended() {
    let (mut bbr, mut w) = probing();
    bbr.inflight_longterm = 180;
    mistaken(&mut bbr, &mut w);
    assert_eq!((bbr.state, bbr.inflight_longterm), (State::Down, 150));
    (bbr.full_bw.bw, bbr.full_bw.count) = (BW, 2);
    assert_eq!(bbr.undo_cwnd(&at(1070, 1010), &mut w), 200);
    assert_eq!((bbr.state, bbr.inflight_longterm), (State::Refill, 180));
    assert_eq!((bbr.short_term.bw, bbr.short_term.inflight), (INFINITY, INFINITY));
    assert_eq!((bbr.full_bw.bw, bbr.full_bw.count, bbr.latest.loss_in_round), (0, 0, false));
    // Once only.
    bbr.state = State::Cruise;
    bbr.undo_cwnd(&at(1070, 1010), &mut w);
    assert_eq!(bbr.state, State::Cruise);
}

#[test]
fn startup_goes_on_after_a_recovery_that_was_none() {
    let (mut bbr, mut w) = started(1000);
    bbr.packet_lost(&at(1060, 1000), &mut w, &lost(1, 100, 4));
    (bbr.undo.origin, bbr.full_bw.reached) = (Some(Origin::Startup), true);
    bbr.state = State::Drain;
    let mut in_probe_rtt = bbr.clone();
    bbr.undo_cwnd(&at(1070, 1010), &mut w);
    assert_eq!((bbr.state, bbr.full_bw.reached), (State::Startup, false));
    in_probe_rtt.state = State::ProbeRtt;
    in_probe_rtt.undo_cwnd(&at(1070, 1010), &mut w);
    assert_eq!((in_probe_rtt.state, in_probe_rtt.full_bw.reached), (State::ProbeRtt, false));
}

#[test]
fn the_next_recovery_is_taken_back_to_its_own_beginning() {
    let (mut bbr, mut w) = probing();
    mistaken(&mut bbr, &mut w);
    bbr.set_state(&at(1100, 1100), &mut w, CaState::Open);
    bbr.packet_lost(&at(1200, 1200), &mut w, &lost(1, 100, 1));
    assert_eq!(bbr.undo.origin, None);
    bbr.inflight_longterm = 40;
    bbr.undo_cwnd(&at(1210, 1210), &mut w);
    assert_eq!((bbr.inflight_longterm, bbr.short_term.inflight), (150, 50));
}

#[test]
fn a_mark_of_congestion_counts_as_a_loss_of_its_round() {
    let (mut bbr, mut w) = cruising(State::Cruise);
    let f = |delivered| TcpSock { in_flight: 90, ..at(1060, delivered) };
    bbr.ssthresh(&f(1000), &mut w);
    bbr.set_state(&f(1000), &mut w, CaState::Cwr);
    bbr.cong_control(&f(1100), &mut w, &sample(1000, 80));
    assert_eq!(bbr.short_term.inflight, 140);
}
