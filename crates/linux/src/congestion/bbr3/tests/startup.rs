use super::*;

/// A round of `bw` packets per 40 ms in Startup.
fn round(bbr: &mut Bbr3, w: &mut Window, bw: i32, app_limited: bool) {
    let next = bbr.rounds.next_delivered;
    let s = RateSample { app_limited, ..sample(next, bw) };
    bbr.cong_control(&TcpSock { in_flight: 300, ..at(1040, next + 100) }, w, &s);
}

#[test]
fn the_first_rate_is_the_initial_window_per_round_trip() {
    let (bbr, w) = started(1000);
    // 10 * 1448 bytes / 40 ms * 2.77.
    assert_eq!((bbr.state, bbr.initial_cwnd, w.pacing_rate), (State::Startup, 10, 1_002_740));
    // Without a round trip it is per millisecond, until there is one, although that is slower.
    let (mut bbr, mut w) = (Bbr3::default(), window(10));
    bbr.init(&TcpSock { srtt8: 0, ..at(1000, 1) }, &mut w);
    assert_eq!((w.pacing_rate, bbr.min_rtt.rtt, bbr.bdp()), (40_109_600, INFINITY, 10));
    bbr.cong_control(&at(1040, 1), &mut w, &nothing());
    assert_eq!(w.pacing_rate, 1_002_740);
}

#[test]
fn the_first_rate_keeps_to_the_sockets_limit() {
    let (mut bbr, mut w) = (Bbr3::default(), window(10));
    bbr.init(&TcpSock { max_pacing_rate: 5000, ..at(1000, 1) }, &mut w);
    assert_eq!(w.pacing_rate, 5000);
}

#[test]
fn three_rounds_with_less_than_a_quarter_more_end_startup() {
    let (mut bbr, mut w) = started(1000);
    for (bw, count) in [(40, 0), (51, 0), (63, 1), (63, 2)] {
        round(&mut bbr, &mut w, bw, false);
        assert_eq!((bbr.state, bbr.full_bw.count), (State::Startup, count), "{bw}");
    }
    round(&mut bbr, &mut w, 40, true); // the application's limit counts for nothing
    assert_eq!(bbr.full_bw.count, 2);
    round(&mut bbr, &mut w, 60, false);
    assert!(bbr.full_bw.reached_this_round && bbr.full_bw.reached);
    assert_eq!((bbr.state, bbr.drain_start_round), (State::Drain, bbr.rounds.count));
    // 63 packets per 40 ms at half the rate, less 1 %: 63 * 2^24 / 40000 = 26424.
    assert_eq!(w.pacing_rate, (u64::from(26_424_u32 * 1448 / 2) * 990_000) >> 24);
}

#[test]
fn a_round_with_a_quarter_more_begins_anew() {
    let (mut bbr, mut w) = started(1000);
    for bw in [40, 40, 40, 51, 51, 51] {
        round(&mut bbr, &mut w, bw, false);
    }
    assert_eq!((bbr.state, bbr.full_bw.count), (State::Startup, 2));
}

#[test]
fn the_rate_never_falls_in_startup() {
    let (mut bbr, mut w) = started(1000);
    round(&mut bbr, &mut w, 40, false);
    let rate = w.pacing_rate;
    round(&mut bbr, &mut w, 20, false);
    assert_eq!(w.pacing_rate, rate);
}

/// Startup in recovery: `ranges` packets apart from each other are lost of 100, and a round passes.
fn lossy(ranges: u64, newly_lost: u32, prior_delivered: u32) -> (Bbr3, Window) {
    let (mut bbr, mut w) = started(1000);
    (bbr.max_bw, bbr.bw) = (MaxBw::from_bw(BW), BW);
    let f = TcpSock { state: CaState::Open, in_flight: 300, ..at(1040, 100) };
    for range in 0..ranges {
        let packet = lost(range * 10_000 + 1, 1000, 1);
        bbr.packet_lost(&f, &mut w, &packet);
        bbr.packet_lost(&f, &mut w, &LostPacket { seq: packet.end, end: packet.end + 1, ..packet });
    }
    bbr.set_state(&f, &mut w, CaState::Recovery);
    let later = TcpSock { state: CaState::Recovery, in_flight: 300, ..at(1080, 300) };
    let s = RateSample { lost: newly_lost, interval_us: 48_000, ..sample(prior_delivered, 120) };
    bbr.cong_control(&later, &mut w, &s);
    (bbr, w)
}

#[test]
fn a_round_of_recovery_with_six_ranges_and_more_than_2_percent_lost_ends_startup() {
    let (bbr, _) = lossy(6, 3, 100);
    assert_eq!((bbr.state, bbr.full_bw.reached), (State::Drain, true));
    // More was delivered in the round than the pipe holds.
    assert_eq!((bbr.bdp(), bbr.inflight_longterm), (100, 120));
    assert_eq!(lossy(5, 3, 100).0.state, State::Startup); // five ranges
    assert_eq!(lossy(6, 2, 100).0.state, State::Startup); // 2 of 100
    assert_eq!(lossy(6, 3, 99).0.state, State::Startup); // not a whole round
}

#[test]
fn without_sack_any_loss_ends_startup() {
    let (mut bbr, mut w) = started(1000);
    let f = TcpSock { sack: false, state: CaState::Recovery, in_flight: 300, ..at(1040, 100) };
    bbr.cong_control(&f, &mut w, &sample(0, 1));
    assert_eq!(bbr.state, State::Startup);
    bbr.cong_control(&f, &mut w, &RateSample { losses: 1, ..sample(0, 1) });
    assert_eq!(bbr.state, State::Drain);
}

#[test]
fn drain_ends_as_the_queue_is_empty() {
    let (mut bbr, mut w) = cruising(State::Drain);
    let f = |in_flight| TcpSock { in_flight, ..at(1040, 900) };
    bbr.cong_control(&f(101), &mut w, &sample(500, 50));
    assert_eq!(bbr.state, State::Drain);
    bbr.cong_control(&f(100), &mut w, &sample(500, 50));
    assert_eq!(bbr.state, State::Cruise); // through DOWN, which has nothing to do
}

#[test]
fn drain_ends_after_three_rounds_in_any_case() {
    let (mut bbr, mut w) = cruising(State::Drain);
    (bbr.drain_start_round, bbr.rounds.count) = (7, 7);
    for state in [State::Drain, State::Drain, State::Drain, State::Down] {
        let next = bbr.rounds.next_delivered;
        let f = TcpSock { in_flight: 150, ..at(1040, next + 100) };
        bbr.cong_control(&f, &mut w, &sample(next, 50));
        assert_eq!(bbr.state, state);
    }
}
