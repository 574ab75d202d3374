use super::burst::{burst, min_burst};
use super::cycle::GAINS;
use super::pacing::bytes_per_second;
use super::*;
use crate::Clock;
use crate::congestion::tests::{tcp_sock, window};
use airtcp_core::Instant;
use proptest::prelude::*;

const PACKET_PER_US: u32 = 1 << 24;

/// A connection at `ms`, where the latest delivery was, and whose round trip is 40 ms.
fn at(ms: i64, delivered: u32) -> TcpSock {
    let now = Clock::default().units_at(Instant::from_nanos(ms * 1_000_000));
    TcpSock { now, delivered, delivered_us: now.us, srtt8: 320_000, min_rtt: 40_000, ..tcp_sock() }
}

/// `delivered` packets since `prior_delivered`, in 40 ms.
fn sample(prior_delivered: u32, delivered: i32) -> RateSample {
    RateSample {
        prior_delivered,
        prior_us: 1,
        delivered,
        interval_us: 40_000,
        rtt_us: 40_000,
        losses: 0,
        acked_sacked: 1,
        prior_in_flight: 0,
        app_limited: false,
        ack_delayed: false,
        tx_in_flight: 0,
        lost: 0,
    }
}

fn started(ms: i64) -> (Bbr, Window) {
    let (mut bbr, mut w) = (Bbr::default(), window(10));
    bbr.init(&at(ms, 1), &mut w);
    (bbr, w)
}

#[test]
fn the_constants_are_those_of_the_rules() {
    assert_eq!((HIGH_GAIN, DRAIN_GAIN), (739, 88));
    assert_eq!(GAINS, [320, 192, 256, 256, 256, 256, 256, 256]);
}

#[test]
fn the_first_pacing_rate_is_the_kernels_to_the_byte() {
    // rules/README.md: 828662 bytes per second with MSS 1460 at a round trip of about 50 ms. A bandwidth
    // of 3332 or 3333 / 2^24 packets per us is 249 bytes per second apart from the next, 15 us of the
    // round trip: the observed rate is one that the formula can give.
    let rate = |rtt: u32| {
        let f = TcpSock { mss: 1460, srtt8: 8 * rtt + 5, min_rtt: rtt, ..tcp_sock() };
        let (mut bbr, mut w) = (Bbr::default(), window(10));
        bbr.init(&f, &mut w);
        w.pacing_rate
    };
    let found: Vec<u32> = (50_000..51_000).filter(|&rtt| rate(rtt) == 828_662).collect();
    assert_eq!(found, (50_337..=50_351).collect::<Vec<u32>>());
}

#[test]
fn rates_truncate_after_each_factor() {
    // 10 packets in 40 ms: 10 * 2^24 / 40000 = 4194; 4194 * 1448 * 739 >> 8 = 17530788;
    // 17530788 * 990000 >> 24 = 1034467.
    assert_eq!(bytes_per_second(4194, 1448, 739), 1_034_467);
    let (_, w) = started(1000);
    assert_eq!(w.pacing_rate, 1_034_467);
}

#[test]
fn without_a_round_trip_the_first_rate_assumes_a_millisecond() {
    let (mut bbr, mut w) = (Bbr::default(), window(10));
    let mut f = TcpSock { srtt8: 0, min_rtt: u32::MAX, ..at(1000, 0) };
    bbr.init(&f, &mut w);
    assert_eq!(w.pacing_rate, bytes_per_second(167_772, 1448, 739));
    assert_eq!((bbr.min_rtt, bbr.has_seen_rtt), (u32::MAX, false));
    // The first sample replaces it, although it is slower.
    f.srtt8 = 320_000;
    bbr.cong_control(&f, &mut w, &RateSample { delivered: -1, interval_us: -1, ..sample(0, 0) });
    assert_eq!((w.pacing_rate, bbr.has_seen_rtt), (1_034_467, true));
}

#[test]
fn the_socket_may_limit_the_rate() {
    let (mut bbr, mut w) = (Bbr::default(), window(10));
    bbr.init(&TcpSock { max_pacing_rate: 5000, ..at(1000, 1) }, &mut w);
    assert_eq!(w.pacing_rate, 5000);
}

