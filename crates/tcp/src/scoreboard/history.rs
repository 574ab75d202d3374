//! Outstanding segments in order, each with its times of sending, number of transmissions, and state. An ACK costs two
//! searches and a visit to each segment that it covers; nothing is allocated once the ring has grown.

use super::found::{Delivery, LossRecord};
use super::rate::{DeliverySnapshot, RateSample, RateSampler};
use super::sums::StateSums;
use airtcp_core::Instant;
use serde::Serialize;
use std::collections::VecDeque;

/// `[seq, end)`, as it was last sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct SentSegment {
    pub(super) seq: u64,
    pub(super) end: u64,
    first_sent: Instant,
    pub(super) last_sent: Instant,
    /// Rank of the last transmission among all departures, which orders transmissions at one instant.
    pub(super) send_order: u64,
    pub(super) transmissions: u32,
    pub(super) state: State,
    /// True if it counts as delivered already: a report that is forgotten stays so.
    delivered: bool,
    snapshot: DeliverySnapshot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum State {
    InFlight,
    Sacked,
    Lost,
}

impl SentSegment {
    pub(super) fn len(&self) -> u64 {
        self.end - self.seq
    }

    /// Contribution of the segment to the sums.
    fn contribution(&self) -> StateSums {
        let len = self.len();
        let of = |state| if self.state == state { len } else { 0 };
        StateSums {
            in_flight: of(State::InFlight),
            sacked: of(State::Sacked),
            lost: of(State::Lost),
            resent: if self.transmissions > 1 { len } else { 0 },
        }
    }
}

/// All segments sent and not acknowledged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct History {
    pub(super) sent: VecDeque<SentSegment>,
    pub(super) sums: StateSums,
    /// Number of departures.
    departures: u64,
    /// Below it everything was judged by reports, so that only its retransmissions are left.
    marked_lost: u64,
    sampler: RateSampler,
    /// Segments that the current ACK delivers, if the detection needs them.
    pub(super) deliveries: Option<Vec<Delivery>>,
    pub(super) losses: LossRecord,
}

impl History {
    /// `by_time`: whether a detection judges by times.
    pub(crate) fn new(by_time: bool) -> Self {
        let (sent, sums) = (VecDeque::new(), StateSums::default());
        let (deliveries, losses) = (by_time.then(Vec::new), LossRecord::default());
        History {
            sent,
            sums,
            departures: 0,
            marked_lost: 0,
            sampler: RateSampler::new(),
            deliveries,
            losses,
        }
    }

    pub(crate) fn state_sums(&self) -> StateSums {
        self.sums
    }

    /// The sums, counted afresh.
    #[cfg(test)]
    pub(super) fn recount(&self) -> StateSums {
        self.sent.iter().map(SentSegment::contribution).fold(StateSums::default(), |sum, sums| {
            StateSums {
                in_flight: sum.in_flight + sums.in_flight,
                sacked: sum.sacked + sums.sacked,
                lost: sum.lost + sums.lost,
                resent: sum.resent + sums.resent,
            }
        })
    }

    /// Records that `[seq, seq + len)` leaves; part of it may be a retransmission.
    pub(crate) fn on_send(&mut self, now: Instant, seq: u64, len: u64) {
        let (end, known) = (seq + len, self.sent.back().map_or(seq, |last| last.end));
        let snapshot = self.sampler.on_send(now, self.sums.in_flight, len);
        self.departures += 1;
        let place = self.departures;
        for at in self.indices_between(seq, known.min(end)) {
            self.change_segment(at, |sent| {
                (sent.last_sent, sent.send_order) = (now, place);
                (sent.transmissions, sent.snapshot) = (sent.transmissions + 1, snapshot);
                if sent.state == State::Lost {
                    sent.state = State::InFlight;
                }
            });
        }
        let seq = seq.max(known);
        if seq < end {
            let (state, delivered) = (State::InFlight, false);
            let (first_sent, last_sent, times) = (now, now, 1);
            self.sums.in_flight += end - seq;
            self.sent.push_back(SentSegment {
                seq,
                end,
                first_sent,
                last_sent,
                send_order: place,
                transmissions: times,
                state,
                delivered,
                snapshot,
            });
        }
    }

    /// Everything below `una` has arrived.
    pub(crate) fn acknowledge(&mut self, now: Instant, una: u64) {
        while let Some(first) = self.sent.front().filter(|first| first.seq < una) {
            if first.end > una {
                self.split(una);
            }
            self.mark_delivered(now, 0);
            let Some(gone) = self.sent.pop_front() else { return };
            self.sums = subtract(self.sums, gone.contribution());
        }
    }

