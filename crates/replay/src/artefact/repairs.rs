//! Repairs that were sent and not captured: the receiver reported by SACK that a segment is missing behind one that
//! left later, and has it a round trip later, though the capture shows no further transmission.

use crate::trace::{Arrived, Event};
use std::collections::BTreeMap;

/// A segment that was sent again unseen, and the interval in which it was, in ns of the capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repair {
    /// First number, and the one after the last.
    pub numbers: (u64, u64),
    /// Times at which the receiver reported it missing and received.
    pub times: (i64, i64),
}

/// A segment that is not acknowledged.
#[derive(Clone, Copy, Debug)]
struct Outstanding {
    end: u64,
    sent: i64,
    missing: Option<i64>,
}

/// The scoreboard: data that the receiver has, as the sender learns it.
#[derive(Debug, Default)]
struct Board {
    outstanding: BTreeMap<u64, Outstanding>,
    /// Highest number with SACK.
    fack: u64,
    /// Time at which the last sent of the segments that arrived had left.
    newest: i64,
    found: Vec<Repair>,
    rtt: i64,
}

/// All repairs of a connection whose round trip takes `rtt` ns at least, by their numbers.
pub(crate) fn unseen(events: &[Event], rtt: i64) -> Vec<Repair> {
    let mut board = Board { newest: i64::MIN, rtt, ..Board::default() };
    for event in events {
        match event {
            Event::Sent(sent) if sent.len > 0 => {
                let one = Outstanding {
                    end: sent.seq + u64::from(sent.len),
                    sent: sent.time,
                    missing: None,
                };
                let kept = board.outstanding.entry(sent.seq).or_insert(one);
                kept.sent = sent.time;
            }
            Event::Sent(_) => {}
            Event::Arrived(arrived) => board.arrival(arrived),
        }
    }
    board.found.sort_unstable_by_key(|one| (one.numbers, one.times));
    board.found
}

impl Board {
    fn arrival(&mut self, arrived: &Arrived) {
        let now = arrived.time;
        self.deliver(0, arrived.ack, now);
        for &(left, right) in &arrived.sack[..arrived.blocks] {
            if left >= arrived.ack {
                self.deliver(left, right, now);
                self.report(right, now);
            }
        }
    }

    /// Marks as missing the segments below a new highest number with SACK that left before a segment that arrived.
    fn report(&mut self, right: u64, now: i64) {
        if right > self.fack {
            for (_, one) in self.outstanding.range_mut(self.fack..right) {
                if one.sent < self.newest {
                    one.missing.get_or_insert(now);
                }
            }
            self.fack = right;
        }
    }

    fn deliver(&mut self, left: u64, right: u64, now: i64) {
        while let Some((&seq, &one)) = self.outstanding.range(left..right.max(left)).next() {
            if one.end > right {
                break;
            }
            self.outstanding.remove(&seq);
            self.newest = self.newest.max(one.sent);
            let since = one
                .missing
                .filter(|&since| one.sent < since && now.saturating_sub(since) >= self.rtt);
            if let Some(since) = since {
                self.found.push(Repair { numbers: (seq, one.end), times: (since, now) });
            }
        }
    }
}
