//! Runs that Linux 6.18.44 was seen to make [rules/README.md, Checked on a running kernel].

use super::rig::{MSS, Rig, establishment};
use crate::congestion::{CaState, INFINITE_SSTHRESH};
use crate::sender::SenderOptions;
use crate::sysctl::Sysctl;

const TICK_MS: i64 = 4;

/// Times since `from` at which something left, in ms.
fn times(rig: &Rig, from: i64) -> Vec<i64> {
    rig.sent.iter().map(|(at, _)| (at - from / 1000) / 1000).collect()
}

fn within_a_tick(seen: &[i64], kernel: &[i64]) {
    assert_eq!(seen.len(), kernel.len(), "{seen:?}");
    for (a, b) in seen.iter().zip(kernel) {
        assert!((a - b).abs() <= TICK_MS, "{seen:?} and {kernel:?}");
    }
}

/// rules/timers.md rules 2, 13, 18, 20; rules/rtt.md rule 7.
#[test]
fn one_packet_unanswered() {
    let mut rig = Rig::new(51_300);
    assert_eq!(rig.info("tcpi_rto"), 252_000);
    let phase = 8 * TICK_MS * 1000; // a multiple of the wheel's buckets, less 264 ms
    let offset = (rig.time / 1000 + 1_700) % phase;
    rig.wait_us(phase - offset + 3 * 8000);
    let from = rig.time;
    rig.write(100);
    rig.wait_ms(2100);
    within_a_tick(&times(&rig, from)[1..], &[264, 519, 1028, 2052]);
    assert!(rig.sent[1..].iter().all(|(_, o)| o.retransmission && o.seq == 1));
}

/// rules/timers.md rules 18 to 20.
#[test]
fn four_packets_unanswered() {
    let mut rig = Rig::new(100_300);
    let from = rig.time;
    rig.write(4 * MSS);
    rig.wait_ms(600);
    let probe = rig.sent.len() - 2;
    assert_eq!(rig.repeated(), [1 + 3 * MSS, 1]);
    let at = times(&rig, from);
    assert!((204..=208).contains(&at[probe]), "{at:?}"); // 206.9
    assert!((304..=340).contains(&(at[probe + 1] - at[probe])), "{at:?}"); // 332
}

/// rules/recovery.md rules 33, 36, 47; rules/rack.md rule 5; rules/cubic.md rule 7.
#[test]
fn ten_packets_the_first_lost() {
    let mut rig = Rig::new(100_000);
    rig.write(40 * MSS);
    assert_eq!(rig.packets(), 10);
    rig.wait_ms(100);
    let mut windows = Vec::new();
    for n in 2..=10 {
        rig.forget();
        rig.wait_ms(2);
        rig.sack(1, &[(1 + MSS, 1 + n * MSS)]);
        windows.push(rig.windows().0);
        assert_eq!(rig.repeated(), if n == 4 { vec![1] } else { vec![] }, "SACK {}", n - 1);
    }
    assert_eq!(windows, [10, 10, 9, 9, 9, 8, 7, 7, 7]);
    assert_eq!(rig.windows().1, 7);
    assert_eq!(rig.s.state(), CaState::Recovery);
}

/// rules/rack.md rules 5 to 7.
#[test]
fn one_sack_only() {
    for (rtt, kernel) in [(103_500, 32.2), (101_400, 31.3), (105_300, 36.0), (101_500, 28.9)] {
        let mut rig = Rig::new(rtt);
        rig.write(10 * MSS);
        rig.wait_us(rtt as i64);
        let from = rig.time;
        rig.sack(1, &[(1 + MSS, 1 + 2 * MSS)]);
        rig.forget();
        rig.wait_ms(60);
        assert_eq!(rig.repeated(), [1]);
        let at = (rig.sent[0].0 - from / 1000) as f64 / 1000.0;
        let least = rtt as f64 / 4000.0 + 2.0;
        assert!(at >= least && at <= least + 8.0, "{at} ms");
        assert!((at - kernel).abs() <= 2.0 * TICK_MS as f64, "{at} and {kernel} ms");
    }
}

/// rules/recovery.md rules 41, 42; rules/rtt.md rule 4.
#[test]
fn the_original_comes_after_a_timeout() {
    let mut rig = Rig::new(100_000);
    rig.write(10 * MSS);
    rig.wait_ms(700);
    assert_eq!(rig.s.state(), CaState::Loss);
    let rto = rig.s.rto();
    rig.ack(1 + 2 * MSS);
    assert_eq!(rig.s.state(), CaState::Open);
    assert_eq!(rig.windows(), (12, INFINITE_SSTHRESH));
    assert_eq!(rig.s.rto(), rto);
    assert_eq!(rig.s.counts(), [8, 0, 0, 0]);
}

/// rules/recovery.md rule 38.
#[test]
fn a_duplicate_is_reported_with_the_final_ack() {
    let mut rig = Rig::new(100_000);
    rig.write(10 * MSS);
    rig.wait_ms(100);
    rig.sack(1, &[(1 + MSS, 1 + 3 * MSS)]);
    rig.wait_ms(60);
    assert_eq!(rig.s.state(), CaState::Recovery);
    assert_eq!(rig.windows().1, 7);
    rig.sack(1 + 10 * MSS, &[(1, 1 + MSS)]);
    assert_eq!(rig.s.state(), CaState::Open);
    assert!(rig.windows().0 > 10);
    assert_eq!(rig.windows().1, INFINITE_SSTHRESH);
}

