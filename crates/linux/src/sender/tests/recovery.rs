//! Losses, in logical time, by the rules.

use super::rig::{MSS, Rig, establishment};
use crate::congestion::CaState;
use crate::sender::{AckVerdict, Establishment, ObservedState, SenderOptions};
use crate::sysctl::Sysctl;

/// `n` packets are out and a round trip of 100 ms has passed since.
fn out(n: u32) -> Rig {
    let mut rig = Rig::new(100_000);
    rig.s.set_observed_state(&ObservedState { cwnd: Some(n), ..ObservedState::default() });
    rig.write(u64::from(n) * MSS);
    rig.wait_ms(100);
    assert_eq!(rig.s.counts(), [n, 0, 0, 0]);
    rig.forget();
    rig
}

fn packet(n: u64) -> u64 {
    1 + n * MSS
}

/// rules/recovery.md rule 47: three losses of ten, nothing new to send; PRR lets one repetition out per SACK, and
/// all before ssthresh is reached from below.
#[test]
fn three_losses_of_ten() {
    let mut rig = out(10);
    rig.sack(1, &[(packet(3), packet(6))]);
    // S = 3, L = 3: in flight 4, 3 below ssthresh; 3 delivered, none sent: 3 may go.
    assert_eq!(rig.s.state(), CaState::Recovery);
    assert_eq!(rig.repeated(), [1, packet(1), packet(2)]);
    assert_eq!(rig.windows(), (7, 7));
    assert_eq!(rig.s.counts(), [10, 3, 3, 3]);
    rig.wait_ms(100);
    rig.ack(packet(10));
    assert_eq!(rig.windows(), (8, 7), "rule 45, and CUBIC grows by the same ACK");
    assert_eq!(rig.s.state(), CaState::Open);
}

/// rules/rack.md rules 4, 13: a lost retransmission is found by a later one.
#[test]
fn a_retransmission_is_lost() {
    let mut rig = out(10);
    rig.sack(1, &[(packet(2), packet(6))]);
    assert_eq!(rig.repeated(), [1, packet(1)]);
    rig.wait_ms(2);
    rig.forget();
    rig.sack(1, &[(packet(2), packet(10))]);
    assert!(rig.sent.is_empty());
    rig.wait_ms(98);
    // The second retransmission arrives, the first one, of the same instant, does not.
    rig.sack(1, &[(packet(1), packet(10))]);
    assert_eq!(rig.s.counts(), [10, 9, 1, 1]);
    assert_eq!(rig.repeated(), [1], "for the second time");
    assert_eq!(rig.info("tcpi_total_retrans"), 3);
}

/// rules/recovery.md rules 24, 28, 44.1: what was SACKed is gone.
#[test]
fn the_peer_reneges() {
    let mut rig = out(10);
    rig.sack(1, &[(packet(1), packet(3))]);
    rig.wait_ms(1);
    rig.sack(packet(1), &[(packet(5), packet(6))]); // the head is SACKed and not acknowledged
    assert_eq!(rig.s.timer(), "rto");
    let soon = rig.s.next_timer().nanos() - rig.time;
    assert!((50_000_000..60_000_000).contains(&soon), "half of SRTT, not {soon} ns");
    rig.forget();
    rig.wait_ms(60);
    assert_eq!(rig.s.state(), CaState::Loss);
    let [o, s, l, r] = rig.s.counts();
    assert_eq!((o, s, l, r), (9, 0, 9, 1));
    assert_eq!(rig.repeated(), [packet(1)]);
    rig.check();
    rig.ack(packet(10));
    assert_eq!(rig.s.state(), CaState::Open);
}

/// rules/recovery.md rules 44, 41: a timeout, then slow start from one packet.
#[test]
fn a_timeout_starts_from_one_packet() {
    let mut rig = out(10);
    rig.wait_ms(700);
    assert_eq!(rig.s.state(), CaState::Loss);
    assert_eq!((rig.windows(), rig.info("tcpi_total_rto")), ((1, 7), 1));
    assert_eq!(rig.s.counts(), [10, 0, 10, 1]);
    rig.forget();
    rig.ack(packet(1)); // of the retransmission: F-RTO finds nothing new to send
    assert_eq!(rig.repeated(), [packet(1), packet(2)]);
    assert_eq!(rig.windows().0, 2);
}

/// rules/timers.md rules 12, 13; rules/recovery.md rule 44.2: a second timeout does not reduce again.
#[test]
fn timeouts_in_a_row() {
    let mut rig = out(10);
    rig.wait_ms(3000);
    assert!(rig.info("tcpi_retransmits") >= 3);
    assert_eq!(rig.windows(), (1, 7));
    assert_eq!(i128::from(rig.s.rto()) * 4000, rig.info("tcpi_rto"));
    assert_eq!(rig.info("tcpi_backoff"), rig.info("tcpi_retransmits"));
}

/// rules/timers.md rule 15: 924.6 s by default.
#[test]
fn giving_up() {
    let mut rig = out(1);
    rig.wait_ms(920_000);
    assert!(!rig.s.gave_up());
    rig.wait_ms(200_000);
    assert!(rig.s.gave_up());
}

