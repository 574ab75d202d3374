use super::*;

fn late(ms: i64, delivered: u32, in_flight: u32) -> TcpSock {
    TcpSock { in_flight, ..at(ms, delivered) }
}

fn rtt(prior: u32, rtt_us: i64) -> RateSample {
    RateSample { rtt_us, ..sample(prior, 100) }
}

#[test]
fn probe_rtt_comes_after_5_seconds_at_half_the_pipe_for_200_ms_and_a_round() {
    let (mut bbr, mut w) = cruising(State::Cruise);
    bbr.cycle.wait_us = 60_000_000;
    bbr.short_term.inflight = 190;
    bbr.cong_control(&late(6000, 1000, 100), &mut w, &rtt(999, 45_000));
    assert_eq!((bbr.state, bbr.min_rtt.delay), (State::Cruise, 40_000));
    bbr.cong_control(&late(6001, 1010, 100), &mut w, &rtt(999, 45_000));
    assert_eq!((bbr.state, bbr.prior_cwnd, w.cwnd), (State::ProbeRtt, 190, 50));
    assert_eq!((bbr.min_rtt.delay, bbr.min_rtt.rtt), (45_000, 40_000)); // the one of 10 s stays
    assert_eq!((w.app_limited, w.pacing_rate), (1110, 3_583_796));
    bbr.cong_control(&late(6030, 1060, 50), &mut w, &rtt(1009, 40_500));
    assert_eq!(bbr.min_rtt.done_stamp, Some(at(6230, 1).now.us));
    bbr.cong_control(&late(6240, 1070, 50), &mut w, &rtt(1059, 41_000)); // time passed, no round
    assert_eq!(bbr.state, State::ProbeRtt);
    let (mut early, mut v) = (bbr.clone(), w.clone());
    early.cong_control(&late(6230, 1080, 50), &mut v, &rtt(1060, 41_000)); // a round, not the time
    assert_eq!(early.state, State::ProbeRtt);
    bbr.cong_control(&late(6241, 1080, 50), &mut w, &rtt(1060, 41_000));
    assert_eq!((bbr.state, w.cwnd, bbr.short_term.inflight), (State::Cruise, 191, INFINITY));
    assert_eq!((bbr.min_rtt.delay, bbr.min_rtt.delay_stamp), (40_500, at(6241, 1).now.us));
}

#[test]
fn a_minimum_counts_for_10_seconds() {
    let (mut bbr, _) = started(1000);
    let us = |ms| at(ms, 1).now.us;
    bbr.min_rtt.update(us(5000), &rtt(1, 30_000));
    assert_eq!((bbr.min_rtt.rtt, bbr.min_rtt.stamp), (30_000, us(5000)));
    bbr.min_rtt.update(us(11_000), &rtt(1, 36_000)); // the one of 5 s is renewed
    assert_eq!((bbr.min_rtt.rtt, bbr.min_rtt.delay), (30_000, 36_000));
    bbr.min_rtt.update(us(15_000), &rtt(1, 38_000));
    assert_eq!(bbr.min_rtt.rtt, 30_000);
    bbr.min_rtt.update(us(15_001), &rtt(1, 38_000));
    assert_eq!((bbr.min_rtt.rtt, bbr.min_rtt.stamp), (36_000, us(11_000)));
}

#[test]
fn an_unfinished_startup_goes_on_after_probe_rtt() {
    let (mut bbr, mut w) = started(1000);
    bbr.cong_control(&late(6001, 10, 8), &mut w, &rtt(1, 45_000));
    assert_eq!(bbr.state, State::ProbeRtt);
    bbr.cong_control(&late(6010, 20, 4), &mut w, &rtt(9, 45_000));
    bbr.cong_control(&late(6300, 30, 4), &mut w, &rtt(20, 45_000));
    assert_eq!(bbr.state, State::Startup);
}

#[test]
fn probe_rtt_keeps_four_packets_of_a_small_pipe() {
    let (mut bbr, mut w) = cruising(State::ProbeRtt);
    bbr.bw = BW / 20;
    bbr.set_cwnd(&at(1000, 500), &mut w, &sample(1, 1));
    assert_eq!((bbr.probe_rtt_cwnd(), w.cwnd), (4, 4));
}

#[test]
fn an_idle_sender_restarts_at_its_bandwidth_and_needs_no_probe_rtt() {
    let (mut bbr, mut w) = cruising(State::Up);
    bbr.event(&at(9000, 1), &mut w, Event::TxStart); // not limited by the application
    w.app_limited = 1;
    bbr.event(&at(9000, 1), &mut w, Event::CompleteCwr);
    assert!(!bbr.idle_restart);
    bbr.event(&at(9000, 1), &mut w, Event::TxStart);
    assert!(bbr.idle_restart);
    assert_eq!(w.pacing_rate, 3_583_796);
    bbr.state = State::Cruise;
    bbr.cong_control(&late(9040, 1000, 10), &mut w, &rtt(999, 41_000));
    assert!(bbr.state != State::ProbeRtt && !bbr.idle_restart);
    assert_eq!(bbr.min_rtt.delay, 41_000);
}

#[test]
fn an_idle_sender_leaves_probe_rtt_as_its_time_is_over() {
    let (mut bbr, mut w) = cruising(State::ProbeRtt);
    (bbr.min_rtt.done_stamp, bbr.prior_cwnd) = (Some(at(2000, 1).now.us), 190);
    (w.cwnd, w.app_limited) = (50, 1);
    bbr.event(&at(2000, 1), &mut w, Event::TxStart);
    assert_eq!((bbr.state, w.cwnd), (State::ProbeRtt, 50));
    bbr.event(&at(2001, 1), &mut w, Event::TxStart);
    assert_eq!((bbr.state, w.cwnd), (State::Cruise, 190));
}
