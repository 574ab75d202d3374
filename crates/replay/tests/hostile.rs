//! Captures made to be dear: what a few packets claim costs no more than what they show.

use crate::common::{MSS, Packet, handshake, pcap, slow_start, steady};
use airtcp_core::Cancel;
use airtcp_replay::{Progress, UserFacts, explain, explain_with_progress};
use std::sync::atomic::{AtomicBool, Ordering};

fn reno() -> UserFacts {
    UserFacts { control: Some("reno".to_owned()), ..UserFacts::default() }
}

#[test]
fn a_number_far_ahead_is_no_gigabyte_that_was_sent() {
    let mut packets = handshake(MSS, MSS);
    packets.push(Packet::of_sender(100_100, 1, MSS));
    packets.push(Packet::of_sender(100_101, 1 << 30, MSS));
    let why = explain(&pcap(&packets, 65_535), &reno(), &Cancel::new()).unwrap_err();
    assert!(why.to_string().starts_with("lacks 1073740363 bytes"), "{why}");
}

#[test]
fn times_that_go_back_at_every_record_are_read_in_their_time() {
    let mut packets = slow_start(MSS, MSS, 20_000);
    packets.iter_mut().enumerate().for_each(|(at, packet)| packet.us ^= (at as u64 & 7) << 4);
    let result =
        explain(&pcap(&packets, 65_535), &UserFacts { differences: 1, ..reno() }, &Cancel::new());
    assert!(result.is_ok());
}

#[test]
fn a_sender_of_another_kind_ends_after_so_many_differences() {
    let mut packets = handshake(MSS, MSS);
    let mut next = 1;
    for turn in 0..4000_u64 {
        let us = 100_100 + 7_000 * turn + 1_000 * (turn * turn % 5);
        for _ in 0..=turn % 3 {
            packets.push(Packet::of_sender(us, next, MSS - (turn % 7) as u16));
            next += u32::from(MSS) - (turn % 7) as u32;
        }
        packets.push(Packet::of_receiver(us + 1500, next));
    }
    let progress = Progress::default();
    let explained =
        explain_with_progress(&pcap(&packets, 65_535), &reno(), &Cancel::new(), &progress).unwrap();
    assert_eq!(explained.verdict.differences.len(), 100);
    assert!(explained.verdict.stopped_at.is_some_and(|at| at < explained.verdict.segments));
    let (furthest, segments, trials) = progress.counts();
    assert!(furthest > 0 && furthest <= segments && trials > 32, "{furthest} {segments} {trials}");
}

#[test]
fn whoever_asks_for_the_end_is_heard_in_the_middle_of_trials() {
    let packets = slow_start(MSS, MSS, 5000);
    let (bytes, cancel, done) = (pcap(&packets, 65_535), Cancel::new(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let work = scope.spawn(|| {
            let result = explain(&bytes, &UserFacts::default(), &cancel);
            done.store(true, Ordering::Relaxed);
            result.is_ok()
        });
        std::thread::sleep(std::time::Duration::from_millis(50));
        cancel.set();
        std::thread::sleep(std::time::Duration::from_millis(900));
        assert!(done.load(Ordering::Relaxed));
        assert!(work.join().unwrap());
    });
}

#[test]
fn a_hundred_thousand_segments_that_match_take_a_trial_per_forty_segments() {
    let bytes = pcap(&steady(100_000), 65_535);
    let progress = Progress::default();
    let explained =
        explain_with_progress(&bytes, &UserFacts::default(), &Cancel::new(), &progress).unwrap();
    assert!(explained.verdict.agrees(), "{}", explained.verdict.differences[0].text());
    assert!(explained.verdict.segments >= 100_000);
    let (_, _, trials) = progress.counts();
    assert!(trials <= 100_000 / 40, "{trials} trials");
}
