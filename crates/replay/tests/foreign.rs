//! Features of captures of others that the project's own do not show: resets, closes that were waited for, damaged
//! packets, older kernels, packets that a program wrote.

use crate::common::{ACK, MSS, Packet, RTT, SYN, handshake, pcap, slow_start};
use airtcp_core::Cancel;
use airtcp_replay::{Explanation, Refusal, UserFacts, explain};

const FIN: u8 = 1;
const RST: u8 = 4;
const PSH: u8 = 8;

fn of_bytes(bytes: &[u8]) -> Result<Explanation, Refusal> {
    let facts = UserFacts { control: Some("cubic".to_owned()), ..UserFacts::default() };
    explain(bytes, &facts, &Cancel::new())
}

fn explained(packets: &[Packet]) -> Explanation {
    of_bytes(&pcap(packets, 65_535)).unwrap()
}

fn assert_explained(explained: &Explanation) {
    assert!(explained.verdict.agrees(), "{}", explained.verdict.differences[0].text());
}

fn says(explained: &Explanation, message: &str) -> bool {
    explained.verdict.assumptions.iter().any(|line| line.contains(message))
}

#[test]
fn a_reset_with_an_old_number_is_no_probe() {
    let mut packets = handshake(MSS, MSS);
    packets.push(Packet { flags: ACK | PSH, ..Packet::of_sender(RTT + 100, 1, 300) });
    packets.push(Packet { flags: ACK | FIN, ..Packet::of_sender(RTT + 200, 301, 0) });
    packets.push(Packet::of_receiver(2 * RTT + 100, 301));
    packets.push(Packet { len: 40, ..Packet::of_receiver(2 * RTT + 150, 301) });
    packets.push(Packet { flags: RST, ..Packet::of_sender(2 * RTT + 170, 301, 0) });
    let explained = explained(&packets);
    assert_explained(&explained);
    assert_eq!(explained.verdict.segments, 2);
}

#[test]
fn data_with_a_fin_that_nothing_held_waited_for_the_end() {
    let mut packets = handshake(MSS, MSS);
    packets.push(Packet { flags: ACK | PSH, ..Packet::of_sender(RTT + 100, 1, 300) });
    packets.push(Packet::of_receiver(2 * RTT + 100, 301));
    let last = Packet { flags: ACK | PSH | FIN, ..Packet::of_sender(5 * RTT, 301, 200) };
    packets.push(last);
    packets.push(Packet::of_receiver(6 * RTT, 502));
    let explained = explained(&packets);
    assert_explained(&explained);
    assert!(says(&explained, "its last data waited for the end (MSG_MORE, TCP_CORK)"));
}

#[test]
fn writes_that_were_not_captured_end_where_the_gap_does() {
    let mut packets = handshake(MSS, MSS);
    let write = |nth: u64, seq: u32, len: u16| Packet {
        flags: ACK | PSH,
        ..Packet::of_sender(RTT + 100 + nth * 2 * RTT, seq, len)
    };
    packets.push(write(0, 1, 100));
    packets.push(Packet::of_receiver(2 * RTT + 100, 101));
    packets.push(write(1, 301, 100)); // 200 bytes before it were not captured
    packets.push(Packet::of_receiver(4 * RTT + 100, 401));
    packets.push(write(2, 401, 100));
    packets.push(Packet::of_receiver(6 * RTT + 100, 501));
    let explained = explained(&packets);
    assert_explained(&explained);
    assert_eq!((explained.verdict.segments, explained.verdict.unjudged), (3, 0));
    assert_eq!(explained.verdict.artefacts[0].name(), "not-captured");
}

#[test]
fn an_application_may_have_had_no_more_though_the_last_answer_is_not_there() {
    let mut packets = slow_start(MSS, MSS, 150);
    let last = packets.iter().rposition(|packet| packet.out).unwrap();
    let acked = packets.iter().rfind(|packet| !packet.out).unwrap().clone();
    for nth in 1..20_u32 {
        let us = packets[last].us + RTT / 2 + 1200 * u64::from(nth);
        packets.push(Packet::of_receiver(us, acked.ack + nth * u32::from(MSS)));
    }
    let explained = explained(&packets);
    assert_explained(&explained);
    assert!(says(&explained, "had no more to send than it sent"));
}

#[test]
fn files_that_are_no_captures_are_called_what_they_are() {
    for (begins, message) in [
        (&b"snoop\0\0\0\0\0\0\x02"[..], "is a snoop file"),
        (b"GMBU\0\0\0\0", "is a file of Microsoft Network Monitor"),
        (b"\x34\xCD\xB2\xA1", "is a pcap file as Kuznetzov changed it"),
        (b"version https://git-lfs.github.com/spec/v1", "is a pointer of Git LFS"),
        (b"\x1F\x8B\x08", "is compressed twice"),
    ] {
        let bytes = [begins, &[0; 64]].concat();
        let why = of_bytes(&bytes).unwrap_err().to_string();
        assert!(why.starts_with(message), "{why}");
    }
}