/// rules/recovery.md rules 29, 34, 46; rules/options.md rule 10.
#[test]
fn congestion_is_experienced() {
    let e = Establishment { ecn: true, ..establishment(100_000) };
    let mut rig = Rig::with(&Sysctl::default(), SenderOptions::default(), &e);
    rig.write(30 * MSS);
    assert!(rig.sent.iter().all(|(_, o)| o.ect && !o.cwr));
    rig.wait_ms(100);
    rig.forget();
    assert_eq!(rig.segment(packet(1), &[], true), AckVerdict::Ok);
    assert_eq!(rig.s.state(), CaState::Cwr);
    assert_eq!(rig.windows().1, 7);
    for n in 2..=8 {
        rig.wait_ms(2);
        rig.segment(packet(n), &[], true);
    }
    assert_eq!(rig.windows(), (7, 7));
    let marked: Vec<bool> = rig.sent.iter().map(|(_, o)| o.cwr).collect();
    assert!(marked[0] && marked[1..].iter().all(|cwr| !cwr), "CWR once: {marked:?}");
    rig.ack(packet(10));
    assert_eq!(rig.s.state(), CaState::Cwr, "high_seq itself does not end it");
    rig.ack(packet(11));
    assert_eq!(rig.s.state(), CaState::Open);
}

/// rules/timers.md rule 21: the peer reports the probe as a duplicate.
#[test]
fn the_probe_was_needless() {
    let mut rig = out(4);
    rig.wait_ms(120);
    assert_eq!(rig.repeated(), [packet(3)]);
    rig.sack(packet(4), &[(packet(3), packet(4))]);
    assert_eq!((rig.s.state(), rig.windows().1), (CaState::Open, u32::MAX >> 1));
    rig.write(MSS);
    rig.wait_ms(20);
    rig.ack(packet(5));
    assert!(rig.windows().0 >= 4);
}

/// rules/timers.md rule 21: nothing of it arrived twice and nothing beyond it: the episode stays open.
#[test]
fn the_probe_is_only_acknowledged() {
    let mut rig = out(4);
    rig.wait_ms(120);
    rig.ack(packet(4));
    rig.write(2 * MSS);
    rig.wait_ms(400);
    // rules/timers.md rules 19, 22: no second probe while it is open
    assert_eq!(rig.s.state(), CaState::Loss);
}

/// rules/timers.md rule 19: with data unsent the probe is new data; its ACK ends the episode without harm.
#[test]
fn the_probe_is_new_data() {
    let mut rig = out(10);
    rig.write(5 * MSS); // cwnd is full
    assert!(rig.sent.is_empty());
    rig.wait_ms(120);
    assert_eq!(rig.packets(), 1);
    assert_eq!(rig.sent[0].1.seq, packet(10));
    assert!(!rig.sent[0].1.retransmission);
    rig.ack(packet(11));
    assert_eq!(rig.s.state(), CaState::Open);
    assert_eq!(rig.windows().1, u32::MAX >> 1);
}

/// rules/timers.md rule 20 and rules/rack.md rule 12: SACK of the probe finds what it overtook.
#[test]
fn the_probe_reveals_a_lost_tail() {
    let mut rig = out(4);
    rig.wait_ms(120);
    rig.forget();
    rig.wait_ms(100);
    rig.sack(1, &[(packet(3), packet(4))]);
    // Sent 200 ms before the probe: all three are overdue.
    assert_eq!(rig.s.counts(), [4, 1, 3, 1]);
    assert_eq!(rig.s.state(), CaState::Recovery);
    assert_eq!(rig.repeated(), [1]);
}

/// rules/recovery.md rules 1, 2.
#[test]
fn acks_from_elsewhere() {
    let mut rig = out(4);
    assert_eq!(rig.segment(packet(5), &[], false), AckVerdict::Challenge);
    rig.ack(packet(4));
    rig.write(10 * MSS);
    assert_eq!(rig.segment(packet(2), &[], false), AckVerdict::Ok);
    assert_eq!(rig.s.una(), packet(4));
    // An old ACK brings news by SACK all the same.
    rig.segment(packet(2), &[(packet(7), packet(10))], false);
    assert_eq!(rig.s.counts()[1], 3);
    rig.s.set_observed_state(&ObservedState::default());
}

/// rules/recovery.md rules 19, 21; rules/rack.md rule 5: late originals raise the metric, and RACK then waits in
/// Recovery too.
#[test]
fn reordering_is_learnt() {
    let mut rig = out(20);
    rig.sack(1, &[(packet(10), packet(11))]);
    assert_eq!(rig.s.reordering(), 3);
    rig.wait_ms(5);
    rig.sack(1, &[(packet(2), packet(3)), (packet(10), packet(11))]);
    assert_eq!(rig.s.reordering(), 9);
    rig.wait_ms(5);
    rig.forget();
    rig.sack(1, &[(packet(2), packet(11))]);
    assert!(rig.repeated().is_empty());
    rig.wait_ms(40);
    assert_eq!(rig.repeated()[0], 1);
}

/// rules/sending.md rule 28: small packets are repeated together.
#[test]
fn small_packets_are_repeated_as_one() {
    let mut rig = Rig::with(
        &Sysctl::default(),
        SenderOptions { nodelay: true, ..SenderOptions::default() },
        &establishment(100_000),
    );
    for _ in 0..6 {
        rig.write(100);
    }
    assert_eq!(rig.packets(), 6);
    rig.wait_ms(100);
    rig.forget();
    rig.sack(1, &[(301, 601)]);
    assert_eq!(rig.sent.len(), 1);
    assert_eq!((rig.sent[0].1.seq, rig.sent[0].1.len), (1, 300));
    assert_eq!(rig.s.counts(), [4, 3, 1, 1]);
}