    /// `[start, end)` is reported for the first time.
    pub(crate) fn mark_sacked(&mut self, now: Instant, start: u64, end: u64) {
        for at in self.indices_between(start, end) {
            self.mark_delivered(now, at);
            self.change_segment(at, |sent| sent.state = State::Sacked);
        }
    }

    /// Clears all SACK reports: the receiver may have reneged.
    pub(crate) fn clear_sack(&mut self) {
        self.change_all_states(State::Sacked, State::InFlight);
    }

    /// `[seq, seq + len)` is lost, unless it is reported.
    pub(crate) fn mark_lost_at(&mut self, seq: u64, len: u64) {
        for at in self.indices_between(seq, seq + len) {
            self.mark_lost_at_index(at);
        }
    }

    /// Marks as lost what lies below `end`, was not reported and was sent once. Of what was retransmitted reports of
    /// other data say nothing.
    pub(crate) fn mark_lost_below(&mut self, end: u64) {
        for at in self.indices_between(self.marked_lost, end) {
            if self.sent[at].transmissions == 1 {
                self.mark_lost_at_index(at);
            }
        }
        self.marked_lost = self.marked_lost.max(end);
    }

    /// All that is not reported is lost.
    pub(crate) fn mark_all_lost(&mut self) {
        for at in 0..self.sent.len() {
            self.mark_lost_at_index(at);
        }
    }

    /// Clears all loss marks: nothing was lost after all.
    pub(crate) fn unmark_all_lost(&mut self) {
        self.change_all_states(State::Lost, State::InFlight);
    }

    /// The application leaves the window unused, and nothing is left to repair.
    pub(crate) fn on_idle(&mut self, cwnd: u64) {
        if self.sums.in_flight < cwnd && self.sums.lost == 0 {
            self.sampler.on_idle(self.sums.in_flight);
        }
    }

    /// The rate sample of the current ACK.
    pub(crate) fn sample(&mut self) -> Option<RateSample> {
        self.sampler.sample()
    }

    pub(super) fn mark_lost_at_index(&mut self, at: usize) {
        if self.sent[at].state == State::InFlight {
            self.sampler.on_loss(self.sent[at].len());
            self.change_segment(at, |sent| sent.state = State::Lost);
        }
    }

    fn mark_delivered(&mut self, now: Instant, at: usize) {
        let sent = &mut self.sent[at];
        if !std::mem::replace(&mut sent.delivered, true) {
            let (what, when) = ((sent.len(), sent.end), (sent.last_sent, sent.transmissions == 1));
            let place = sent.send_order;
            self.sampler.on_delivery(now, what, when, sent.snapshot);
            if let Some(deliveries) = &mut self.deliveries {
                let (sent, is_retransmission) = (when.0, !when.1);
                deliveries.push(Delivery { sent, place, end: what.1, is_retransmission });
            }
        }
    }

    fn change_all_states(&mut self, from: State, to: State) {
        for at in 0..self.sent.len() {
            if self.sent[at].state == from {
                self.change_segment(at, |sent| sent.state = to);
            }
        }
    }

    fn change_segment(&mut self, at: usize, what: impl FnOnce(&mut SentSegment)) {
        let before = self.sent[at].contribution();
        what(&mut self.sent[at]);
        let after = self.sent[at].contribution();
        self.sums = subtract(self.sums, before);
        self.sums = StateSums {
            in_flight: self.sums.in_flight + after.in_flight,
            sacked: self.sums.sacked + after.sacked,
            lost: self.sums.lost + after.lost,
            resent: self.sums.resent + after.resent,
        };
    }

    /// Indices of the segments in `[start, end)`, after splitting at both ends.
    fn indices_between(&mut self, start: u64, end: u64) -> std::ops::Range<usize> {
        if start >= end {
            return 0..0;
        }
        self.split(start);
        self.split(end);
        let place = |bound| self.sent.partition_point(|sent| sent.end <= bound);
        place(start)..place(end)
    }

    /// Splits the segment that contains `at`: retransmissions and SACKs need not match the original segments.
    fn split(&mut self, at: u64) {
        let place = self.sent.partition_point(|sent| sent.end <= at);
        let Some(whole) = self.sent.get_mut(place).filter(|sent| sent.seq < at) else { return };
        let rest = SentSegment { seq: at, ..whole.clone() };
        whole.end = at;
        self.sent.insert(place + 1, rest);
    }
}

fn subtract(sums: StateSums, part: StateSums) -> StateSums {
    StateSums {
        in_flight: sums.in_flight - part.in_flight,
        sacked: sums.sacked - part.sacked,
        lost: sums.lost - part.lost,
        resent: sums.resent - part.resent,
    }
}
