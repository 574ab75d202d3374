//! Artefacts of captures are named and put right, and not blamed on the sender.

use crate::common::{MSS, Packet, handshake, pcap, slow_start};
use airtcp_core::Cancel;
use airtcp_replay::{Explanation, Refusal, UserFacts, explain};

const SNAP: usize = 65_535;

fn of_bytes(bytes: &[u8]) -> Result<Explanation, Refusal> {
    explain(bytes, &asked(), &Cancel::new())
}

fn explained(packets: &[Packet]) -> Explanation {
    of_bytes(&pcap(packets, SNAP)).unwrap()
}

fn names(explained: &Explanation) -> Vec<&'static str> {
    explained.verdict.artefacts.iter().map(airtcp_replay::Artefact::name).collect()
}

/// Explained to the last segment, with this artefact and no other.
fn assert_named(explained: &Explanation, name: &str) {
    assert_eq!(names(explained), [name]);
    assert!(explained.verdict.agrees(), "{}", explained.verdict.differences[0].text());
    assert_eq!(explained.verdict.unjudged, 0);
}

fn clean() -> Vec<Packet> {
    slow_start(MSS, MSS, 150)
}

fn asked() -> UserFacts {
    UserFacts { control: Some("cubic".to_owned()), ..UserFacts::default() }
}

#[test]
fn a_clean_capture_has_none() {
    let explained = explained(&clean());
    assert!(names(&explained).is_empty() && explained.verdict.agrees());
    assert_eq!(explained.verdict.segments, 102);
}

#[test]
fn a_segment_that_was_not_captured_is_sent_unseen() {
    let mut packets = clean();
    packets.remove(6);
    let explained = explained(&packets);
    assert_named(&explained, "not-captured");
    assert_eq!(explained.verdict.segments, 101);
}

#[test]
fn the_last_segments_may_be_those_that_were_not_captured() {
    let mut packets = clean();
    let last = packets.iter().rposition(|packet| packet.out).unwrap();
    let end = packets[last].seq + u32::from(MSS);
    packets.push(Packet::of_receiver(packets[last].us + 100_000, end));
    packets.remove(last);
    assert_named(&explained(&packets), "not-captured");
}

#[test]
fn two_records_in_the_wrong_order_are_put_right() {
    let mut packets = clean();
    packets.swap(6, 7);
    assert_named(&explained(&packets), "out-of-order");
}

#[test]
fn new_data_with_times_in_order_and_numbers_that_are_not_are_put_right() {
    let mut packets = clean();
    (packets[6].us, packets[7].us) = (packets[7].us, packets[6].us);
    packets.swap(6, 7);
    assert_named(&explained(&packets), "out-of-order");
}

#[test]
fn packets_recorded_twice_count_once() {
    let twice: Vec<Packet> = clean()
        .into_iter()
        .flat_map(|packet| {
            [packet.clone(), Packet { us: packet.us + 1, ttl: packet.ttl - 1, ..packet }]
        })
        .collect();
    let explained = explained(&twice);
    assert_named(&explained, "recorded-twice");
    assert_eq!(explained.verdict.segments, 102);
}

#[test]
fn acks_that_came_twice_are_no_artefact() {
    let doubled: Vec<Packet> = clean()
        .into_iter()
        .flat_map(|packet| if packet.out { vec![packet] } else { vec![packet.clone(), packet] })
        .collect();
    assert!(names(&explained(&doubled)).is_empty());
}

#[test]
fn a_clock_that_was_set_back_is_followed() {
    let mut packets = clean();
    let later = packets.iter_mut().skip(60);
    later.for_each(|packet| packet.us -= 90_000);
    let explained = explained(&packets);
    assert_named(&explained, "clock-step");
}

#[test]
fn a_silence_that_no_sender_keeps_is_a_clock_that_was_set() {
    let mut packets = clean();
    let at = packets.iter().rposition(|packet| !packet.out).unwrap() - 30;
    packets[at..].iter_mut().for_each(|packet| packet.us += 3_000_000);
    let explained = explained(&packets);
    assert_eq!(names(&explained), ["clock-step"]);
}

#[test]
fn a_file_that_is_cut_counts_up_to_there() {
    let bytes = pcap(&clean(), SNAP);
    let explained = of_bytes(&bytes[..bytes.len() - 7]).unwrap();
    assert_named(&explained, "cut-short");
    assert_eq!(explained.verdict.segments, 101);
}

#[test]
fn bytes_behind_the_last_record_are_no_packets() {
    for tail in [vec![0; 100], b"a text that somebody appended\n".to_vec(), vec![0xA5; 64]] {
        let mut bytes = pcap(&clean(), SNAP);
        bytes.extend(tail);
        assert_named(&of_bytes(&bytes).unwrap(), "trailing-bytes");
    }
}