#[test]
fn rounds_begin_when_what_was_sent_in_them_is_delivered() {
    let (mut bbr, mut w) = started(1000);
    bbr.cong_control(&at(1040, 2), &mut w, &sample(1, 1));
    assert_eq!((bbr.rounds, bbr.next_round, bbr.round_start), (1, 2, true));
    bbr.cong_control(&at(1041, 3), &mut w, &sample(1, 2));
    assert_eq!((bbr.rounds, bbr.round_start), (1, false));
    bbr.cong_control(&at(1080, 12), &mut w, &sample(2, 10));
    assert_eq!((bbr.rounds, bbr.next_round), (2, 12));
    // An invalid sample begins no round.
    let invalid = RateSample { interval_us: -1, ..sample(50, 1) };
    bbr.cong_control(&at(1090, 13), &mut w, &invalid);
    assert_eq!((bbr.rounds, bbr.round_start), (2, false));
}

#[test]
fn limited_samples_count_only_as_maxima() {
    let (mut bbr, mut w) = started(1000);
    bbr.cong_control(&at(1040, 2), &mut w, &sample(1, 10));
    assert_eq!(bbr.bandwidth(), 4194);
    bbr.cong_control(&at(1041, 3), &mut w, &RateSample { app_limited: true, ..sample(1, 9) });
    assert_eq!(bbr.bandwidth(), 4194);
    bbr.cong_control(&at(1042, 4), &mut w, &RateSample { app_limited: true, ..sample(1, 20) });
    assert_eq!(bbr.bandwidth(), 8388);
    // After ten rounds without it a maximum is forgotten.
    for round in 0..10u32 {
        bbr.cong_control(&at(1100, 10), &mut w, &sample(bbr.next_round + round, 5));
    }
    assert_eq!(bbr.bandwidth(), 8388);
    bbr.cong_control(&at(1100, 10), &mut w, &sample(bbr.next_round + 20, 5));
    assert_eq!(bbr.bandwidth(), 2097);
}

#[test]
fn three_rounds_without_growth_by_a_quarter_fill_the_pipe() {
    let (mut bbr, _) = started(1000);
    let round = |bbr: &mut Bbr, bw: u32, app_limited| {
        bbr.bw = MinMax::new(0, bw);
        bbr.round_start = true;
        bbr.check_full_pipe(&RateSample { app_limited, ..sample(1, 1) });
        (bbr.full_bw, bbr.full_bw_count, bbr.full_pipe)
    };
    assert_eq!(round(&mut bbr, 1000, false), (1000, 0, false));
    assert_eq!(round(&mut bbr, 1249, false), (1000, 1, false));
    assert_eq!(round(&mut bbr, 1249, true), (1000, 1, false));
    assert_eq!(round(&mut bbr, 1250, false), (1250, 0, false));
    assert_eq!(round(&mut bbr, 1561, false), (1250, 1, false)); // 1250 * 320 >> 8 = 1562
    assert_eq!(round(&mut bbr, 1561, false), (1250, 2, false));
    assert_eq!(round(&mut bbr, 1561, false), (1250, 3, true));
}

#[test]
fn targets_have_room_for_three_bursts_and_are_even() {
    let (mut bbr, mut w) = started(1000);
    let f = at(1000, 1);
    bbr.min_rtt = 40_000;
    w.pacing_rate = 1_034_467; // 1010 bytes per ms: two packets at least
    assert_eq!(burst(&f, &w), 2);
    // 4194 * 40000 * 512 >> 8 = 335520000, 19.998 packets: 20 + 6.
    assert_eq!(bbr.target_inflight(&f, &w, 4194, 512), 26);
    assert_eq!(bbr.target_inflight(&f, &w, 4195, 512), 28); // 20.003: 21 + 6 = 27, even: 28
    (bbr.mode, bbr.cycle_index) = (Mode::ProbeBw, 0);
    assert_eq!(bbr.target_inflight(&f, &w, 4194, 512), 28);
    w.pacing_rate = 149_999;
    assert_eq!((burst(&f, &w), min_burst(&w)), (1, 1));
    w.pacing_rate = 100_000_000; // 97656 bytes, 65215 at most: 45 packets
    assert_eq!(burst(&f, &w), 45);
    assert_eq!(burst(&TcpSock { mss: 100, ..f }, &w), 127);
    bbr.min_rtt = NO_RTT;
    assert_eq!(bbr.target_inflight(&f, &w, 4194, 512), 146 + 2);
}

