//! Sums against plain recounts, and rate samples against the steps of the draft by hand.

use super::{RateSample, Scoreboard, StateSums};
use crate::segment::{Block, Sack};
use airtcp_core::{Instant, Span};

fn at(ms: i64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

/// Numbers one by one: state, and how often each was sent.
#[derive(Default)]
struct Model {
    una: u64,
    numbers: Vec<(char, u32)>,
}

impl Model {
    fn send(&mut self, seq: u64, len: u64) {
        for number in seq..seq + len {
            match self.numbers.get_mut((number - self.una) as usize) {
                Some(mark) => *mark = (if mark.0 == 'l' { 'f' } else { mark.0 }, mark.1 + 1),
                None => self.numbers.push(('f', 1)),
            }
        }
    }

    fn turn(&mut self, start: u64, end: u64, from: &str, to: char, most: u32) {
        let una = self.una;
        for (number, mark) in (una..).zip(&mut self.numbers) {
            if (start..end).contains(&number) && from.contains(mark.0) && mark.1 <= most {
                mark.0 = to;
            }
        }
    }

    fn sums(&self) -> StateSums {
        let of = |state| self.numbers.iter().filter(|mark| mark.0 == state).count() as u64;
        let resent = self.numbers.iter().filter(|mark| mark.1 > 1).count() as u64;
        StateSums { in_flight: of('f'), sacked: of('s'), lost: of('l'), resent }
    }
}

#[test]
fn every_sum_is_a_plain_recount_of_random_histories() {
    let mut state = 1_u64;
    let mut roll = |sides: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % sides
    };
    for _ in 0..200 {
        let (mut segments, mut model, mut judged) =
            (Scoreboard::new(true, true, false), Model::default(), 0);
        for step in 0..150 {
            let (now, high) = (at(step), model.una + model.numbers.len() as u64);
            let within = |roll: u64| model.una + roll % (high - model.una).max(1);
            let (a, b) = (within(roll(1000)), within(roll(1000)));
            let (start, end) = (a.min(b), a.max(b));
            match roll(8) {
                0..3 => {
                    let len = 1 + roll(7);
                    segments.history().unwrap().on_send(now, high, len);
                    model.send(high, len);
                }
                3 => {
                    let len = 1 + roll(9); // may reach beyond what was sent
                    segments.history().unwrap().on_send(now, start, len);
                    model.send(start, len);
                }
                4 => {
                    segments.on_ack(now, start, &Sack::default());
                    model.numbers.drain(..(start - model.una) as usize);
                    model.una = start;
                }
                5 => {
                    let mut sack = Sack::default();
                    sack.push(model.una, Block { start, end });
                    let before = model.sums().sacked;
                    segments.on_ack(now, model.una, &sack);
                    model.turn(start, end, "fl", 's', u32::MAX);
                    assert_eq!(segments.sacked_bytes(), model.sums().sacked - before);
                }
                6 => {
                    segments.history().unwrap().mark_lost_below(end);
                    model.turn(judged, end, "f", 'l', 1);
                    judged = judged.max(end);
                    segments.history().unwrap().mark_lost_at(start, end - start);
                    model.turn(start, end, "f", 'l', u32::MAX);
                }
                _ => match roll(3) {
                    0 => {
                        segments.clear_sack();
                        model.turn(0, u64::MAX, "s", 'f', u32::MAX);
                    }
                    1 => {
                        segments.history().unwrap().mark_all_lost();
                        model.turn(0, u64::MAX, "f", 'l', u32::MAX);
                    }
                    _ => {
                        segments.history().unwrap().unmark_all_lost();
                        model.turn(0, u64::MAX, "l", 'f', u32::MAX);
                    }
                },
            }
            let sums = segments.sums().unwrap();
            assert_eq!(sums, model.sums(), "step {step}");
            assert_eq!(sums, segments.history().unwrap().recount());
            assert_eq!(sums.sacked, segments.sacked_ranges().total());
        }
    }
}

/// Sends `[seq, seq + len)`.
fn send(segments: &mut Scoreboard, ms: i64, seq: u64, len: u64) {
    segments.history().unwrap().on_send(at(ms), seq, len);
}

fn ack(
    segments: &mut Scoreboard,
    ms: i64,
    una: u64,
    block: Option<(u64, u64)>,
) -> Option<RateSample> {
    let mut sack = Sack::default();
    if let Some((start, end)) = block {
        sack.push(una, Block { start, end });
    }
    segments.on_ack(at(ms), una, &sack);
    segments.history().unwrap().sample()
}

