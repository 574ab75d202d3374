use super::*;
use crate::Clock;
use crate::congestion::INFINITE_SSTHRESH;
use crate::congestion::tests::{tcp_sock, window};
use airtcp_core::Instant;
use proptest::prelude::*;

/// A connection in jiffy `jiffies`.
fn at(jiffies: i64) -> TcpSock {
    TcpSock {
        now: Clock::default().units_at(Instant::from_nanos(jiffies * 4_000_000)),
        ..tcp_sock()
    }
}

#[test]
fn the_constants_are_those_of_the_rules() {
    assert_eq!((CUBE_FACTOR, RENO_SCALE), (2_681_735_677, 15));
}

#[test]
fn reductions_remember_the_window_or_less() {
    let (f, mut w) = (at(1000), window(100));
    let mut cubic = Cubic::default();
    assert_eq!(cubic.ssthresh(&f, &mut w), 70); // 100 * 717 / 1024 = 70.02
    assert_eq!(cubic.last_max, 100);
    w.cwnd = 90;
    assert_eq!(cubic.ssthresh(&f, &mut w), 63); // 63.02
    assert_eq!(cubic.last_max, 76); // 90 * 1741 / 2048 = 76.51
    w.cwnd = 76;
    cubic.ssthresh(&f, &mut w);
    assert_eq!(cubic.last_max, 76);
    w.cwnd = 2;
    assert_eq!(cubic.ssthresh(&f, &mut w), 2);
    w.prior_cwnd = 76;
    assert_eq!((cubic.undo_cwnd(&f, &mut w), cubic.epoch_start, cubic.last_max), (76, 0, 1));
}

#[test]
fn an_epoch_begins_below_the_last_maximum() {
    let (mut cubic, mut w) = (Cubic::default(), window(70));
    cubic.last_max = 100;
    w.ssthresh = 70;
    cubic.cong_avoid(&at(1000), &mut w, 1);
    // (2681735677 * 30) ^ (1/3) = 4316.97; in seconds 4.216, about cbrt(30 / 0.4).
    assert_eq!((cubic.epoch_start, cubic.k, cubic.origin), (1000, 4316, 100));
    // t = 0: 410 * 4316^3 >> 40 = 29, the target is 71 and the window grows by one in 70 / 1.
    assert_eq!((cubic.cnt, w.cwnd, w.cwnd_count), (70, 70, 1));
}

#[test]
fn the_curve_counts_the_minimum_round_trip_ahead() {
    let mut cubic = Cubic { last_max: 100, delay_min: 40_001, ..Cubic::default() };
    cubic.update(at(1000).now.jiffies as u32, 70, 1);
    // 11 jiffies: t = 11 * 1024 / 250 = 45, 4316 - 45 = 4271, 410 * 4271^3 >> 40 = 29.
    assert_eq!(cubic.cnt, 70);
    cubic.update(at(1239).now.jiffies as u32, 80, 1);
    // t = 250 * 1024 / 250 = 1024, 410 * 3292^3 >> 40 = 13, target 87, 80 / 7 = 11.
    assert_eq!(cubic.cnt, 11);
    cubic.update(at(2500).now.jiffies as u32, 100, 1);
    // t = 1511 * 1024 / 250 = 6189, 410 * 1873^3 >> 40 = 2, target 102.
    assert_eq!(cubic.cnt, 50);
    cubic.update(at(2508).now.jiffies as u32, 130, 1);
    assert_eq!(cubic.cnt, 13_000); // beyond the target
}

#[test]
fn the_curve_is_evaluated_once_per_jiffy_and_rarely_for_one_window() {
    let mut cubic = Cubic { last_max: 100, ..Cubic::default() };
    cubic.update(at(1000).now.jiffies as u32, 70, 1);
    cubic.cnt = 7;
    cubic.update(at(1007).now.jiffies as u32, 70, 1); // the same window within 7 jiffies
    assert_eq!(cubic.cnt, 7);
    cubic.update(at(1000).now.jiffies as u32, 71, 1); // the same jiffy: only Reno's part
    assert_eq!((cubic.cnt, cubic.last_cwnd), (7, 70));
    cubic.update(at(1008).now.jiffies as u32, 70, 1);
    assert_ne!(cubic.cnt, 7);
}

#[test]
fn without_a_maximum_growth_is_at_least_one_in_twenty() {
    let mut cubic = Cubic::default();
    cubic.update(at(1000).now.jiffies as u32, 70, 1);
    assert_eq!((cubic.k, cubic.origin, cubic.cnt), (0, 70, 20));
}

#[test]
fn the_window_is_at_least_renos() {
    let mut cubic = Cubic { last_max: 20, ..Cubic::default() };
    cubic.update(at(1000).now.jiffies as u32, 14, 1);
    // Reno grows by one in 14 * 15 / 8 = 26 packets; 79 leave 1 + 79 - 3 * 26 = 2.
    cubic.update(at(1001).now.jiffies as u32, 15, 79);
    // Now 15 * 15 / 8 = 28: 80 - 2 * 28 = 24.
    assert_eq!((cubic.tcp_cwnd, cubic.ack_cnt), (16, 24));
    assert_eq!(cubic.cnt, 15);
    cubic.update(at(1009).now.jiffies as u32, 15, 28 * 30);
    assert_eq!((cubic.tcp_cwnd, cubic.cnt), (46, 2)); // 15 / 31 = 0, at least 2
}