/// Two segments, then three, of a sender whose process is late; the last with FIN.
#[test]
fn a_close_before_an_ack_is_handled_before_it() {
    let mut packets = handshake(MSS, MSS);
    let full = u32::from(MSS);
    let at = |us: u64, number: u32| Packet::of_sender(RTT + us, 1 + number * full, MSS);
    packets.extend([at(100, 0), at(105, 1)]);
    packets.push(Packet::of_receiver(RTT + 290, 1 + 2 * full));
    packets.extend((2..10).map(|number| at(620 + u64::from(number), number)));
    packets.push(Packet::of_receiver(RTT + 690, 1 + 4 * full));
    let last = Packet { len: 629, flags: ACK | PSH | FIN, ..at(800, 10) };
    packets.push(last);
    packets.push(Packet::of_receiver(2 * RTT, 1 + 10 * full + 630));
    assert_explained(&explained(&packets));
}

#[test]
fn a_packet_shorter_than_it_says_is_named_and_left_out() {
    let mut packets = slow_start(MSS, MSS, 60);
    let at = packets.iter().rposition(|packet| !packet.out).unwrap();
    packets.insert(at, Packet { us: packets[at].us - 1, ..packets[at - 1].clone() });
    let mut bytes = pcap(&packets, 65_535);
    let length = (0..at).fold(24, |place, nth| place + 16 + packets[nth].headers().len()) + 12;
    let headers = packets[at].headers().len() as u32;
    bytes[length..length + 4].copy_from_slice(&headers.to_le_bytes());
    let explained = of_bytes(&bytes).unwrap();
    assert_explained(&explained);
    assert_eq!(explained.verdict.artefacts[0].name(), "wrong-length");
}

#[test]
fn a_syn_without_mss_is_of_another() {
    let mut packets = slow_start(536, 536, 20);
    packets[0].options = vec![1, 1, 4, 2];
    let explained = explained(&packets);
    assert!(explained.verdict.against_linux.contains(&"its SYN has no MSS".to_owned()));
}

#[test]
fn times_that_count_records_are_refused() {
    let mut packets = slow_start(MSS, MSS, 60);
    packets.iter_mut().zip(0..).for_each(|(packet, us)| packet.us = us);
    let why = of_bytes(&pcap(&packets, 65_535)).unwrap_err().to_string();
    assert!(why.starts_with("has times that no clock gave: 60 of 60 records"), "{why}");
}

#[test]
fn times_that_count_records_of_other_connections_too_are_refused() {
    let mut packets = slow_start(MSS, MSS, 60);
    packets.iter_mut().zip(0..).for_each(|(packet, nth)| packet.us = 1000 * (nth + nth / 20));
    let why = of_bytes(&pcap(&packets, 65_535)).unwrap_err().to_string();
    assert!(why.starts_with("has times that no clock gave: 57 of 60 records"), "{why}");
}

#[test]
fn a_sender_beyond_all_windows_is_of_another() {
    let mut packets = handshake(MSS, MSS);
    let full = u32::from(MSS);
    packets.extend(
        (0..50).map(|nth| Packet::of_sender(RTT + 100 + u64::from(nth), 1 + nth * full, MSS)),
    );
    packets.push(Packet { window: 400, ..Packet::of_receiver(2 * RTT, 1 + full) });
    let explained = explained(&packets);
    let reason = "it sends beyond the window that its peer advertised".to_owned();
    assert!(explained.verdict.against_linux.contains(&reason));
}

#[test]
fn what_was_acknowledged_before_it_was_recorded_was_recorded_late() {
    let mut packets = slow_start(MSS, MSS, 60);
    let at = packets.iter().rposition(|packet| !packet.out).unwrap();
    let acked = packets[at].ack - u32::from(MSS);
    packets.insert(at + 1, Packet::of_sender(packets[at].us + 10, acked, MSS));
    assert_eq!(explained(&packets).verdict.artefacts, []); // On its way as the answer came.
    packets.remove(at + 1);
    packets.insert(at + 3, Packet::of_sender(packets[at + 2].us + 100, acked, MSS));
    let explained = explained(&packets);
    assert_explained(&explained);
    assert_eq!(explained.verdict.artefacts[0].name(), "recorded-late");
}

