//! Repairs that were sent and not captured: the receiver reported by SACK that a segment is missing behind one that
//! left later, and has it a round trip later, though the capture shows no further transmission.

use crate::trace::{ArrivedSegment, Event};
use std::collections::BTreeMap;

/// A segment that was retransmitted unseen, and the interval in which it was, in ns of the capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UncapturedRetransmission {
    /// First number, and the one after the last.
    pub range: (u64, u64),
    /// Times at which the receiver reported it missing and received.
    pub interval: (i64, i64),
}

/// A segment that is not acknowledged.
#[derive(Clone, Copy, Debug)]
struct OutstandingSegment {
    end: u64,
    sent: i64,
    missing_since: Option<i64>,
}

/// The scoreboard: data that the receiver has, as the sender learns it.
#[derive(Debug, Default)]
struct SackScoreboard {
    outstanding: BTreeMap<u64, OutstandingSegment>,
    /// Highest number with SACK.
    fack: u64,
    /// Time at which the last sent of the segments that arrived had left.
    latest_sent: i64,
    retransmissions: Vec<UncapturedRetransmission>,
    rtt: i64,
}

/// All repairs of a connection whose round trip takes `rtt` ns at least, by their numbers.
pub(crate) fn uncaptured_retransmissions(
    events: &[Event],
    rtt: i64,
) -> Vec<UncapturedRetransmission> {
    let mut board = SackScoreboard { latest_sent: i64::MIN, rtt, ..SackScoreboard::default() };
    for event in events {
        match event {
            Event::Sent(sent) if sent.len > 0 => {
                let segment = OutstandingSegment {
                    end: sent.seq + u64::from(sent.len),
                    sent: sent.time,
                    missing_since: None,
                };
                let kept = board.outstanding.entry(sent.seq).or_insert(segment);
                kept.sent = sent.time;
            }
            Event::Sent(_) => {}
            Event::Arrived(arrived) => board.on_arrival(arrived),
        }
    }
    board
        .retransmissions
        .sort_unstable_by_key(|retransmission| (retransmission.range, retransmission.interval));
    board.retransmissions
}

impl SackScoreboard {
    fn on_arrival(&mut self, arrived: &ArrivedSegment) {
        let now = arrived.time;
        self.mark_received(0, arrived.ack, now);
        for &(left, right) in &arrived.sack[..arrived.blocks] {
            if left >= arrived.ack {
                self.mark_received(left, right, now);
                self.on_sack(right, now);
            }
        }
    }

    /// Marks as missing the segments below a new highest number with SACK that left before a segment that arrived.
    fn on_sack(&mut self, right: u64, now: i64) {
        if right > self.fack {
            for (_, segment) in self.outstanding.range_mut(self.fack..right) {
                if segment.sent < self.latest_sent {
                    segment.missing_since.get_or_insert(now);
                }
            }
            self.fack = right;
        }
    }

    fn mark_received(&mut self, left: u64, right: u64, now: i64) {
        while let Some((&seq, &segment)) = self.outstanding.range(left..right.max(left)).next() {
            if segment.end > right {
                break;
            }
            self.outstanding.remove(&seq);
            self.latest_sent = self.latest_sent.max(segment.sent);
            let since = segment
                .missing_since
                .filter(|&since| segment.sent < since && now.saturating_sub(since) >= self.rtt);
            if let Some(since) = since {
                self.retransmissions.push(UncapturedRetransmission {
                    range: (seq, segment.end),
                    interval: (since, now),
                });
            }
        }
    }
}
