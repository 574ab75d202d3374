//! Silences in which the sender would have repeated outstanding data: they are none, for the clock was set forward.
//!
//! A path that pauses and a clock that is set look alike in a capture without timestamps until a timer of the sender is
//! due. The timeout [RFC 6298 2] is the one that every sender has, so that what is shorter cannot be told.

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
/// Nanoseconds by which a timeout may come late, beside an eighth of it [crates/linux/rules/timers.md rule 2].
const TIMER_LATENESS: i64 = 20_000_000;
/// Nanoseconds that a step found by times alone leaves between two records.
const GAP_AFTER_STEP: i64 = 10_000;

/// A segment that is not acknowledged.
#[derive(Clone, Copy, Debug)]
struct OutstandingSegment {
    end: u32,
    sent_at: i64,
    /// Number of times that it was sent again.
    again: u32,
}

/// Segments that the sender has outstanding, and the time for which it waits for answers.
#[derive(Debug)]
pub(super) struct Silences {
    /// True if silences are judged at all; they are not where timestamps tell more.
    judges: bool,
    least: i64,
    sent: VecDeque<OutstandingSegment>,
    highest: Option<u32>,
    /// Most times that one of them was sent again, counted until data up to `until` are acknowledged.
    again: u32,
    until: u32,
    /// Smoothed round trip, its variation and the last one, in ns.
    smoothed: Option<(i64, i64)>,
    last: i64,
    /// Longest time that it waited, in ns.
    longest: i64,
}

impl Silences {
    pub(super) fn of(segments: &[(bool, Segment)]) -> Self {
        Silences {
            judges: stamps::unit(segments).is_none(),
            least: if system::begins_like_linux(segments) { LINUX_MIN_RTO } else { RFC_MIN_RTO },
            sent: VecDeque::new(),
            highest: None,
            again: 0,
            until: 0,
            smoothed: None,
            last: 0,
            longest: 0,
        }
    }

    /// Nanoseconds after which the sender repeats outstanding data at the latest: each repetition doubles them
    /// [RFC 6298 5.5].
    fn timeout(&self) -> Option<i64> {
        let (mean, variation) = self.smoothed?;
        let timeout = mean.saturating_add(variation.saturating_mul(4).max(self.least));
        let timeout = timeout.saturating_mul(1 << self.again.min(10)).min(MAX_RTO);
        Some(timeout.saturating_mul(9) / 8 + TIMER_LATENESS)
    }

    /// Says that the time since `before` is longer than the sender would have waited before it repeats a segment; if it
    /// does repeat one then, twice as long.
    pub(super) fn is_none_such(&self, one: &(bool, Segment), before: i64) -> bool {
        let repeats = one.0 && self.is_old(&one.1);
        let times = if repeats { 2 } else { 1 };
        let waited = one.1.time.saturating_sub(before);
        self.judges
            && !self.sent.is_empty()
            && self.timeout().is_some_and(|most| waited > most.saturating_mul(times))
    }

    fn is_old(&self, one: &Segment) -> bool {
        self.highest.is_some_and(|highest| distance(one.end(), highest) <= 0)
    }

    /// Time at which the event would have come about, had the clock not been set.
    pub(super) fn likely(&self, (outgoing, one): &(bool, Segment), before: i64) -> i64 {
        let acked = |end: u32| distance(one.ack, end) >= 0;
        let its = self.sent.iter().take_while(|its| acked(its.end)).last();
        let due = its.filter(|_| !outgoing).map(|its| its.sent_at.saturating_add(self.last));
        due.map_or(before.saturating_add(GAP_AFTER_STEP), |due| {
            due.max(before.saturating_add(GAP_AFTER_STEP))
        })
    }

    /// Nanoseconds by which the clock may have been set forward unseen; none where timestamps tell.
    pub(super) fn unseen(&self) -> Option<i64> {
        self.judges.then_some(self.longest)
    }

    pub(super) fn see(&mut self, (outgoing, one): &(bool, Segment)) {
        match *outgoing {
            true if one.end() == one.seq => {}
            true if self.is_old(one) => self.repeat(one),
            true => {
                self.highest = Some(one.end());
                self.sent.push_back(OutstandingSegment {
                    end: one.end(),
                    sent_at: one.time,
                    again: 0,
                });
            }
            false => self.answer(one),
        }
        self.longest = self.longest.max(self.timeout().unwrap_or(0));
    }

    /// Counts a repetition: a segment that is sent again says nothing of round trips [RFC 6298 3].
    fn repeat(&mut self, one: &Segment) {
        let ends_before = |its: &OutstandingSegment| distance(its.end, one.seq) <= 0;
        let place = self.sent.partition_point(ends_before);
        if let Some(its) = self.sent.get_mut(place) {
            its.again += 1;
            self.again = self.again.max(its.again);
            let is_later = distance(its.end, self.until) > 0;
            self.until = if is_later || self.again == 1 { its.end } else { self.until };
        }
    }

    fn answer(&mut self, one: &Segment) {
        let mut oldest = None;
        while let Some(its) = self.sent.front().copied()
            && distance(one.ack, its.end) >= 0
        {
            self.sent.pop_front();
            self.last = one.time.saturating_sub(its.sent_at);
            oldest = oldest.or(Some(self.last).filter(|_| its.again == 0));
        }
        if distance(one.ack, self.until) >= 0 {
            self.again = 0;
        }
        if let Some(took) = oldest {
            self.smoothed = Some(self.smoothed.map_or((took, took / 2), |(mean, variation)| {
                let off = took.saturating_sub(mean);
                // Linux lets the variation fall once in a round trip, not at each answer: so slowly here.
                let variation = variation.saturating_sub(variation / 64).max(off.saturating_abs());
                (mean.saturating_add(off / 8), variation)
            }));
        }
    }
}
