//! A link that serves at recorded instants, as Mahimahi's `mm-link` does \[netravali2015\].
//!
//! Each opportunity carries 1504 bytes at one instant, of as many waiting packets as that is. A packet that is longer
//! goes on with the next one. Bytes that nobody waits for are lost, and a packet does not use the opportunity of
//! the instant at which it comes. After its last opportunity a trace is repeated.

use airtcp_core::{Instant, Span};
use std::collections::VecDeque;

/// Bits that an opportunity carries: an IP packet of 1500 bytes, and the 4 that a TUN device puts before it.
pub const OPPORTUNITY_BITS: u64 = 8 * 1504;

/// The opportunities of a trace, and how far they are used.
#[derive(Clone, Debug)]
pub struct Opportunities {
    /// Never falling. The last one is the length of the trace.
    times: Vec<Span>,
    /// The first that was not used, counted through all repetitions.
    next: u64,
    /// Time of the last opportunity that was used, and the bits that are left of it.
    at: Instant,
    bits_left: u64,
    /// The time that packets used, where somebody counts: see [`Opportunities::used_until`].
    times_used: Option<VecDeque<(Instant, Instant)>>,
}

impl Opportunities {
    /// The opportunities of a trace in whole milliseconds; `None` if it is empty, if it lasts no time, or if its
    /// times fall.
    #[must_use]
    pub fn new(millis: &[u32]) -> Option<Self> {
        let lasts = millis.last().is_some_and(|last| *last > 0);
        (lasts && millis.is_sorted()).then(|| Opportunities {
            times: millis.iter().map(|ms| Span::from_nanos(i64::from(*ms) * 1_000_000)).collect(),
            next: 0,
            at: Instant::START,
            bits_left: 0,
            times_used: None,
        })
    }

    /// Keeps what packets use for [`Opportunities::take_use`] from now on, or no longer.
    pub(super) fn record_uses(&mut self, recording: bool) {
        self.times_used = recording.then(VecDeque::new);
    }

    /// The time that the next packet in the order of service uses: the opportunities of an instant carry what the link could
    /// have sent since the instant before, so that a link of which nothing is left over is always busy.
    pub(super) fn take_use(&mut self) -> Option<(Instant, Instant)> {
        self.times_used.as_mut()?.pop_front()
    }

    /// Forgets what those use that were served and are not sent.
    pub(super) fn forget_uses(&mut self) {
        self.times_used.iter_mut().for_each(VecDeque::clear);
    }

    /// End of the time in use, where the last opportunity taken is so far.
    fn used_until(&self) -> Instant {
        let length = self.times.len() as u64;
        let (pass, place) = ((self.next - 1) / length, ((self.next - 1) % length) as usize);
        let time = self.times[place];
        let first = self.times.partition_point(|other| *other < time);
        let number = self.times.partition_point(|other| *other <= time) - first;
        let before = if first == 0 { Span::ZERO } else { self.times[first - 1] };
        let share = (place - first) as f64 + 1.0 - self.bits_left as f64 / OPPORTUNITY_BITS as f64;
        let gone = (time.nanos() - before.nanos()) as f64 * share / number as f64;
        Instant::START + self.period() * pass.cast_signed() + before + Span::from_nanos(gone as i64)
    }

    /// Time at which the first bits of a packet that comes at `now` are sent.
    pub(super) fn earliest_start(&self, now: Instant) -> Instant {
        if self.has_rest_at(now) {
            self.at
        } else {
            self.opportunity_time(self.first_unused_after(now))
        }
    }

    /// Sends a packet that comes at `now`, behind those before: how long after [`Opportunities::earliest_start`] its last
    /// bits are sent.
    pub(super) fn serve(&mut self, now: Instant, bits: u64) -> Span {
        if !self.has_rest_at(now) {
            self.use_opportunity(self.first_unused_after(now));
        }
        let from = self.times_used.is_some().then(|| self.used_until());
        let (start, mut rest) = (self.at, bits);
        while rest > self.bits_left {
            rest -= self.bits_left;
            self.use_opportunity(self.next);
        }
        self.bits_left -= rest;
        if let Some(from) = from {
            let use_ = (from, self.used_until());
            self.times_used.iter_mut().for_each(|uses| uses.push_back(use_));
        }
        self.at - start
    }

    /// Returns whether a packet that comes at `now` finds something left of the last opportunity used.
    fn has_rest_at(&self, now: Instant) -> bool {
        now < self.at && self.bits_left > 0
    }

    fn use_opportunity(&mut self, number: u64) {
        (self.next, self.at, self.bits_left) =
            (number + 1, self.opportunity_time(number), OPPORTUNITY_BITS);
    }

    fn opportunity_time(&self, number: u64) -> Instant {
        let length = self.times.len() as u64;
        let passes = (number / length).cast_signed();
        Instant::START + self.period() * passes + self.times[(number % length) as usize]
    }

    fn period(&self) -> Span {
        self.times[self.times.len() - 1]
    }

    /// The first that was not used and comes after `now`.
    fn first_unused_after(&self, now: Instant) -> u64 {
        if self.opportunity_time(self.next) > now {
            return self.next;
        }
        let passes = now.nanos() / self.period().nanos();
        let within = now.nanos() - passes * self.period().nanos();
        let before = self.times.partition_point(|time| time.nanos() <= within) as u64;
        self.next.max(passes.cast_unsigned() * self.times.len() as u64 + before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn served(trace: &mut Opportunities, now: i64, bytes: u64) -> (i64, i64) {
        let now = Instant::from_nanos(now);
        let start = trace.earliest_start(now);
        let end = start + trace.serve(now, 8 * bytes);
        assert!(start.nanos() % MS == 0 && end.nanos() % MS == 0);
        (start.nanos() / MS, end.nanos() / MS)
    }

    #[test]
    fn packets_share_opportunities_and_span_them() {
        let mut trace = Opportunities::new(&[2, 2, 5, 9]).expect("a trace");
        // Two opportunities at 2 ms: 3008 bytes, of which the third packet gets 8.
        assert_eq!(served(&mut trace, 0, 1500), (2, 2));
        assert_eq!(served(&mut trace, 0, 1500), (2, 2));
        assert_eq!(served(&mut trace, 0, 1500), (2, 5));
        // 12 bytes are left at 5 ms for one that waits then, and none of 1504 for one that comes then.
        assert_eq!(served(&mut trace, 4 * MS, 12), (5, 5));
        assert_eq!(served(&mut trace, 5 * MS, 40), (9, 9));
        assert_eq!(served(&mut trace, 9 * MS - 1, 1464), (9, 9));
        // The trace begins again at 9 ms.
        assert_eq!(served(&mut trace, 9 * MS - 1, 1), (11, 11));
    }

    #[test]
    fn what_nobody_waits_for_is_lost() {
        let mut trace = Opportunities::new(&[0, 3, 4]).expect("a trace");
        assert_eq!(served(&mut trace, 0, 10), (3, 3));
        assert_eq!(served(&mut trace, 3 * MS, 10), (4, 4));
        // The opportunity at 0 of the second pass comes at 4 ms too.
        assert_eq!(served(&mut trace, 4 * MS - 1, 1600), (4, 4));
        assert_eq!(served(&mut trace, 4_000_000 * MS, 10), (4_000_003, 4_000_003));
        assert_eq!(served(&mut trace, 8_000_001 * MS + 1, 10), (8_000_003, 8_000_003));
    }

    #[test]
    fn what_is_no_trace_is_none() {
        for millis in [&[][..], &[0], &[2, 1]] {
            assert!(Opportunities::new(millis).is_none(), "{millis:?}");
        }
    }
}
