use super::super::aggregation::Aggregation;
use super::super::pacing::{bytes_per_second, send_quantum};
use super::*;

#[test]
fn rates_are_a_hundredth_below_the_bandwidth() {
    // 41943 * 1448 * 990000 / 2^24, of 3620000 bytes per second.
    assert_eq!(bytes_per_second(BW, 1448, 100), 3_583_796);
    assert_eq!(bytes_per_second(BW, 1448, 125), 4_479_745);
    assert_eq!(bytes_per_second(BW, 1448, 277), 9_927_116);
}

#[test]
fn a_quantum_is_what_a_millisecond_carries() {
    let mut w = window(10);
    for (rate, packets) in [(100_000, 2), (3_583_796, 2), (14_480_000, 10), (1 << 40, 45)] {
        w.pacing_rate = rate;
        assert_eq!(send_quantum(&tcp_sock(), &w), packets, "{rate}");
    }
    assert_eq!(Bbr3::default().min_tso_segs(&w), Some(2));
}

#[test]
fn rounds_begin_when_what_was_sent_in_them_is_delivered() {
    let (mut bbr, mut w) = started(1000);
    bbr.cong_control(&at(1040, 2), &mut w, &sample(1, 1));
    assert_eq!((bbr.rounds.count, bbr.rounds.next_delivered, bbr.rounds.round_start), (1, 2, true));
    bbr.cong_control(&at(1041, 3), &mut w, &sample(1, 2));
    assert_eq!((bbr.rounds.count, bbr.rounds.round_start), (1, false));
    bbr.cong_control(&at(1080, 12), &mut w, &sample(2, 10));
    assert_eq!((bbr.rounds.count, bbr.rounds.next_delivered), (2, 12));
    bbr.cong_control(&at(1090, 12), &mut w, &nothing());
    assert_eq!((bbr.rounds.count, bbr.rounds.round_start), (2, false));
}

#[test]
fn the_largest_bandwidth_of_two_cycles_counts() {
    let mut max = MaxBw::from_bw(100);
    max.advance();
    assert_eq!(max.bandwidth(), 100);
    max.advance(); // a cycle without a sample leaves what is known
    assert_eq!(max.bandwidth(), 100);
    let (mut bbr, mut w) = started(1000);
    bbr.max_bw = max;
    bbr.cong_control(&at(1040, 2), &mut w, &RateSample { interval_us: 1 << 24, ..sample(1, 70) });
    assert_eq!(bbr.max_bw.bandwidth(), 100);
    bbr.max_bw.advance();
    assert_eq!((bbr.max_bw.bandwidth(), bbr.bw), (70, 100));
}

#[test]
fn limited_samples_count_only_as_maxima() {
    let (mut bbr, mut w) = started(1000);
    let limited = |n| RateSample { app_limited: true, ..sample(1, n) };
    bbr.cong_control(&at(1040, 2), &mut w, &sample(1, 10));
    bbr.cong_control(&at(1041, 3), &mut w, &limited(9));
    assert_eq!(bbr.bw, 4194);
    bbr.cong_control(&at(1042, 4), &mut w, &limited(20));
    assert_eq!(bbr.bw, 8388);
    // A sample without an interval gives no rate.
    bbr.cong_control(&at(1043, 5), &mut w, &RateSample { interval_us: -1, ..sample(1, 90) });
    assert_eq!(bbr.bw, 8388);
}

#[test]
fn the_excess_is_what_comes_beyond_the_bandwidth() {
    let (mut bbr, w) = cruising(State::Cruise);
    bbr.aggregation = Aggregation::from_start(at(1000, 1).now.us);
    let mut acked = |ms, acked_sacked| {
        let s = RateSample { acked_sacked, ..sample(1, 1) };
        bbr.update_aggregation(&at(ms, 1), &w, &s);
        bbr.aggregation.extra_acked()
    };
    assert_eq!(acked(1010, 30), 30); // an interval begins
    assert_eq!(acked(1014, 5), 30); // 35, and 9 were expected
    assert_eq!(acked(1014, 20), 46); // 55 - 9
    assert_eq!(acked(1040, 3), 46); // 74 were expected: begins anew
    assert_eq!(acked(1040, 200), 200); // at most cwnd
}

