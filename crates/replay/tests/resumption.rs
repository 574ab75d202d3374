//! After a difference our sender stands where the capture shows the kernel's, and goes on from there.

use crate::common::{MSS, Packet, pcap, slow_start};
use airtcp_core::Cancel;
use airtcp_replay::{DifferenceKind, Explanation, UserFacts, explain};

fn explained(packets: &[Packet]) -> Explanation {
    explain(&pcap(packets, 65535), &asked(), &Cancel::new()).unwrap()
}

fn asked() -> UserFacts {
    UserFacts { control: Some("cubic".to_owned()), ..UserFacts::default() }
}

#[test]
fn one_segment_too_many_is_one_difference() {
    let mut packets = slow_start(MSS, MSS, 100);
    let last = packets.iter().rposition(|packet| packet.out).unwrap();
    let extra = Packet::of_sender(packets[last].us + 1, packets[last].seq + 1460, MSS);
    packets.truncate(last + 1);
    packets.push(extra.clone());
    for nth in 0..20 {
        let us = extra.us + 20_000 + 20 * nth;
        let first = packets.iter().filter(|packet| !packet.out).map(|packet| packet.ack).max();
        packets.push(Packet::of_receiver(us, first.unwrap() + u32::from(MSS)));
        for two in 0..2 {
            let seq = extra.seq + u32::from(MSS) * (2 * nth as u32 + two + 1);
            packets.push(Packet::of_sender(us + 5 + u64::from(two), seq, MSS));
        }
    }
    let verdict = explained(&packets).verdict;
    let kinds: Vec<DifferenceKind> =
        verdict.differences.iter().map(|difference| difference.kind).collect();
    assert_eq!(kinds, [DifferenceKind::Missing]);
    assert_eq!(verdict.explained, verdict.segments - 1);
}

#[test]
fn a_first_flight_that_is_too_long_is_one_difference() {
    let mut packets = slow_start(MSS, MSS, 13);
    let last = packets.last().unwrap().clone();
    for nth in 1..=10 {
        packets.push(Packet::of_sender(last.us + nth, last.seq + 1460 * nth as u32, MSS));
    }
    let highest = last.seq + 14_600;
    for nth in 0..20_u32 {
        let us = 250_000 + 20 * u64::from(nth);
        packets.push(Packet::of_receiver(us, 1 + 1460 * (nth + 1)));
        for two in 1..=2 {
            let seq = highest + 1460 * (2 * nth + two);
            packets.push(Packet::of_sender(us + 5 + u64::from(two), seq, MSS));
        }
    }
    let verdict = explained(&packets).verdict;
    assert_eq!(verdict.differences.len(), 1, "{:?}", verdict.differences);
    assert!(verdict.explained >= 48, "{} of {}", verdict.explained, verdict.segments);
}

#[test]
fn a_last_write_that_is_not_acknowledged_any_more_ends_where_it_does() {
    let mut packets = crate::common::handshake(MSS, MSS);
    packets.push(Packet { flags: 24, ..Packet::of_sender(100_100, 1, 200) });
    packets.push(Packet::of_receiver(200_100, 201));
    packets.push(Packet { flags: 24, ..Packet::of_sender(300_100, 201, 300) });
    let verdict = explained(&packets).verdict;
    assert!(verdict.agrees(), "{}", verdict.differences[0].text());
    assert_eq!(verdict.segments, 2);
}

#[test]
fn keepalives_are_not_the_senders() {
    let mut packets = crate::common::handshake(MSS, MSS);
    packets.push(Packet { flags: 24, ..Packet::of_sender(100_100, 1, 200) });
    packets.push(Packet::of_receiver(200_100, 201));
    packets.push(Packet::of_sender(60_200_100, 200, 0));
    packets.push(Packet::of_receiver(60_300_100, 201));
    let verdict = explained(&packets).verdict;
    assert!(verdict.agrees(), "{}", verdict.differences[0].text());
    assert_eq!(verdict.segments, 1);
}