fn ms(n: i64) -> Span {
    Span::from_nanos(n * 1_000_000)
}

/// Three segments at 0, 10 and 20 ms, each acknowledged 100 ms later, then one that covers two.
#[test]
fn samples_are_those_of_the_draft_by_hand() {
    let mut segments = Scoreboard::new(true, true, false);
    for i in 0..3 {
        send(&mut segments, 10 * i, 1000 * i as u64, 1000);
    }
    // P1: first_send_time = delivered_time = send_time = 0. Nothing delivered before: 1000 in 100 ms.
    let first = ack(&mut segments, 100, 1000, None).unwrap();
    assert_eq!((first.delivered, first.interval, first.prior_delivered), (1000, ms(100), 0));
    assert_eq!((first.rate, first.rtt), (Some(10_000.0), Some(ms(100))));
    assert_eq!((first.sent_in_flight, first.app_limited), (1000, false));
    // P4 leaves now: its interval begins with that ACK.
    send(&mut segments, 100, 3000, 1000);
    // P2: send_elapsed 10, ack_elapsed 110; delivered 2000 since.
    let second = ack(&mut segments, 110, 2000, None).unwrap();
    assert_eq!((second.delivered, second.interval), (2000, ms(110)));
    assert_eq!(second.sent_in_flight, 2000);
    // The ACK of P3 is lost; that of P4 covers both. P4: first_send_time 0 (that of P1, the newest delivered as
    // P4 left), delivered_time 100, so send_elapsed 100, ack_elapsed 100; 3000 delivered since.
    let third = ack(&mut segments, 200, 4000, None).unwrap();
    assert_eq!((third.delivered, third.interval, third.prior_delivered), (3000, ms(100), 1000));
    assert_eq!((third.rate, third.rtt), (Some(30_000.0), Some(ms(100))));
    assert_eq!(ack(&mut segments, 210, 4000, None), None);
}

#[test]
fn a_report_delivers_and_what_it_reported_is_not_delivered_twice() {
    let mut segments = Scoreboard::new(true, true, false);
    for i in 0..3 {
        send(&mut segments, 0, 1000 * i, 1000);
    }
    // Within a burst the one that ends last is the newest.
    let reported = ack(&mut segments, 50, 0, Some((1000, 3000))).unwrap();
    assert_eq!(
        (reported.delivered, reported.interval, reported.sent_in_flight),
        (2000, ms(50), 3000)
    );
    segments.clear_sack();
    segments.history().unwrap().mark_all_lost();
    send(&mut segments, 60, 0, 1000);
    // Nothing was in flight, so the interval begins at 60. Sent twice: no round trip.
    let repaired = ack(&mut segments, 110, 3000, None).unwrap();
    assert_eq!((repaired.delivered, repaired.interval, repaired.rtt), (1000, ms(50), None));
    assert_eq!(repaired.lost, 0, "all was lost before it was sent again");
}

#[test]
fn an_interval_below_the_least_round_trip_gives_no_rate() {
    let mut segments = Scoreboard::new(true, true, false);
    send(&mut segments, 0, 0, 1000);
    ack(&mut segments, 100, 1000, None).unwrap();
    send(&mut segments, 200, 1000, 1000);
    segments.history().unwrap().mark_all_lost();
    send(&mut segments, 290, 1000, 1000);
    // The original arrives: send_elapsed and ack_elapsed are 0 and 10 from the retransmission.
    let early = ack(&mut segments, 300, 2000, None).unwrap();
    assert_eq!((early.delivered, early.interval, early.rate), (1000, ms(10), None));
}

#[test]
fn what_is_sent_in_a_bubble_of_the_application_is_marked() {
    let mut segments = Scoreboard::new(true, true, false);
    send(&mut segments, 0, 0, 1000);
    segments.history().unwrap().on_idle(10_000); // over once more than 1000 is delivered
    send(&mut segments, 50, 1000, 1000);
    assert!(!ack(&mut segments, 100, 1000, None).unwrap().app_limited);
    send(&mut segments, 110, 2000, 1000);
    assert!(ack(&mut segments, 150, 2000, None).unwrap().app_limited);
    send(&mut segments, 160, 3000, 1000);
    assert!(ack(&mut segments, 210, 3000, None).unwrap().app_limited);
    assert!(!ack(&mut segments, 260, 4000, None).unwrap().app_limited);
    segments.history().unwrap().on_idle(0); // the window is full
    send(&mut segments, 300, 4000, 1000);
    assert!(!ack(&mut segments, 400, 5000, None).unwrap().app_limited);
}