#[test]
fn the_first_second_of_an_epoch_takes_no_delays() {
    let (mut cubic, mut w) = (Cubic::default(), window(10));
    w.ssthresh = 5;
    cubic.epoch_start = 1000;
    cubic.pkts_acked(&at(1249), &mut w, 5000);
    assert_eq!(cubic.delay_min, 0);
    cubic.pkts_acked(&at(1250), &mut w, 5000);
    cubic.pkts_acked(&at(1250), &mut w, 6000);
    assert_eq!(cubic.delay_min, 5000);
    cubic.pkts_acked(&at(1250), &mut w, 0);
    assert_eq!(cubic.delay_min, 1);
}

#[test]
fn idle_time_moves_the_epoch() {
    let (mut cubic, mut w) = (Cubic::default(), window(10));
    let f = TcpSock { last_sent: 900, ..at(1000) };
    cubic.event(&f, &mut w, Event::TxStart);
    assert_eq!(cubic.epoch_start, 0);
    cubic.epoch_start = 500;
    cubic.event(&f, &mut w, Event::CompleteCwr);
    assert_eq!(cubic.epoch_start, 500);
    cubic.event(&f, &mut w, Event::TxStart);
    assert_eq!(cubic.epoch_start, 600);
    cubic.epoch_start = 950;
    cubic.event(&f, &mut w, Event::TxStart);
    assert_eq!(cubic.epoch_start, 1000);
}

#[test]
fn a_timeout_forgets_everything() {
    let (mut cubic, mut w) = (Cubic::default(), window(10));
    cubic.init(&at(1), &mut w);
    cubic.hystart.ended_slow_start = true;
    (cubic.delay_min, cubic.last_max, cubic.epoch_start) = (9, 9, 9);
    cubic.set_state(&at(1000), &mut w, CaState::Recovery);
    assert_eq!(cubic.last_max, 9);
    cubic.set_state(&TcpSock { nxt: 77, ..at(1000) }, &mut w, CaState::Loss);
    assert_eq!((cubic.delay_min, cubic.last_max, cubic.epoch_start), (0, 0, 0));
    assert_eq!((cubic.hystart.ended_slow_start, cubic.hystart.end_seq), (false, 77));
}

#[test]
fn hystarts_finding_ends_slow_start_with_the_same_ack() {
    let (mut cubic, mut w) = (Cubic::default(), window(20));
    cubic.init(&at(1000), &mut w);
    cubic.delay_min = 40_000;
    cubic.hystart.samples = 8;
    cubic.pkts_acked(&TcpSock { una: 1, nxt: 9, ..at(1001) }, &mut w, 50_000);
    assert!(cubic.hystart.ended_slow_start);
    cubic.cong_avoid(&at(1001), &mut w, 2);
    assert_eq!((w.cwnd, w.ssthresh, w.cwnd_count), (20, 20, 2));
    // It acts once: slow start after idle goes on to ssthresh.
    (w.cwnd, w.ssthresh) = (20, 40);
    cubic.epoch_start = 0;
    cubic.pkts_acked(&at(2000), &mut w, 90_000);
    assert_eq!(w.ssthresh, 40);
}

#[test]
fn hystart_plus_takes_the_place_of_hystart() {
    let (mut cubic, mut w) = (Cubic::with_hystart_plus(), window(20));
    cubic.init(&at(1000), &mut w);
    for n in 0..30 {
        let f = TcpSock { nxt: 90, ..at(1000) };
        cubic.pkts_acked(&f, &mut w, if n < 9 { 40_000 } else { 80_000 });
        cubic.cong_avoid(&TcpSock { una: if n == 8 { 90 } else { 1 }, ..f }, &mut w, 1);
    }
    assert!(cubic.hystart_plus.as_ref().unwrap().is_conservative());
    assert_eq!((w.ssthresh, cubic.hystart.ended_slow_start), (INFINITE_SSTHRESH, false));
    cubic.set_state(&at(1001), &mut w, CaState::Loss);
    assert!(cubic.hystart_plus.is_some());
}