#[test]
fn startup_grows_beyond_its_target_only_at_first() {
    let (mut bbr, mut w) = started(1000);
    w.cwnd = 100;
    bbr.cong_control(&at(1040, 9), &mut w, &sample(1, 8));
    assert_eq!(w.cwnd, 101); // fewer than 10 delivered
    bbr.cong_control(&at(1041, 10), &mut w, &sample(1, 9));
    assert_eq!(w.cwnd, 101);
    bbr.cong_control(&at(1041, 11), &mut w, &RateSample { acked_sacked: 0, ..sample(1, 9) });
    assert_eq!(w.cwnd, 101);
    bbr.full_pipe = true;
    bbr.cong_control(&at(1042, 12), &mut w, &sample(1, 9));
    // Drained at once: the cycle's gain 2: 9 packets twice, bursts and what the phase adds.
    assert_eq!(bbr.mode, Mode::ProbeBw);
    assert!(w.cwnd < 30, "{}", w.cwnd);
    w.clamp = 12;
    bbr.cong_control(&at(1043, 13), &mut w, &sample(1, 9));
    assert_eq!(w.cwnd, 12);
}

#[test]
fn a_recovery_conserves_packets_for_a_round_and_gives_cwnd_back() {
    let (mut bbr, mut w) = started(1000);
    w.cwnd = 50;
    bbr.full_pipe = true;
    assert_eq!(bbr.ssthresh(&at(1040, 60), &mut w), w.ssthresh);
    assert_eq!(bbr.prior_cwnd, 50);
    let recovery = |ms, delivered, in_flight| TcpSock {
        state: CaState::Recovery,
        in_flight,
        ..at(ms, delivered)
    };
    let s = RateSample { losses: 3, acked_sacked: 2, ..sample(30, 30) };
    bbr.cong_control(&recovery(1040, 60, 40), &mut w, &s);
    assert_eq!((w.cwnd, bbr.next_round, bbr.packet_conservation), (42, 60, true));
    // Conservation holds in_flight + acked, and one packet less per loss otherwise.
    bbr.cong_control(&recovery(1041, 61, 45), &mut w, &sample(31, 30));
    assert_eq!(w.cwnd, 46);
    let s = RateSample { losses: 4, ..sample(32, 30) };
    bbr.cong_control(&recovery(1042, 62, 20), &mut w, &s);
    assert_eq!(w.cwnd, 42);
    // A second reduction keeps the larger.
    bbr.ssthresh(&recovery(1042, 62, 20), &mut w);
    assert_eq!(bbr.prior_cwnd, 50);
    // The next round ends it.
    bbr.cong_control(&recovery(1080, 90, 20), &mut w, &sample(60, 30));
    assert!(!bbr.packet_conservation);
    w.cwnd = 10;
    bbr.aggregation.extra = [30, 0];
    bbr.cong_control(&TcpSock { state: CaState::Open, ..at(1081, 91) }, &mut w, &sample(61, 30));
    // max(10, 50) + 1, below 2 BDP of 30.75 with bursts and the excess.
    assert_eq!(w.cwnd, 51);
}

