//! RFC 2018: the examples of its section 7 and the option's length; RFC 5681 4.2: delayed ACKs.

use crate::rfc::script::ms;
use airtcp_core::{Instant, Payload, Span};
use airtcp_tcp::{Receiver, ReceiverConfig, SackConfig, Segment};

const ACK_BITS: u64 = 320;

fn receiver(delayed_ack: Span, mss: u32) -> Receiver {
    Receiver::new(&ReceiverConfig {
        delayed_ack,
        mss,
        ..ReceiverConfig::immediate(1 << 20, ACK_BITS, Some(SackConfig::RFC2018))
    })
}

fn data(seq: u64, len: u32) -> Segment {
    Segment::Data { seq, len, bits: 8 * u64::from(len), stamp: 0 }
}

type Ack = (u64, Vec<(u64, u64)>);

fn arrive(receiver: &mut Receiver, at: i64, seq: u64, len: u32) -> Option<Ack> {
    let now = Instant::START + ms(at);
    receiver.on_segment(now, &data(seq, len));
    receiver.poll_transmit(now).map(|ack| read(&ack))
}

fn read(ack: &Segment) -> Ack {
    let Segment::Ack { next, sack, .. } = ack else { panic!("{ack:?}") };
    (*next, sack.blocks(*next).map(|b| (b.start, b.end)).collect())
}

/// The left edge is 5000; segments are of 500 bytes.
fn at_5000() -> Receiver {
    let mut receiver = receiver(Span::ZERO, 500);
    arrive(&mut receiver, 0, 0, 5000);
    receiver
}

fn segment(receiver: &mut Receiver, seq: u64) -> Ack {
    arrive(receiver, 0, seq, 500).expect("every segment is acknowledged")
}

#[test]
fn rfc2018_case_1_the_last_four_of_eight_are_lost() {
    let mut receiver = at_5000();
    let acks = [5000, 5500, 6000, 6500].map(|seq| segment(&mut receiver, seq));
    assert_eq!(acks[3], (7000, vec![]), "no SACK option");
}

#[test]
fn rfc2018_case_2_the_first_of_eight_is_lost() {
    let mut receiver = at_5000();
    for seq in (5500..=8500).step_by(500) {
        assert_eq!(segment(&mut receiver, seq), (5000, vec![(5500, seq + 500)]));
    }
}

#[test]
fn rfc2018_case_3_every_second_one_is_lost_and_two_come_late() {
    let mut receiver = at_5000();
    let acks = [5000, 6000, 7000, 8000, 6500, 5500].map(|seq| segment(&mut receiver, seq));
    let expected = [
        (5500, vec![]),
        (5500, vec![(6000, 6500)]),
        (5500, vec![(7000, 7500), (6000, 6500)]),
        (5500, vec![(8000, 8500), (7000, 7500), (6000, 6500)]),
        (5500, vec![(6000, 7500), (8000, 8500)]),
        (7500, vec![(8000, 8500)]),
    ];
    assert_eq!(acks, expected);
}

#[test]
fn rfc2018_3_at_most_four_blocks_and_their_length_on_the_wire() {
    let mut receiver = receiver(Span::ZERO, 500);
    let mut bits = vec![];
    for hole in 0..6 {
        receiver.on_segment(Instant::START, &data(1000 * hole + 500, 500));
        let ack = receiver.poll_transmit(Instant::START).expect("out of order: at once");
        bits.push(ack.bits() - ACK_BITS);
        let most: Vec<_> =
            (0..=hole).rev().take(4).map(|h| (1000 * h + 500, 1000 * h + 1000)).collect();
        assert_eq!(read(&ack), (0, most));
    }
    // 2 + 8 n bytes, padded to a multiple of four.
    assert_eq!(bits, [12, 20, 28, 36, 36, 36].map(|bytes| 8 * bytes));
}

