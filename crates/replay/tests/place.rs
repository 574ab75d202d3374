//! Where a capture was taken is said, and what does not show the sender's end is refused.

use crate::common::{MSS, Packet, pcap, slow_start};
use airtcp_core::Cancel;
use airtcp_replay::{CapturePoint, UserFacts, explain};

/// A capture of packets over a round trip of `rtt` us, seen `away` us from the sender.
fn seen(rtt: u64, away: u64) -> Vec<u8> {
    let flights = slow_start(MSS, MSS, 60);
    let scaled = |us: u64| us / crate::common::RTT * rtt + us % crate::common::RTT / 10;
    let mut packets: Vec<Packet> = flights
        .into_iter()
        .map(|packet| {
            let us = scaled(packet.us) + 1000;
            Packet { us: if packet.out { us + away } else { us - away }, ..packet }
        })
        .collect();
    packets.sort_by_key(|packet| packet.us);
    pcap(&packets, 65_535)
}

fn whereabouts(rtt: u64, away: u64) -> Result<CapturePoint, String> {
    let result =
        explain(&seen(rtt, away), &UserFacts { differences: 1, ..asked() }, &Cancel::new());
    result.map(|explained| explained.verdict.place.capture_point()).map_err(|why| why.to_string())
}

fn asked() -> UserFacts {
    UserFacts { control: Some("cubic".to_owned()), ..UserFacts::default() }
}

#[test]
fn at_the_senders_end() {
    assert_eq!(whereabouts(100_000, 0), Ok(CapturePoint::Sender));
    assert_eq!(whereabouts(400, 0), Ok(CapturePoint::Sender));
    assert_eq!(whereabouts(60, 30), Ok(CapturePoint::Sender));
}

#[test]
fn near_the_sender_is_near_enough() {
    assert_eq!(whereabouts(800, 200), Ok(CapturePoint::NearSender));
}

#[test]
fn an_access_point_is_between_both_ends() {
    let why = whereabouts(100_000, 20_000).unwrap_err();
    assert!(
        why.starts_with("was taken between both ends: there the sender answers after 40.0"),
        "{why}"
    );
}

#[test]
fn the_receivers_end_is_told_on_a_lan_too() {
    for (rtt, away) in [(100_000, 50_000), (400, 195)] {
        let why = whereabouts(rtt, away).unwrap_err();
        assert!(why.starts_with("was taken at the receiver's end"), "{why}");
    }
}