#[test]
fn a_timeout_is_left_with_the_window_of_before() {
    let (mut bbr, mut w) = started(1000);
    w.cwnd = 60;
    bbr.ssthresh(&at(1040, 60), &mut w);
    (bbr.full_bw, bbr.round_start) = (77, false);
    bbr.set_state(&at(1040, 60), &mut w, CaState::Loss);
    assert_eq!((bbr.full_bw, bbr.round_start, bbr.prior_state), (0, true, CaState::Loss));
    assert!(bbr.long_term.sampling);
    w.cwnd = 1;
    let loss = TcpSock { state: CaState::Loss, ..at(1090, 61) };
    bbr.cong_control(&loss, &mut w, &sample(60, 1));
    assert_eq!(w.cwnd, 4); // 1 + 1, at least 4
    bbr.cong_control(&at(1091, 62), &mut w, &RateSample { delivered: 40, ..sample(60, 1) });
    assert_eq!(w.cwnd, 61); // max(5, 60) + 1
}

#[test]
fn undo_forgets_the_full_pipe_and_the_policer() {
    let (mut bbr, mut w) = started(1000);
    (bbr.full_bw, bbr.full_bw_count) = (5, 2);
    (bbr.long_term.bw, bbr.long_term.in_use) = (9, true);
    w.cwnd = 7;
    w.prior_cwnd = 20;
    assert_eq!(bbr.undo_cwnd(&at(1000, 1), &mut w), 7);
    assert_eq!((bbr.full_bw, bbr.full_bw_count, bbr.bandwidth()), (0, 0, 0));
}

#[test]
fn aggregation_is_what_exceeds_the_bandwidth() {
    let (mut bbr, mut w) = started(1000);
    w.cwnd = 100;
    bbr.bw = MinMax::new(0, PACKET_PER_US / 1000); // a packet per ms
    let give = |bbr: &mut Bbr, ms: i64, acked: u32| {
        let s = RateSample { acked_sacked: acked, ..sample(1, 1) };
        bbr.update_aggregation(&at(ms, 1), &w, &s);
        (bbr.aggregation.acked, bbr.aggregation.extra())
    };
    assert_eq!(give(&mut bbr, 1010, 5), (5, 5)); // 0 <= 9 expected: an epoch starts at 1010
    assert_eq!(give(&mut bbr, 1011, 7), (12, 12)); // 0.99 expected is 0
    assert_eq!(give(&mut bbr, 1015, 1), (13, 12)); // 13 - 4
    assert_eq!(give(&mut bbr, 1050, 2), (2, 12)); // 13 <= 39: anew
    assert_eq!(give(&mut bbr, 1050, 500), (502, 100)); // at most cwnd
    assert_eq!(bbr.aggregation_cwnd(), 0);
    bbr.full_pipe = true;
    assert_eq!(bbr.aggregation_cwnd(), 99); // 100 ms of 16777 / 2^24
    // The slots change every five rounds, and ten forget a maximum.
    bbr.round_start = true;
    for round in 1..=10 {
        assert_eq!(bbr.aggregation.extra(), 100, "{round}");
        bbr.update_aggregation(&at(3000 + 40 * round, 1), &w, &sample(1, 1));
    }
    assert_eq!(bbr.aggregation.extra(), 1);
}

#[test]
fn phases_end_by_time_losses_and_what_is_in_flight() {
    let (mut bbr, w) = started(1000);
    (bbr.mode, bbr.min_rtt, bbr.cycle_start_us) = (Mode::ProbeBw, 40_000, 1_000_000);
    bbr.bw = MinMax::new(0, 4194); // 10 packets
    let mut over = |gain, ms, losses, prior_in_flight| {
        bbr.pacing_gain = gain;
        bbr.phase_is_over(&at(ms, 1), &w, &RateSample { losses, prior_in_flight, ..sample(1, 1) })
    };
    assert!(!over(256, 1040, 9, 99));
    assert!(over(256, 1041, 0, 0));
    // target(5/4) = 12.5: 13 + 6, even 20, probing: 22; two packets are on their way to be sent.
    assert!(!over(320, 1041, 0, 19));
    assert!(over(320, 1041, 0, 20));
    assert!(over(320, 1041, 1, 0));
    assert!(!over(320, 1040, 1, 99));
    // target(1) = 10 + 6 + 2.
    assert!(!over(192, 1040, 0, 19));
    assert!(over(192, 1001, 0, 18));
    assert!(over(192, 1041, 0, 99));
}

