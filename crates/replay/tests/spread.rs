//! Connections whose packets lie on several interfaces of a pcapng file.

use crate::common::{MSS, Packet, slow_start};
use airtcp_core::Cancel;
use airtcp_replay::{Connections, Explanation, UserFacts, explain};

const SECTION: u32 = 0x0A0D_0D0A;

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = (12 + body.len().next_multiple_of(4)) as u32;
    let mut block = [kind.to_le_bytes(), length.to_le_bytes()].concat();
    block.extend(body);
    block.resize(length as usize - 4, 0);
    block.extend(length.to_le_bytes());
    block
}

/// The head of a section with interfaces of raw IP, microseconds.
fn section(interfaces: usize) -> Vec<u8> {
    let mut section = 0x1A2B_3C4D_u32.to_le_bytes().to_vec();
    section.extend([1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]);
    let mut head = block(SECTION, &section);
    (0..interfaces).for_each(|_| head.extend(block(1, &[101, 0, 0, 0, 0, 0, 0, 0])));
    head
}

fn record(interface: u32, packet: &Packet) -> Vec<u8> {
    let kept = packet.headers();
    let (us, length) = (1_700_000_000_000_000 + packet.us, kept.len() as u32);
    let words = [interface, (us >> 32) as u32, us as u32, length, length + u32::from(packet.len)];
    block(6, &[words.map(u32::to_le_bytes).concat(), kept].concat())
}

fn explained(file: &[u8]) -> Explanation {
    let facts = UserFacts { control: Some("cubic".to_owned()), ..UserFacts::default() };
    explain(file, &facts, &Cancel::new()).unwrap()
}

fn assert_whole(file: &[u8]) {
    let explained = explained(file);
    assert_eq!((explained.verdict.segments, &explained.verdict.artefacts[..]), (102, &[][..]));
    assert!(explained.verdict.agrees(), "{}", explained.verdict.differences[0].text());
}

/// A file of two interfaces, of which `on` says on which a packet lies.
fn on_two(on: impl Fn(usize, &Packet) -> u32) -> Vec<u8> {
    let mut file = section(2);
    for (nth, packet) in slow_start(MSS, MSS, 150).iter().enumerate() {
        file.extend(record(on(nth, packet), packet));
    }
    file
}

#[test]
fn each_direction_may_lie_on_an_interface() {
    assert_whole(&on_two(|_, packet| u32::from(packet.out)));
}

#[test]
fn a_connection_may_lie_on_bonded_devices() {
    assert_whole(&on_two(|nth, _| u32::from(nth % 3 == 0)));
}

#[test]
fn a_connection_goes_on_in_another_section() {
    let packets = slow_start(MSS, MSS, 150);
    let (first, second) = packets.split_at(60);
    let of =
        |part: &[Packet]| part.iter().flat_map(|packet| record(0, packet)).collect::<Vec<u8>>();
    assert_whole(&[section(1), of(first), section(1), of(second)].concat());
}

#[test]
fn interfaces_that_show_the_same_stay_apart() {
    let mut file = section(2);
    for packet in slow_start(MSS, MSS, 150) {
        let behind = Packet { us: packet.us + 3000, ttl: packet.ttl - 1, ..packet.clone() };
        file.extend([record(0, &packet), record(1, &behind)].concat());
    }
    assert_whole(&file);
}

/// A connection of 150 packets on an interface, whose SYN has a number, from a time on.
fn connection(interface: u32, isn: u32, after: u64) -> Vec<u8> {
    let moved = |packet: Packet| {
        let (seq, ack) = if packet.out { (isn, 0) } else { (0, isn) };
        Packet { us: packet.us + after, seq: packet.seq + seq, ack: packet.ack + ack, ..packet }
    };
    slow_start(MSS, MSS, 150)
        .into_iter()
        .flat_map(|packet| record(interface, &moved(packet)))
        .collect()
}

#[test]
fn connections_that_used_the_same_ports_stay_apart() {
    let (bytes, other) = (connection(0, 0, 0), connection(0, 1_000_000_000, 60_000_000));
    let in_sections = [section(1), bytes.clone(), section(1), other].concat();
    assert_eq!(Connections::read(&in_sections).unwrap().len(), 2);
    let on_another = connection(1, 1_000_000_000, 60_000_000);
    let on_interfaces = [section(2), bytes, on_another].concat();
    assert_eq!(Connections::read(&on_interfaces).unwrap().len(), 2);
}
