//! A sender that cannot be Linux is called that, with the reasons.

use crate::common::{MSS, Packet, pcap, slow_start};
use airtcp_core::Cancel;
use airtcp_replay::{UserFacts, explain};

fn reasons(packets: &[Packet]) -> Vec<String> {
    let facts =
        UserFacts { control: Some("cubic".to_owned()), differences: 1, ..UserFacts::default() };
    explain(&pcap(packets, 65_535), &facts, &Cancel::new()).unwrap().verdict.against_linux
}

fn packets() -> Vec<Packet> {
    slow_start(MSS, MSS, 40)
}

#[test]
fn a_sender_that_may_be_linux_is_not_doubted() {
    assert!(reasons(&packets()).is_empty());
}

#[test]
fn packets_that_begin_with_128_hops_are_of_another() {
    let mut packets = packets();
    packets.iter_mut().filter(|packet| packet.out).for_each(|packet| packet.ttl = 128);
    let texts = ["its packets begin with 128 hops", "its SYN has no timestamps"];
    assert_eq!(reasons(&packets), texts);
}

#[test]
fn options_in_another_order_are_of_another() {
    let mut packets = packets();
    packets[0].options = vec![2, 4, 5, 180, 1, 3, 3, 7, 1, 1, 4, 2];
    assert_eq!(reasons(&packets)[0], "the options of its SYN are in another order");
}

#[test]
fn a_byte_in_a_keepalive_is_of_another() {
    let mut packets = packets();
    let last =
        packets.iter().filter(|packet| packet.out).max_by_key(|packet| packet.seq).unwrap().clone();
    let (us, end) = (packets.last().unwrap().us, last.seq + u32::from(MSS));
    packets.push(Packet::of_receiver(us + 100_000, end));
    packets.push(Packet::of_sender(us + 45_000_000, end - 1, 1));
    packets.push(Packet::of_receiver(us + 45_100_000, end));
    let texts = ["its keepalives carry a byte", "its SYN has no timestamps"];
    assert_eq!(reasons(&packets), texts);
}