#[test]
fn a_snap_length_that_cuts_the_handshake_is_refused_by_name() {
    let why = of_bytes(&pcap(&clean(), 44)).unwrap_err().to_string();
    assert!(why.contains("options of the handshake are cut"), "{why}");
}

#[test]
fn a_snap_length_that_cuts_sack_blocks_is_named() {
    let mut packets = clean();
    let lost = packets.iter().rposition(|packet| !packet.out).unwrap();
    let mut options = vec![1, 1, 5, 18];
    options.extend(
        [packets[lost].ack + 1460, packets[lost].ack + 2920].map(u32::to_be_bytes).concat(),
    );
    options.extend(
        [packets[lost].ack + 4380, packets[lost].ack + 5840].map(u32::to_be_bytes).concat(),
    );
    packets[lost].options = options;
    let explained = of_bytes(&pcap(&packets, 52)).unwrap();
    assert_eq!(names(&explained), ["snap-length"]);
}

#[test]
fn what_lacks_more_than_it_shows_is_refused() {
    let mut packets = handshake(MSS, MSS);
    packets.push(Packet::of_sender(100_100, 1, MSS));
    packets.push(Packet::of_receiver(200_100, 1_000_000_000));
    let why = explain(&pcap(&packets, SNAP), &asked(), &Cancel::new()).unwrap_err();
    assert!(why.to_string().starts_with("lacks 999998539 bytes"), "{why}");
}

#[test]
fn a_sender_is_bound_by_its_peers_segment_size_alone() {
    for (own, peer) in [(1380, MSS), (1000, MSS)] {
        let explained = explained(&slow_start(own, peer, 150));
        assert!(names(&explained).is_empty());
        assert!(
            explained.verdict.agrees(),
            "own {own}: {}",
            explained.verdict.differences[0].text()
        );
        let text = "segments of up to 1460 bytes with options, as those sent show";
        assert!(explained.verdict.assumptions.iter().any(|line| line == text));
    }
}

#[test]
fn a_repair_that_was_not_captured_is_sent_unseen() {
    let mut packets = clean();
    let at = packets.iter().rposition(|packet| !packet.out).unwrap();
    packets.truncate(at);
    let (us, una) = (packets[at - 1].us, packets[at - 3].ack);
    let sack = |edges: [u32; 2]| [vec![1, 1, 5, 10], edges.map(u32::to_be_bytes).concat()].concat();
    // The oldest segment is missing; what was sent above comes, and the repair a round trip later.
    for nth in 1..=20_u32 {
        let edges = [una + 1460, una + 1460 * (nth + 1)];
        let when = us + 30 + 20 * u64::from(nth);
        packets.push(Packet { options: sack(edges), ..Packet::of_receiver(when, una) });
    }
    packets.push(Packet::of_receiver(us + 100_600, una + 1460 * 21));
    let explained = explained(&packets);
    assert_eq!(names(&explained), ["not-captured"]);
    let text = explained.verdict.artefacts[0].text();
    assert!(text.contains("and 1 were sent again without being captured"), "{text}");
}

/// The clean sender with timestamps, which takes what it heard last for their echo.
fn stamped() -> Vec<Packet> {
    let smaller =
        |seq: u32| seq.saturating_sub(1) / u32::from(MSS) * (u32::from(MSS) - 12) + seq.min(1);
    let mut heard = [0, 0];
    let mut packets = clean();
    for packet in &mut packets {
        (packet.seq, packet.ack) = (smaller(packet.seq), smaller(packet.ack));
        packet.len = packet.len.saturating_sub(12);
        let own = (packet.us / 1000) as u32 + 7;
        let (from, to) = (usize::from(packet.out), usize::from(!packet.out));
        let stamps = [[8, 10].to_vec(), [own, heard[to]].map(u32::to_be_bytes).concat()].concat();
        heard[from] = own;
        match packet.options.len() {
            0 => packet.options = [vec![1, 1], stamps].concat(),
            _ => drop(packet.options.splice(4..8, [vec![4, 2], stamps].concat())),
        }
    }
    packets
}

#[test]
fn an_answer_that_was_not_captured_shows_in_what_the_sender_echoes() {
    let outcome = explained(&stamped());
    assert!(names(&outcome).is_empty() && outcome.verdict.agrees());
    let mut packets = stamped();
    let burst = packets.iter().rposition(|packet| !packet.out).unwrap() - 60;
    let at = (0..burst).rfind(|&at| !packets[at].out).unwrap();
    let number = packets[at].options[4..8].to_vec();
    packets.retain(|packet| packet.out || packet.options[4..8] != number[..]);
    let explained = explained(&packets);
    assert_eq!(names(&explained), ["not-captured"]);
    assert!(explained.verdict.artefacts[0].text().contains("captured, 1 at least, as"));
    assert!(explained.verdict.agrees(), "{}", explained.verdict.differences[0].text());
}