#[test]
fn what_departs_later_finds_the_network_emptier() {
    let (mut bbr, w) = started(1000);
    bbr.bw = MinMax::new(0, PACKET_PER_US / 1000);
    let mut f = at(1000, 1);
    bbr.pacing_gain = 256;
    f.departure = f.now.instant.nanos() + 5_001_999;
    assert_eq!(bbr.in_network(&f, &w, 10), 5); // 16777 * 5001 >> 24 = 5
    bbr.pacing_gain = 320;
    assert_eq!(bbr.in_network(&f, &w, 10), 7);
    f.departure = 0;
    assert_eq!(bbr.in_network(&f, &w, 10), 12);
    f.departure = i64::MAX;
    assert_eq!(bbr.in_network(&f, &w, 10), 0);
}

#[test]
fn a_probably_delayed_ack_does_not_renew_the_minimum() {
    let (mut bbr, mut w) = started(1000);
    (bbr.mode, bbr.full_pipe) = (Mode::ProbeBw, true);
    let slow = |ack_delayed| RateSample { rtt_us: 90_000, ack_delayed, ..sample(1, 1) };
    bbr.update_min_rtt(&at(11_000, 1), &mut w, &slow(false)); // 2500 jiffies: not yet
    assert_eq!((bbr.min_rtt, bbr.mode), (40_000, Mode::ProbeBw));
    bbr.idle_restart = true;
    bbr.update_min_rtt(&at(11_004, 1), &mut w, &slow(true));
    assert_eq!((bbr.min_rtt, bbr.mode, bbr.idle_restart), (40_000, Mode::ProbeBw, false));
    bbr.update_min_rtt(&at(11_004, 1), &mut w, &slow(false));
    assert_eq!((bbr.min_rtt, bbr.min_rtt_stamp, bbr.mode), (90_000, 2751, Mode::ProbeRtt));
    bbr.update_min_rtt(&at(11_005, 1), &mut w, &RateSample { rtt_us: 0, ..slow(true) });
    assert_eq!(bbr.min_rtt, 0);
}

#[test]
fn probe_rtt_lasts_200_ms_and_a_round_with_four_packets() {
    let (mut bbr, mut w) = started(1000);
    (bbr.full_pipe, bbr.mode, w.cwnd) = (true, Mode::ProbeBw, 40);
    bbr.bw = MinMax::new(0, 41_943); // 100 packets per 40 ms
    bbr.force_phase(Some(3));
    let late = |ms, delivered, in_flight| TcpSock { in_flight, ..at(ms, delivered) };
    let s = |prior| RateSample { rtt_us: 50_000, ..sample(prior, 1) };
    bbr.cong_control(&late(12_000, 100, 30), &mut w, &s(1));
    assert_eq!((bbr.mode, w.cwnd, bbr.prior_cwnd, w.app_limited), (Mode::ProbeRtt, 4, 40, 130));
    assert_eq!((bbr.pacing_gain, bbr.cwnd_gain, bbr.probe_rtt_done_stamp), (256, 256, 0));
    bbr.cong_control(&late(12_040, 126, 4), &mut w, &s(2));
    assert_eq!((bbr.probe_rtt_done_stamp, bbr.next_round), (3010 + 50, 126));
    bbr.cong_control(&late(12_250, 130, 4), &mut w, &s(125)); // time passed, no round
    assert_eq!(bbr.mode, Mode::ProbeRtt);
    let (mut early, mut v) = (bbr.clone(), w.clone());
    early.cong_control(&late(12_240, 131, 4), &mut v, &s(126)); // a round, jiffy 3060
    assert!(early.probe_rtt_round_done && early.mode == Mode::ProbeRtt);
    bbr.cong_control(&late(12_244, 131, 4), &mut w, &s(126));
    assert_eq!(
        (bbr.mode, w.cwnd, bbr.cycle_index, bbr.min_rtt_stamp),
        (Mode::ProbeBw, 41, 3, 3061)
    );
}

