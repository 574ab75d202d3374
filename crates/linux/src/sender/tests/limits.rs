//! Windows, small writes and buffers [rules/sending.md, rules/sockets.md B].

use super::rig::{MSS, Rig, establishment};
use crate::congestion::INFINITE_SSTHRESH;
use crate::sender::{ObservedState, SenderOptions, WriteFlags};
use crate::sysctl::Sysctl;

/// rules/sending.md rules 6, 7: one small segment is outstanding, full ones do not hold it back (Minshall).
#[test]
fn small_writes_wait_for_small_ones() {
    let mut rig = Rig::new(50_000);
    rig.write(2 * MSS);
    rig.write(100);
    assert_eq!(rig.packets(), 3);
    rig.write(100);
    rig.write(200);
    assert_eq!(rig.packets(), 3, "they wait");
    rig.wait_ms(50);
    rig.forget();
    rig.ack(1 + 2 * MSS + 100);
    assert_eq!(rig.sent.len(), 1);
    assert_eq!((rig.sent[0].1.len, rig.sent[0].1.psh), (300, true));
}

/// rules/sending.md rule 6: TCP_NODELAY; rules/sockets.md rule 12: TCP_CORK holds for 200 ms.
#[test]
fn nodelay_and_cork() {
    let options = SenderOptions { nodelay: true, ..SenderOptions::default() };
    let mut rig = Rig::with(&Sysctl::default(), options, &establishment(50_000));
    rig.write(100);
    rig.write(100);
    assert_eq!(rig.packets(), 2);
    let options = SenderOptions { cork: true, ..SenderOptions::default() };
    let mut rig = Rig::with(&Sysctl::default(), options, &establishment(20_000));
    rig.write(100);
    assert!(rig.sent.is_empty());
    rig.write(2 * MSS);
    assert_eq!(rig.packets(), 2, "full ones go");
    rig.ack(1 + 2 * MSS);
    rig.wait_ms(190);
    assert_eq!(rig.packets(), 2);
    rig.wait_ms(100);
    assert_eq!(rig.packets(), 3);
}

/// rules/sending.md rules 17, 18: PSH ends a call and a burst.
#[test]
fn push_ends_calls_and_bursts() {
    let mut rig = Rig::new(50_000);
    rig.write(MSS);
    rig.write(3 * MSS);
    let seen: Vec<_> = rig.sent.iter().map(|(_, o)| (o.packets, o.psh)).collect();
    assert_eq!(seen, [(1, true), (2, true), (1, true)]);
}

/// rules/sending.md rules 2.2, 10: bursts are at most half the window and about a millisecond of data.
#[test]
fn bursts_follow_the_pacing_rate() {
    let mut rig = Rig::new(100_000);
    rig.write(30 * MSS);
    assert!(rig.sent.iter().all(|(_, o)| o.packets == 2), "the least");
    let mut rig = Rig::new(100);
    rig.write(30 * MSS);
    assert_eq!(rig.sent[0].1.packets, 5, "half the window");
}

/// rules/sending.md rule 2.4: nothing beyond the window; rule 8: its last bytes are used.
#[test]
fn the_window_is_filled() {
    let mut rig = Rig::new(100);
    rig.window = 4 * MSS + 700;
    rig.ack(1);
    rig.write(20 * MSS);
    let sent: u64 = rig.sent.iter().map(|(_, o)| u64::from(o.len)).sum();
    assert_eq!(sent, 4 * MSS + 700);
}

/// rules/sending.md rule 22: what was not used for an RTO is given up by half. An ACK sets the stamp, a probe puts the
/// RTO off, and the next write comes in between.
#[test]
fn an_unused_window_decays() {
    let mut rig = Rig::new(20_000);
    rig.s.set_observed_state(&ObservedState { cwnd: Some(80), ..ObservedState::default() });
    rig.write(3 * MSS);
    rig.wait_ms(20);
    rig.ack(1 + MSS);
    rig.wait_ms(215);
    rig.write(MSS);
    assert_eq!(rig.windows().0, 80, "not yet");
    rig.wait_ms(10);
    rig.write(MSS);
    assert_eq!(rig.windows(), (45, INFINITE_SSTHRESH));
    assert_eq!(rig.info("tcpi_total_rto"), 0);
}

/// rules/sockets.md rules 1, 2: a first buffer of 46080 bytes, and a write without end that it bounds.
#[test]
fn the_send_buffer_bounds_an_endless_write() {
    let mut rig = Rig::new(50_000);
    let now = rig.now();
    let taken = rig.s.write(now, u64::MAX, WriteFlags::blocking_call());
    rig.drain();
    assert!((46_080..46_080 + 65_279).contains(&rig.s.queued()), "{}", rig.s.queued());
    assert_eq!(rig.s.write_seq(), 1 + taken);
    assert!(!rig.s.writable());
    for _ in 0..200 {
        rig.wait_ms(50);
        rig.ack(rig.s.nxt());
    }
    assert!(rig.windows().0 > 100);
    assert!(rig.s.queued() <= 4_194_304 + 65_279);
}

/// rules/sockets.md rule 8: FIN goes with the last data, and counts as a packet of its own if there are none.
#[test]
fn fin() {
    let mut rig = Rig::new(50_000);
    rig.write(100);
    rig.write(100); // waits
    let now = rig.now();
    rig.s.close(now);
    rig.drain();
    assert_eq!(rig.sent.len(), 2);
    assert!(rig.sent[1].1.fin && rig.sent[1].1.len == 100);
    rig.ack(202);
    let mut rig = Rig::new(50_000);
    let now = rig.now();
    rig.s.close(now);
    rig.drain();
    assert_eq!((rig.sent[0].1.len, rig.sent[0].1.fin), (0, true));
    rig.wait_ms(900);
    assert!(rig.sent[1..].iter().all(|(_, o)| o.fin && o.len == 0 && o.retransmission));
    assert!(rig.sent.len() > 2);
}

/// rules/sending.md rule 16: SACK blocks make segments smaller; packets that are too large are cut when repeated.
#[test]
fn sack_blocks_take_room() {
    let mut rig = Rig::new(50_000);
    rig.write(4 * MSS);
    rig.s.set_sack_bytes(12);
    rig.wait_ms(50);
    rig.forget();
    rig.sack(1, &[(1 + MSS, 1 + 4 * MSS)]);
    let repeated = rig.sent[0].1;
    assert_eq!((repeated.len, repeated.packets, repeated.mss), (1460, 2, 1448));
    assert_eq!(rig.s.counts()[0], 5);
}

/// rules/sending.md rule 16: half the largest window.
#[test]
fn a_small_window_makes_small_segments() {
    let e = crate::sender::Establishment { window: 2000, ..establishment(50_000) };
    let rig = Rig::with(&Sysctl::default(), SenderOptions::default(), &e);
    assert_eq!(rig.s.mss(), 1000);
}

/// rules/timers.md rule 16: a SYN that was repeated more than once.
#[test]
fn a_late_handshake_starts_with_one_packet() {
    let e = crate::sender::Establishment {
        syn_copies: 2,
        timeouts: 2,
        rtt_us: None,
        ..establishment(50_000)
    };
    let mut rig = Rig::with(&Sysctl::default(), SenderOptions::default(), &e);
    rig.write(10 * MSS);
    assert_eq!((rig.packets(), rig.s.rto()), (1, 750));
}