#[test]
fn both_ends_may_open_at_once() {
    let mut packets = slow_start(MSS, MSS, 60);
    let theirs = Packet { us: RTT / 2, flags: SYN, ack: 0, ..packets[1].clone() };
    let answer = Packet { us: RTT / 2 + 5, flags: SYN | ACK, ack: 1, ..packets[0].clone() };
    packets.splice(1..1, [theirs, answer]);
    assert_explained(&explained(&packets));
}

#[test]
fn what_is_sent_again_at_the_instant_of_its_cause_was_captured() {
    let mut packets = slow_start(MSS, MSS, 60);
    let lost = packets.iter().rposition(|packet| !packet.out).unwrap();
    let ack = packets[lost].ack;
    for nth in 1..4_u32 {
        let us = packets.last().unwrap().us.max(packets[lost].us + RTT) + 40;
        let right = ack + (nth + 1) * u32::from(MSS);
        let mut options = vec![1, 1, 5, 10];
        options.extend((ack + u32::from(MSS)).to_be_bytes());
        options.extend(right.to_be_bytes());
        packets.push(Packet { options, ..Packet::of_receiver(us, ack) });
    }
    let us = packets.last().unwrap().us;
    packets.push(Packet::of_sender(us, ack, MSS));
    packets.push(Packet::of_receiver(us + RTT, ack + 4 * u32::from(MSS)));
    assert_eq!(explained(&packets).verdict.artefacts, []);
}

/// A sender in slow start that holds no burst back, over 0.9 ms, whose SYN advertises a window.
fn undeferred(window: u16) -> Explanation {
    let mut packets = slow_start(MSS, MSS, 60);
    packets[0].window = window;
    for packet in &mut packets {
        packet.us = packet.us / RTT * 900 + packet.us % RTT / 10;
    }
    explained(&packets)
}

#[test]
fn bursts_that_never_wait_are_of_an_old_kernel_and_no_recent_one() {
    let old = undeferred(14_600);
    assert_explained(&old);
    assert!(says(&old, "a Linux before 4.17"));
    assert!(!undeferred(64_240).verdict.agrees());
}

/// A sender that writes 100 bytes every 512 ms, of which some are lost, and counts timestamps in units of so many us.
fn stamped(unit: u64) -> Explanation {
    let stamp = |us: u64, other: u64| {
        let count = |at: u64| ((at / unit) as u32 + 77).to_be_bytes();
        [&[1, 1, 8, 10][..], &count(us), &count(other)].concat()
    };
    let mut packets = handshake(MSS, MSS);
    for packet in &mut packets[..2] {
        packet.options.splice(4..8, [&[4, 2][..], &stamp(packet.us, 0)[2..]].concat());
    }
    let mut rto = 0;
    for nth in 0..12_u32 {
        let (mut left, seq) = (RTT + 512_000 * u64::from(nth + 1), 1 + 100 * nth);
        packets.push(Packet { flags: ACK | PSH, ..Packet::of_sender(left, seq, 100) });
        if nth % 4 == 3 {
            rto = 304_000; // 100 ms and 200 ms more, from tick to tick
            left += rto;
            packets.push(Packet { flags: ACK | PSH, ..Packet::of_sender(left, seq, 100) });
        }
        packets.push(Packet::of_receiver(left + RTT, seq + 100));
        packets.last_mut().unwrap().options = stamp(left + RTT, left);
    }
    for packet in packets.iter_mut().skip(2).filter(|packet| packet.out) {
        packet.options = stamp(packet.us, packet.us - RTT);
    }
    assert!(rto > 0);
    explained(&packets)
}

#[test]
fn timestamps_of_old_kernels_count_ticks() {
    for (unit, said) in [(1000, false), (4000, true), (10_000, true)] {
        let explained = stamped(unit);
        assert_explained(&explained);
        assert_eq!(says(&explained, "a Linux before 4.13: its timestamps count"), said, "{unit}");
    }
}

/// A sender that answers an ACK 10 ms late, while nothing else comes or leaves: the `nth` of all.
fn standing_still(nth: usize) -> Explanation {
    let mut packets = slow_start(MSS, MSS, 150);
    let acks: Vec<usize> = (3..packets.len()).filter(|&at| !packets[at].out).collect();
    packets[acks[nth] + 1..].iter_mut().for_each(|packet| packet.us += 10_000);
    explained(&packets)
}

#[test]
fn a_host_may_stand_still_among_many_packets_and_not_among_few() {
    let always = "always had data to send";
    let (many, few) = (standing_still(25), standing_still(0));
    assert_explained(&many);
    assert!(says(&many, always) && many.verdict.latest > 9_000_000);
    // Then its application may have been late: nothing else explains it.
    assert!(!says(&few, always) && few.verdict.latest < 1_000_000);
}