#[test]
fn an_idle_sender_restarts_at_its_bandwidth() {
    let (mut bbr, mut w) = started(1000);
    (bbr.mode, bbr.full_pipe, bbr.pacing_gain) = (Mode::ProbeBw, true, 320);
    bbr.bw = MinMax::new(0, 4194);
    bbr.event(&at(2000, 1), &mut w, Event::TxStart); // not limited by the application
    assert!(!bbr.idle_restart);
    w.app_limited = 1;
    bbr.event(&at(2000, 1), &mut w, Event::CompleteCwr);
    assert!(!bbr.idle_restart);
    bbr.event(&at(2000, 1), &mut w, Event::TxStart);
    assert!(bbr.idle_restart);
    assert_eq!(w.pacing_rate, bytes_per_second(4194, 1448, 256));
    // In PROBE_RTT its end is checked, without a round.
    (bbr.mode, bbr.prior_cwnd, bbr.probe_rtt_done_stamp) = (Mode::ProbeRtt, 90, 499);
    bbr.event(&at(2000, 1), &mut w, Event::TxStart);
    assert_eq!((bbr.mode, w.cwnd), (Mode::ProbeBw, 90));
}

/// One round of 40 ms with `lost` packets newly lost of 100, at 2.5 packets per ms.
fn policed_round(bbr: &mut Bbr, round: u32, lost: u32) {
    bbr.round_start = true;
    let f = TcpSock { lost: 25 * round, ..at(1000 + 40 * i64::from(round), 1 + 100 * round) };
    bbr.sample_long_term(&f, lost, false);
}

#[test]
fn two_lossy_intervals_of_the_same_rate_are_a_policer() {
    let (mut bbr, _) = started(1000);
    policed_round(&mut bbr, 1, 0);
    assert!(!bbr.long_term.sampling);
    policed_round(&mut bbr, 2, 5);
    assert!(bbr.long_term.sampling);
    policed_round(&mut bbr, 3, 5);
    policed_round(&mut bbr, 4, 5);
    assert_eq!(bbr.long_term.bw, 0); // three rounds
    policed_round(&mut bbr, 5, 5);
    // Three round trips after the start: 300 * 2^24 / 120000.
    assert_eq!((bbr.long_term.bw, bbr.long_term.in_use), (41_943, false));
    for round in 6..=8 {
        policed_round(&mut bbr, round, 5);
    }
    assert!(!bbr.long_term.in_use);
    policed_round(&mut bbr, 9, 5);
    assert_eq!((bbr.bandwidth(), bbr.long_term.in_use), (41_943, true));
    // 48 rounds in PROBE_BW later the cycle begins anew.
    (bbr.mode, bbr.pacing_gain) = (Mode::ProbeBw, UNIT);
    bbr.force_phase(Some(0));
    for round in 10..=57 {
        assert!(bbr.long_term.in_use);
        bbr.update_gains();
        assert_eq!(bbr.pacing_gain, 256);
        policed_round(&mut bbr, round, 5);
    }
    bbr.update_gains();
    assert_eq!((bbr.long_term.in_use, bbr.long_term.bw, bbr.pacing_gain), (false, 0, 320));
}

#[test]
fn an_interval_needs_a_fifth_of_losses_and_rounds_between_4_and_16() {
    let (mut bbr, _) = started(1000);
    let few = |bbr: &mut Bbr, round: u32, lost: u32| {
        bbr.round_start = true;
        let f = TcpSock { lost: 19 * round, ..at(1000 + 40 * i64::from(round), 1 + 100 * round) };
        bbr.sample_long_term(&f, lost, false);
    };
    for round in 1..=16 {
        few(&mut bbr, round, 1); // 19 * 256 < 50 * 100
        assert_eq!((bbr.long_term.bw, bbr.long_term.sampling), (0, true), "{round}");
    }
    few(&mut bbr, 17, 1); // the 17th round
    assert!(!bbr.long_term.sampling);
    // The application's limit ends it too.
    few(&mut bbr, 18, 1);
    bbr.sample_long_term(&at(3000, 1), 1, true);
    assert!(!bbr.long_term.sampling);
}

