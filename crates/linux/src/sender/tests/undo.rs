//! Reductions that are taken back [rules/recovery.md D, Undo].

use super::rig::{MSS, Rig, establishment};
use crate::congestion::{CaState, INFINITE_SSTHRESH};
use crate::sender::{Establishment, SenderOptions};
use crate::sysctl::Sysctl;

fn packet(n: u64) -> u64 {
    1 + n * MSS
}

/// Ten packets are out for a round trip of 100 ms; timestamps are in use if `stamps`.
fn out(stamps: bool, sack: bool) -> Rig {
    let e = Establishment {
        timestamps: stamps.then_some(0),
        mss_clamp: if stamps { 1472 } else { 1460 },
        mtu: if stamps { 1512 } else { 1500 },
        sack,
        ..establishment(100_000)
    };
    let mut rig = Rig::with(&Sysctl::default(), SenderOptions::default(), &e);
    assert_eq!(u64::from(rig.s.mss()), MSS);
    rig.echo = stamps.then_some((rig.time / 1_000_000) as u32);
    rig.write(10 * MSS);
    rig.wait_ms(100);
    rig.forget();
    rig
}

/// Rule 40: the echoed timestamp is older than the retransmission (Eifel).
#[test]
fn a_partial_ack_of_originals() {
    let mut rig = out(true, true);
    rig.sack(1, &[(packet(3), packet(6))]);
    assert_eq!(rig.s.state(), CaState::Recovery);
    rig.wait_ms(2);
    rig.sack(packet(1), &[(packet(3), packet(6))]);
    // Retransmissions of the others are outstanding: nothing more is repeated, and nothing undone yet.
    assert_eq!(rig.windows().1, 7);
    assert_eq!(rig.s.counts()[3], 2);
    rig.wait_ms(2);
    rig.ack(packet(6));
    assert_eq!(rig.s.state(), CaState::Disorder.min(rig.s.state()));
    assert_eq!(rig.windows(), (10.max(rig.windows().0), INFINITE_SSTHRESH));
}

/// Rules 29, 38: the ACK that ends Recovery echoes an old timestamp.
#[test]
fn the_last_ack_of_recovery_is_of_originals() {
    let mut rig = out(true, true);
    rig.sack(1, &[(packet(1), packet(4))]);
    assert_eq!(rig.windows().1, 7);
    rig.wait_ms(5);
    rig.ack(packet(10));
    assert_eq!(rig.s.state(), CaState::Open);
    assert_eq!(rig.windows().1, INFINITE_SSTHRESH);
    assert!(rig.windows().0 >= 10);
}

/// Rules 29, 38 without timestamps: what cannot be shown to be spurious is not undone.
#[test]
fn without_timestamps_nothing_is_undone() {
    let mut rig = out(false, true);
    rig.sack(1, &[(packet(1), packet(4))]);
    rig.wait_ms(5);
    rig.ack(packet(10));
    // The ACK that ends Recovery counts for CUBIC too.
    assert_eq!((rig.s.state(), rig.windows()), (CaState::Open, (8, 7)));
}

/// Rule 39: all retransmissions are reported as duplicates while Recovery goes on.
#[test]
fn duplicates_are_reported_during_recovery() {
    let mut rig = out(false, true);
    rig.sack(1, &[(packet(2), packet(6))]);
    assert_eq!(rig.repeated(), [1, packet(1)]);
    rig.wait_ms(50);
    rig.sack(packet(6), &[(1, packet(1))]);
    assert_eq!(rig.windows().1, 7, "one of two");
    rig.sack(packet(6), &[(packet(1), packet(2))]);
    assert_eq!(rig.s.state(), CaState::Open);
    assert_eq!(rig.windows(), (10, INFINITE_SSTHRESH));
}

/// Rules 41.1, 42: after a timeout the echoed timestamp shows an original.
#[test]
fn a_timeout_with_timestamps() {
    let mut rig = out(true, true);
    rig.wait_ms(700);
    assert_eq!(rig.s.state(), CaState::Loss);
    rig.ack(packet(1));
    assert_eq!(rig.s.state(), CaState::Open);
    assert_eq!(rig.windows().1, INFINITE_SSTHRESH);
    assert_eq!(rig.s.counts(), [9, 0, 0, 0]);
}

/// Rule 41.2, F-RTO's second step: new data go out instead of retransmissions, and their ACK decides.
#[test]
fn frto_sends_new_data() {
    let mut rig = out(false, true);
    rig.write(5 * MSS);
    rig.wait_ms(700); // a probe of new data, then the timeout
    assert_eq!(rig.s.state(), CaState::Loss);
    rig.forget();
    rig.ack(packet(1)); // of the retransmission or the original: unknown
    assert!(rig.repeated().is_empty());
    assert_eq!(rig.sent[0].1.seq, packet(11));
    rig.wait_ms(100);
    rig.ack(packet(2)); // the second original
    assert_eq!(rig.s.state(), CaState::Open);
    assert_eq!(rig.windows().1, INFINITE_SSTHRESH);
}

/// Rules 38, 40 without SACK: state stays at high_seq, Eifel undoes.
#[test]
fn newreno_stays_at_high_seq() {
    let mut rig = out(false, false);
    for _ in 0..4 {
        rig.ack(1);
    }
    assert_eq!(rig.s.state(), CaState::Recovery);
    rig.wait_ms(100);
    rig.ack(packet(10));
    assert_eq!(rig.s.state(), CaState::Recovery, "until something above is acknowledged");
    rig.write(MSS);
    rig.wait_ms(100);
    rig.ack(packet(11));
    assert_eq!((rig.s.state(), rig.windows().1), (CaState::Open, 7));
}