#[test]
fn the_excess_of_ten_rounds_counts_after_startup_and_of_one_before() {
    for (reached, kept) in [(true, 10), (false, 1)] {
        let (mut bbr, w) = cruising(State::Cruise);
        bbr.full_bw.reached = reached;
        bbr.update_aggregation(&at(1010, 1), &w, &RateSample { acked_sacked: 30, ..sample(1, 1) });
        let mut later = bbr.clone();
        later.rounds.count = kept;
        later.update_aggregation(&at(2000, 1), &w, &sample(1, 1));
        assert_eq!(later.aggregation.extra_acked(), 30);
        bbr.rounds.count = kept + 1;
        bbr.update_aggregation(&at(2000, 1), &w, &sample(1, 1));
        assert_eq!(bbr.aggregation.extra_acked(), 1);
    }
}

#[test]
fn cwnd_follows_the_pipe() {
    let (mut bbr, mut w) = cruising(State::Cruise);
    let cwnd = |bbr: &Bbr3, w: &mut Window, acked_sacked| {
        bbr.set_cwnd(&at(1040, 500), w, &RateSample { acked_sacked, ..sample(1, 1) });
        w.cwnd
    };
    w.cwnd = 150;
    assert_eq!(cwnd(&bbr, &mut w, 7), 157);
    w.cwnd = 400;
    assert_eq!(cwnd(&bbr, &mut w, 7), 200);
    bbr.state = State::Up; // 2.25 times the pipe, and two
    w.cwnd = 400;
    assert_eq!(cwnd(&bbr, &mut w, 7), 227);
    // Before the pipe was full nothing cuts it, and little delivered lets it grow.
    (bbr.state, bbr.full_bw.reached) = (State::Startup, false);
    w.cwnd = 400;
    assert_eq!(cwnd(&bbr, &mut w, 7), 400);
    bbr.set_cwnd(&at(1040, 9), &mut w, &RateSample { acked_sacked: 7, ..sample(1, 1) });
    assert_eq!(w.cwnd, 407);
    w.clamp = 50;
    assert_eq!(cwnd(&bbr, &mut w, 7), 50);
}

#[test]
fn cwnd_holds_what_the_hosts_hold_and_four_packets() {
    let (mut bbr, mut w) = cruising(State::Cruise);
    (bbr.bw, w.pacing_rate, w.cwnd) = (1, 100, 50);
    bbr.set_cwnd(&at(1040, 500), &mut w, &sample(1, 1));
    assert_eq!(w.cwnd, 6); // three quanta of two packets
    (bbr.short_term.inflight, w.cwnd) = (2, 1);
    bbr.set_cwnd(&at(1040, 500), &mut w, &sample(1, 1));
    assert_eq!(w.cwnd, 4);
}

#[test]
fn bounds_of_losses_cut_cwnd_by_state() {
    for (state, cwnd) in [
        (State::Startup, 200),
        (State::Drain, 200),
        (State::Down, 100),
        (State::Refill, 100),
        (State::Up, 100),
        (State::Cruise, 85),
        (State::ProbeRtt, 50),
    ] {
        let (mut bbr, mut w) = cruising(state);
        (bbr.inflight_longterm, w.cwnd) = (100, 300);
        bbr.set_cwnd(&at(1040, 500), &mut w, &sample(1, 1));
        assert_eq!(w.cwnd, cwnd, "{state:?}");
        bbr.short_term.inflight = 40;
        bbr.set_cwnd(&at(1040, 500), &mut w, &sample(1, 1));
        assert_eq!(w.cwnd, 40, "{state:?}");
    }
}

#[test]
fn tcp_info_shows_the_bandwidth_without_the_margin() {
    let (bbr, _) = cruising(State::Up);
    let info = bbr.bbr_info(&at(1000, 1)).unwrap();
    assert_eq!(
        (info.bw, info.min_rtt, info.pacing_gain, info.cwnd_gain),
        (3_619_996, 40_000, 320, 576)
    );
}