/// rules/recovery.md rules 9, 33, 35, 48, 49.
#[test]
fn without_sack() {
    let e = crate::sender::Establishment { sack: false, ..establishment(100_000) };
    let mut rig = Rig::with(&Sysctl::default(), SenderOptions::default(), &e);
    rig.write(10 * MSS);
    rig.wait_ms(100);
    rig.ack(1); // seq is larger than that of the SYN-ACK: a window update
    assert_eq!(rig.s.counts()[1], 0);
    rig.ack(1);
    rig.ack(1);
    assert_eq!(rig.s.state(), CaState::Disorder);
    rig.forget();
    rig.ack(1);
    assert_eq!(rig.s.state(), CaState::Recovery);
    assert_eq!(rig.repeated(), [1]);
    rig.wait_ms(100);
    rig.forget();
    rig.ack(1 + MSS);
    assert_eq!(rig.s.state(), CaState::Recovery);
    assert_eq!(rig.repeated(), [1 + MSS]);
}

/// rules/timers.md rule 21.
#[test]
fn the_probe_repaired_a_loss() {
    let mut rig = Rig::new(100_000);
    rig.write(10 * MSS);
    rig.wait_ms(100);
    rig.ack(1 + 9 * MSS);
    rig.wait_ms(50);
    rig.forget();
    rig.wait_ms(360);
    assert_eq!(rig.repeated(), [1 + 9 * MSS]);
    let cwnd = rig.windows().0;
    rig.write(MSS);
    rig.ack(1 + 11 * MSS);
    assert_eq!(rig.windows(), (cwnd * 717 / 1024, cwnd * 717 / 1024));
    assert_eq!(rig.s.state(), CaState::Open);
}

/// rules/timers.md rules 23 to 26.
#[test]
fn the_window_is_closed() {
    let mut rig = Rig::new(51_300);
    rig.write(MSS);
    rig.wait_us(51_300);
    rig.window = 0;
    rig.ack(1 + MSS);
    rig.forget();
    rig.wait_ms(17);
    let from = rig.time;
    rig.write(1000);
    assert!(rig.sent.is_empty());
    rig.wait_ms(4000);
    let at = times(&rig, from);
    assert!((252..=288).contains(&at[0]), "{at:?}"); // 282
    let gaps: Vec<i64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(gaps, [512, 1024, 2048]);
    assert!(rig.sent.iter().all(|(_, o)| o.probe && o.seq == MSS && o.len == 0));
    rig.forget();
    rig.window = 500; // less than the buffer that waits
    rig.ack(1 + MSS);
    assert!(rig.sent.is_empty());
    rig.wait_ms(8000);
    let (_, probe) = rig.sent[0]; // rules/timers.md rule 24: it fills the window
    assert_eq!((probe.seq, probe.len, probe.psh), (1 + MSS, 500, true));
    rig.forget();
    rig.window = 1000;
    rig.ack(1 + MSS + 500);
    assert_eq!(rig.sent[0].1.len, 500);
}

/// rules/sending.md rule 23.
#[test]
fn a_second_of_silence() {
    let mut rig = Rig::new(20_000);
    let mut acked = 1;
    while rig.windows().0 < 40 {
        rig.write(u64::from(rig.windows().0) * MSS);
        rig.wait_us(20_000);
        acked = (acked + u64::from(40 - rig.windows().0).min(10) * MSS).min(rig.s.nxt());
        rig.ack(acked);
    }
    rig.ack(rig.s.nxt());
    rig.s
        .set_observed_state(&crate::sender::ObservedState { cwnd: Some(40), ..Default::default() });
    rig.wait_ms(1000);
    rig.forget();
    rig.write(60 * MSS);
    assert_eq!(rig.windows(), (10, INFINITE_SSTHRESH));
    assert_eq!(rig.packets(), 10);
}

/// rules/sending.md rule 22: ACKs more often than once per RTO keep the window.
#[test]
fn three_packets_every_ninety_milliseconds() {
    let mut rig = Rig::new(20_000);
    rig.s
        .set_observed_state(&crate::sender::ObservedState { cwnd: Some(80), ..Default::default() });
    for _ in 0..30 {
        rig.write(3 * MSS);
        rig.wait_ms(20);
        rig.ack(rig.s.nxt());
        rig.wait_ms(70);
    }
    assert_eq!(rig.windows().0, 80);
}

/// rules/bbr.md rules 6, 20; rules/sending.md rule 14.
#[test]
fn bbr_paces_from_the_tenth_packet() {
    let options = SenderOptions { control: "bbr".to_owned(), ..SenderOptions::default() };
    let rtt = (50_000..51_000)
        .find(|rtt| {
            let rig = Rig::with(&Sysctl::default(), options.clone(), &establishment(*rtt));
            rig.s.window().pacing_rate == 828_662
        })
        .expect("a round trip of 50.4 ms gives the rate that was seen");
    let mut rig = Rig::with(&Sysctl::default(), options.clone(), &establishment(rtt));
    rig.s
        .set_observed_state(&crate::sender::ObservedState { cwnd: Some(16), ..Default::default() });
    rig.write(9 * MSS);
    assert_eq!(rig.packets(), 9);
    rig.wait_ms(20);
    rig.forget();
    let from = rig.time / 1000;
    rig.write(40 * MSS);
    rig.wait_ms(20);
    let sent: Vec<_> = rig.sent.iter().map(|(at, o)| (at - from, o.packets)).collect();
    assert_eq!(sent, [(0, 2), (1761, 2), (5285, 2), (8809, 1)]);
}