#[test]
fn rfc5681_4_2_one_ack_for_two_full_segments() {
    let mut receiver = receiver(ms(100), 1000);
    assert_eq!(arrive(&mut receiver, 0, 0, 1000), None);
    assert_eq!(arrive(&mut receiver, 1, 1000, 1000), Some((2000, vec![])));
    assert_eq!(receiver.poll_timeout(), Instant::NEVER);
    assert_eq!(arrive(&mut receiver, 2, 2000, 1000), None);
    // Two short ones make no full segment of theirs: they wait on.
    assert_eq!(arrive(&mut receiver, 3, 3000, 400), None);
    assert_eq!(arrive(&mut receiver, 4, 3400, 600), Some((4000, vec![])));
}

#[test]
fn rfc5681_4_2_no_ack_is_later_than_the_delay_of_the_first_segment_without_one() {
    let mut receiver = receiver(ms(100), 1000);
    arrive(&mut receiver, 20, 0, 1000);
    arrive(&mut receiver, 30, 1000, 1000);
    arrive(&mut receiver, 50, 2000, 1000);
    let due = Instant::START + ms(150);
    assert_eq!(receiver.poll_timeout(), due);
    arrive(&mut receiver, 60, 3000, 10);
    assert_eq!(receiver.poll_timeout(), due);
    receiver.on_timer(Instant::START + ms(149));
    assert_eq!(receiver.poll_transmit(due), None);
    receiver.on_timer(due);
    assert_eq!(receiver.poll_transmit(due).map(|a| read(&a)), Some((3010, vec![])));
    assert_eq!(receiver.poll_timeout(), Instant::NEVER);
}

#[test]
fn rfc5681_4_2_out_of_order_duplicate_and_filling_segments_are_acknowledged_at_once() {
    let mut receiver = receiver(ms(100), 1000);
    assert_eq!(arrive(&mut receiver, 0, 0, 1000), None);
    assert_eq!(arrive(&mut receiver, 1, 2000, 1000), Some((1000, vec![(2000, 3000)])));
    assert_eq!(
        arrive(&mut receiver, 2, 4000, 1000),
        Some((1000, vec![(4000, 5000), (2000, 3000)]))
    );
    assert_eq!(arrive(&mut receiver, 3, 1000, 1000), Some((3000, vec![(4000, 5000)])), "part");
    assert_eq!(arrive(&mut receiver, 4, 3000, 1000), Some((5000, vec![])), "the rest");
    assert_eq!(arrive(&mut receiver, 5, 3000, 1000), Some((5000, vec![])), "a duplicate");
    assert_eq!(receiver.poll_timeout(), Instant::NEVER);
}

/// ACKs as (next, echo) of segments of 500 bytes at 0 ms, given as (time sent, number).
fn echoes(delayed_ack: Span, segments: &[(u32, u64)]) -> Vec<(u64, u32)> {
    let mut receiver = Receiver::new(&ReceiverConfig {
        delayed_ack,
        mss: 500,
        timestamps: true,
        ..ReceiverConfig::immediate(1 << 20, ACK_BITS, None)
    });
    let mut acks = vec![];
    for &(stamp, number) in segments {
        let segment = Segment::Data { seq: 500 * number, len: 500, bits: 1, stamp };
        receiver.on_segment(Instant::START, &segment);
        if let Some(Segment::Ack { next, echo, .. }) = receiver.poll_transmit(Instant::START) {
            acks.push((next / 500, echo));
        }
    }
    acks
}

#[test]
fn rfc7323_4_3_a_delayed_ack_echoes_the_earliest_segment_that_it_answers() {
    let acks = echoes(ms(100), &[(1, 0), (2, 1), (3, 2), (4, 3)]);
    assert_eq!(acks, [(2, 1), (4, 3)]);
}

#[test]
fn rfc7323_4_3_beyond_a_hole_the_last_in_order_is_echoed_and_then_what_fills_it() {
    let acks = echoes(Span::ZERO, &[(1, 0), (3, 2), (4, 3), (2, 1), (5, 4)]);
    assert_eq!(acks, [(1, 1), (1, 1), (1, 1), (4, 2), (5, 5)]);
}

#[test]
fn rfc7323_4_3_a_retransmission_of_what_was_acknowledged_is_echoed_an_older_copy_not() {
    let acks = echoes(Span::ZERO, &[(1, 0), (9, 0), (2, 1), (10, 2)]);
    assert_eq!(acks, [(1, 1), (1, 9), (2, 9), (3, 10)]);
}