#[test]
fn different_rates_are_no_policer() {
    let (mut bbr, _) = started(1000);
    bbr.long_term.bw = 41_943;
    bbr.end_interval(&at(1000, 1), 41_943 + 5243); // more than an eighth
    assert_eq!((bbr.long_term.bw, bbr.long_term.in_use), (47_186, false));
    bbr.end_interval(&at(1000, 1), 47_186 - 5898);
    assert_eq!((bbr.long_term.bw, bbr.long_term.in_use), (44_237, true));
    // 500 bytes per second: 5 * 1448 * 990000 >> 24 = 427; 6: 512.
    for (difference, is_close) in [(5, true), (6, false)] {
        let (mut bbr, _) = started(1000);
        bbr.long_term.bw = 8;
        bbr.end_interval(&at(1000, 1), 8 + difference);
        assert_eq!(bbr.long_term.in_use, is_close);
    }
}

#[test]
fn the_first_phase_is_any_but_the_draining_one() {
    let (mut bbr, mut w) = started(1000);
    let mut seen = [0; 8];
    for replication in 0..700 {
        bbr.set_random(Stream::new(1, "flow0/bbr", replication));
        bbr.enter_probe_bw(&at(1000, 1));
        seen[bbr.cycle_index as usize] += 1;
    }
    // 100 each; five standard deviations are 46.
    assert_eq!(seen[1], 0);
    assert!(seen.iter().enumerate().all(|(n, &s)| n == 1 || (54..=146).contains(&s)), "{seen:?}");
    bbr.force_phase(Some(1));
    bbr.init(&at(1000, 1), &mut w);
    bbr.enter_probe_bw(&at(1000, 1));
    assert_eq!(bbr.cycle_index, 1);
}

#[test]
fn tcp_info_shows_the_bandwidth_without_the_margin() {
    let (mut bbr, _) = started(1000);
    bbr.bw = MinMax::new(0, 4194);
    let info = bbr.bbr_info(&at(1000, 1)).unwrap();
    assert_eq!((info.bw, info.min_rtt, info.pacing_gain), (361_973, 40_000, 256));
}

proptest! {
    // For random states of the connection: no overflow, cwnd between its bounds, a rate within the socket's limit.
    #[test]
    fn random_states_do_no_harm(
        steps in prop::collection::vec(
            (any::<[u32; 8]>(), any::<[u64; 2]>(), -1i64..1 << 40, 0u8..5, any::<bool>()), 1..80),
        max_pacing_rate: u64, clamp in 4u32..,
    ) {
        let (mut bbr, mut w) = started(1000);
        w.clamp = clamp;
        for (a, b, interval_us, state, flag) in steps {
            let state = [CaState::Open, CaState::Disorder, CaState::Cwr, CaState::Recovery,
                CaState::Loss][state as usize];
            let now = Clock::default().units_at(Instant::from_nanos((b[0] >> 4) as i64));
            let f = TcpSock {
                now, state, delivered: a[0], delivered_us: b[1] >> 20, lost: a[1], in_flight: a[2],
                srtt8: a[3], min_rtt: a[4], departure: (b[1] >> 3) as i64, max_pacing_rate,
                mss: a[5] % 65_536, ..tcp_sock()
            };
            let s = RateSample {
                prior_delivered: a[6], delivered: a[7] as i32, interval_us, rtt_us: interval_us,
                losses: a[1] % 7, acked_sacked: a[3] % 9, app_limited: flag, ..sample(1, 1)
            };
            match a[5] % 11 {
                0 => bbr.set_state(&f, &mut w, state),
                1 => { bbr.ssthresh(&f, &mut w); }
                2 => bbr.event(&f, &mut w, Event::TxStart),
                3 => w.cwnd = bbr.undo_cwnd(&f, &mut w),
                _ => {
                    bbr.cong_control(&f, &mut w, &s);
                    prop_assert!(w.pacing_rate <= max_pacing_rate || !bbr.full_pipe);
                }
            }
            prop_assert!(w.cwnd >= 1 && w.cwnd <= clamp.max(bbr.prior_cwnd));
        }
    }
}
