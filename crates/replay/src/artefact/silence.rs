//! Gaps longer than the retransmission timeout with data outstanding and no retransmission: no real pause, but a clock
//! that was set forward.
//!
//! A path that pauses and a clock that is set look alike in a capture without timestamps until a timer of the sender is
//! due. The timeout [RFC 6298 2] is the one that every sender has, so that a shorter pause cannot be recognized.

use super::stamps;
use crate::system;
use airtcp_capture::Segment;
use airtcp_capture::distance;
use std::collections::VecDeque;

/// Least timeout of Linux in ns [crates/linux/rules/rtt.md], and of others [RFC 6298 2.4].
const LINUX_MIN_RTO: i64 = 200_000_000;
const RFC_MIN_RTO: i64 = 1_000_000_000;
/// Longest timeout of Linux in ns; the least that others may have is less [RFC 6298 2.5].
const MAX_RTO: i64 = 120_000_000_000;
/// Nanoseconds by which a timer may fire late, in addition to an eighth of its duration [crates/linux/rules/timers.md
/// rule 2].
const TIMER_LATENESS: i64 = 20_000_000;
/// Nanoseconds that a step found by times alone leaves between two records.
const GAP_AFTER_STEP: i64 = 10_000;

/// A segment that is not acknowledged.
#[derive(Clone, Copy, Debug)]
struct OutstandingSegment {
    end: u32,
    sent_at: i64,
    /// Number of times that it was retransmitted.
    retransmissions: u32,
}

/// Outstanding segments of the sender, and its retransmission timeout.
#[derive(Debug)]
pub(super) struct SilenceCheck {
    /// True if the capture has no usable timestamps; with timestamps, gaps are not examined.
    has_no_timestamps: bool,
    min_rto: i64,
    outstanding: VecDeque<OutstandingSegment>,
    highest: Option<u32>,
    /// Largest number of retransmissions of one outstanding segment, valid until data up to `backoff_end` are
    /// acknowledged.
    max_retransmissions: u32,
    backoff_end: u32,
    /// Smoothed round trip, its variation and the last one, in ns.
    srtt_and_rttvar: Option<(i64, i64)>,
    last_rtt: i64,
    /// Longest time that it waited, in ns.
    longest_rto: i64,
}

impl SilenceCheck {
    pub(super) fn from_segments(segments: &[(bool, Segment)]) -> Self {
        SilenceCheck {
            has_no_timestamps: stamps::sender_unit(segments).is_none(),
            min_rto: if system::begins_like_linux(segments) { LINUX_MIN_RTO } else { RFC_MIN_RTO },
            outstanding: VecDeque::new(),
            highest: None,
            max_retransmissions: 0,
            backoff_end: 0,
            srtt_and_rttvar: None,
            last_rtt: 0,
            longest_rto: 0,
        }
    }

    /// Nanoseconds after which the sender repeats outstanding data at the latest: each repetition doubles them
    /// [RFC 6298 5.5].
    fn timeout(&self) -> Option<i64> {
        let (mean, variation) = self.srtt_and_rttvar?;
        let timeout = mean.saturating_add(variation.saturating_mul(4).max(self.min_rto));
        let timeout = timeout.saturating_mul(1 << self.max_retransmissions.min(10)).min(MAX_RTO);
        Some(timeout.saturating_mul(9) / 8 + TIMER_LATENESS)
    }

    /// Returns true if the time since `before` exceeds the retransmission timeout, or twice the timeout if the sender
    /// retransmits now.
    pub(super) fn is_impossible_gap(&self, record: &(bool, Segment), before: i64) -> bool {
        let repeats = record.0 && self.is_retransmission(&record.1);
        let times = if repeats { 2 } else { 1 };
        let waited = record.1.time.saturating_sub(before);
        self.has_no_timestamps
            && !self.outstanding.is_empty()
            && self.timeout().is_some_and(|most| waited > most.saturating_mul(times))
    }

    fn is_retransmission(&self, segment: &Segment) -> bool {
        self.highest.is_some_and(|highest| distance(segment.end_seq(), highest) <= 0)
    }

    /// Time of the event by a clock that was not set.
    pub(super) fn expected_time(&self, (outgoing, segment): &(bool, Segment), before: i64) -> i64 {
        let acked = |end: u32| distance(segment.ack, end) >= 0;
        let its = self.outstanding.iter().take_while(|segment| acked(segment.end)).last();
        let due =
            its.filter(|_| !outgoing).map(|segment| segment.sent_at.saturating_add(self.last_rtt));
        due.map_or(before.saturating_add(GAP_AFTER_STEP), |due| {
            due.max(before.saturating_add(GAP_AFTER_STEP))
        })
    }

    /// Largest step (ns) of the clock that would go unnoticed; `None` if timestamps show every step.
    pub(super) fn largest_hidden_step(&self) -> Option<i64> {
        self.has_no_timestamps.then_some(self.longest_rto)
    }

    pub(super) fn on_segment(&mut self, (outgoing, segment): &(bool, Segment)) {
        match *outgoing {
            true if segment.end_seq() == segment.seq => {}
            true if self.is_retransmission(segment) => self.on_retransmission(segment),
            true => {
                self.highest = Some(segment.end_seq());
                self.outstanding.push_back(OutstandingSegment {
                    end: segment.end_seq(),
                    sent_at: segment.time,
                    retransmissions: 0,
                });
            }
            false => self.on_ack(segment),
        }
        self.longest_rto = self.longest_rto.max(self.timeout().unwrap_or(0));
    }

    /// Counts a retransmission; a retransmitted segment gives no RTT sample [RFC 6298 3].
    fn on_retransmission(&mut self, segment: &Segment) {
        let ends_before = |sent: &OutstandingSegment| distance(sent.end, segment.seq) <= 0;
        let place = self.outstanding.partition_point(ends_before);
        if let Some(sent) = self.outstanding.get_mut(place) {
            sent.retransmissions += 1;
            self.max_retransmissions = self.max_retransmissions.max(sent.retransmissions);
            let is_later = distance(sent.end, self.backoff_end) > 0;
            self.backoff_end =
                if is_later || self.max_retransmissions == 1 { sent.end } else { self.backoff_end };
        }
    }

    fn on_ack(&mut self, segment: &Segment) {
        let mut oldest = None;
        while let Some(sent) = self.outstanding.front().copied()
            && distance(segment.ack, sent.end) >= 0
        {
            self.outstanding.pop_front();
            self.last_rtt = segment.time.saturating_sub(sent.sent_at);
            oldest = oldest.or(Some(self.last_rtt).filter(|_| sent.retransmissions == 0));
        }
        if distance(segment.ack, self.backoff_end) >= 0 {
            self.max_retransmissions = 0;
        }
        if let Some(took) = oldest {
            self.srtt_and_rttvar =
                Some(self.srtt_and_rttvar.map_or((took, took / 2), |(mean, variation)| {
                    let off = took.saturating_sub(mean);
                    // Linux lets the variation fall once in a round trip, not at each answer: so slowly here.
                    let variation =
                        variation.saturating_sub(variation / 64).max(off.saturating_abs());
                    (mean.saturating_add(off / 8), variation)
                }));
        }
    }
}