/// RFC 9438 sections 4.1 and 4.2 in real numbers: W(t) = C (t - K)^3 + Wmax, and per ACK
/// (W(t + RTT) - cwnd) / cwnd.
#[test]
fn an_epoch_follows_the_curve_of_rfc_9438() {
    const RTT: i64 = 25; // jiffies
    let mut cubic = Cubic { last_max: 400, delay_min: 100_000, ..Cubic::default() };
    let mut w = window(280);
    w.ssthresh = 280;
    let (mut ideal, k) = (280.0f64, (120.0f64 / 0.4).cbrt());
    let (mut worst, mut time) = (0.0f64, 1000.0f64);
    while time < 1000.0 + 15.0 * 250.0 {
        let elapsed = (time - 1000.0) / 250.0 + 0.1;
        let offset = elapsed - k;
        let target = 0.4 * offset * offset * offset + 400.0;
        ideal += ((target - ideal) / ideal).max(0.0);
        cubic.cong_avoid(&at(time as i64), &mut w, 1);
        worst = worst.max((f64::from(w.cwnd) - ideal).abs());
        time += RTT as f64 / f64::from(w.cwnd);
    }
    assert!((628.0..631.0).contains(&ideal), "{ideal}");
    // The integer target and divisor each truncate: less than two packets, and a tick of the steepest
    // growth, 3 * 0.4 * 8.3^2 = 83 packets per s.
    assert!(worst < 3.0, "{worst}");
}

/// Rule 6 once more, as plainly as possible, in 128 bits.
fn plain_update(c: &mut Cubic, j: u32, cwnd: u32, acked: u32) {
    c.ack_cnt += acked;
    if c.last_cwnd == cwnd && i64::from(j) - i64::from(c.last_time) <= 7 {
        return;
    }
    if !(c.epoch_start != 0 && j == c.last_time) {
        c.last_cwnd = cwnd;
        c.last_time = j;
        if c.epoch_start == 0 {
            c.epoch_start = j;
            c.ack_cnt = acked;
            c.tcp_cwnd = cwnd;
            c.k = 0;
            c.origin = cwnd.max(c.last_max);
            let cube = 2_681_735_677 * i128::from(c.last_max.saturating_sub(cwnd));
            while i128::from(c.k + 1).pow(3) <= cube {
                c.k += 1;
            }
        }
        let ahead = j - c.epoch_start + c.delay_min.div_ceil(4000);
        let t = i128::from(ahead) * 1024 / 250;
        let away = (t - i128::from(c.k)).abs();
        let d = 410 * away * away * away / (1 << 40);
        let target = i128::from(c.origin) + if t < i128::from(c.k) { -d } else { d };
        c.cnt = if target > i128::from(cwnd) {
            (i128::from(cwnd) / (target - i128::from(cwnd))) as u32
        } else {
            100 * cwnd
        };
        if c.last_max == 0 {
            c.cnt = c.cnt.min(20);
        }
    }
    let e = cwnd * 15 / 8;
    while c.ack_cnt > e {
        c.ack_cnt -= e;
        c.tcp_cwnd += 1;
    }
    if c.tcp_cwnd > cwnd {
        c.cnt = c.cnt.min(cwnd / (c.tcp_cwnd - cwnd));
    }
    c.cnt = c.cnt.max(2);
}

proptest! {
    // For random states of the connection: no overflow, and a window between its bounds.
    #[test]
    fn random_states_do_no_harm(
        steps in prop::collection::vec((any::<[u32; 6]>(), any::<u64>(), -1i64..1 << 40), 1..80),
        plus: bool, clamp in 4u32..,
    ) {
        let mut cubic = if plus { Cubic::with_hystart_plus() } else { Cubic::default() };
        let mut w = window(10);
        w.clamp = clamp;
        cubic.init(&at(1000), &mut w);
        for (a, b, rtt_us) in steps {
            let now = Clock::default().units_at(Instant::from_nanos((b >> 4) as i64));
            let f = TcpSock {
                now, una: u64::from(a[0]), nxt: u64::from(a[1]), last_sent: u64::from(a[2]),
                cwnd_limited: a[3] % 3 > 0, paced: a[3] % 2 > 0, ..tcp_sock()
            };
            match a[4] % 9 {
                0 => cubic.set_state(&f, &mut w, CaState::Loss),
                1 => {
                    (w.prior_cwnd, w.ssthresh) = (w.cwnd, cubic.ssthresh(&f, &mut w));
                    w.cwnd = w.ssthresh;
                }
                2 => cubic.event(&f, &mut w, Event::TxStart),
                3 => w.cwnd = cubic.undo_cwnd(&f, &mut w),
                4 => cubic.pkts_acked(&f, &mut w, rtt_us),
                5 => w.cwnd = a[5].clamp(1, clamp),
                _ => cubic.cong_avoid(&f, &mut w, a[5] % 40),
            }
            prop_assert!(w.cwnd >= 1 && w.cwnd <= clamp);
        }
    }

    #[test]
    fn updates_agree_with_a_plain_transcription(
        last_max in 0u32..2000, start in 1u32..2000, delay_min in 0u32..400_000,
        steps in prop::collection::vec((0i64..40, 1u32..20, 0u32..3), 1..200),
    ) {
        let mut cubic = Cubic { last_max, delay_min, ..Cubic::default() };
        let mut plain = cubic.clone();
        let (mut j, mut cwnd) = (1000, start);
        for (wait, acked, growth) in steps {
            j += wait;
            cwnd += growth;
            cubic.update(at(j).now.jiffies as u32, cwnd, acked);
            plain_update(&mut plain, j as u32, cwnd, acked);
            prop_assert_eq!(format!("{:?}", cubic), format!("{:?}", plain));
        }
    }
}
