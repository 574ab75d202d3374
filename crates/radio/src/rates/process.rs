//! Transmission times on a link whose rate changes.
//!
//! A packet starts at a rate above 0, and the rest of it when the rate changes is sent at the new rate; while that
//! is 0 the rest waits. Between two changes airtimes are those of a link with that rate, to the nanosecond.

use super::course::{RateCourse, Segment};
use airtcp_core::{Airtimes, Cancel, CancelCheck, Instant, Rate, Span};

/// The rates of a link over time.
#[derive(Debug)]
pub struct Rates {
    /// Airtimes at the rate of `segment`.
    airtimes: Airtimes,
    segment: Segment,
    /// A packet that is ready before this starts at once.
    open_until: Instant,
    course: Box<dyn RateCourse>,
    watch: CancelCheck,
}

impl Rates {
    /// The rates of `course`.
    pub(super) fn new(mut course: impl RateCourse + 'static) -> Self {
        let segment = course.next();
        let airtimes = Airtimes::new(segment.rate.unwrap_or(Rate::MAX));
        let (open_until, watch) = (Instant::START, CancelCheck::default());
        Rates { airtimes, segment, open_until, course: Box::new(course), watch }
    }

    /// A rate that never changes.
    pub(crate) fn steady(rate: Rate) -> Self {
        Rates::new(SteadyCourse(rate))
    }

    /// The rate, if it never changes.
    #[must_use]
    pub fn constant(&self) -> Option<Rate> {
        self.segment.rate.filter(|_| self.segment.until == Instant::NEVER)
    }

    /// Segments that begin before `end`, from the start of the run on.
    pub fn segments_before(mut self, end: Instant) -> impl Iterator<Item = Segment> {
        std::iter::from_fn(move || {
            let segment = self.segment;
            if segment.from >= end {
                return None;
            }
            self.segment.from = segment.until;
            if segment.until < Instant::NEVER {
                self.begin_next_segment();
            }
            Some(segment)
        })
    }

    /// Makes every step short once `cancel` is set; its results then mean nothing.
    pub fn watch(&mut self, cancel: &Cancel) {
        self.watch = CancelCheck::new(cancel);
    }

    /// The next segment begins; [`Rates::apply_rate`] says the rate.
    fn begin_next_segment(&mut self) {
        self.segment = self.course.next();
        if self.watch.is_cancelled() {
            (self.segment.until, self.segment.rate) = (Instant::NEVER, Some(Rate::MAX));
        }
    }

    fn apply_rate(&mut self) {
        if let Some(rate) = self.segment.rate {
            self.airtimes.set_rate(rate);
        }
    }

    /// The first instant from `ready` on at which a transmission may start; [`Instant::NEVER`]: none does any more. Instants never
    /// run back.
    #[inline(always)]
    pub fn earliest_start(&mut self, ready: Instant) -> Instant {
        if ready < self.open_until { ready } else { self.enter_segment_at(ready) }
    }

    /// Airtime of `bits` bits, of which the channel makes `on_air`, if they start at `start`, which is open; `follows` says
    /// that the transmission before ends then.
    #[inline(always)]
    pub fn airtime(
        &mut self,
        start: Instant,
        bits: u64,
        on_air: impl Fn(u64) -> u64,
        follows: bool,
    ) -> Span {
        let span = self.airtimes.next_airtime(bits, &on_air, follows);
        // Beyond the end of time the sum wraps to before the change: such a packet meets none.
        let end = start.nanos().wrapping_add(span.nanos());
        let is_before = end <= self.segment.until.nanos();
        if is_before { span } else { self.airtime_across_change(start, on_air(bits), span) }
    }

    #[cold]
    #[inline(never)]
    fn enter_segment_at(&mut self, ready: Instant) -> Instant {
        if ready == Instant::NEVER {
            return ready;
        }
        let start = self.earliest_start_with_rate(ready);
        // A packet that is ready earlier may still come, where this one is not let in.
        self.open_until = if start == ready { self.segment.until } else { Instant::START };
        start
    }

    /// First instant from `ready` on at which the rate is above 0; enters its segment.
    fn earliest_start_with_rate(&mut self, ready: Instant) -> Instant {
        if self.segment.until <= ready {
            self.course.skip(ready);
            while self.segment.until <= ready {
                self.begin_next_segment();
            }
            self.apply_rate();
        }
        while self.segment.rate.is_none() {
            if self.segment.until == Instant::NEVER {
                return Instant::NEVER;
            }
            self.begin_next_segment();
            self.apply_rate();
        }
        ready.max(self.segment.from)
    }

    /// Airtime of `bits` bits that start at `start`, where the rate changes before their end; `span` is how long they would
    /// take without that.
    #[cold]
    #[inline(never)]
    fn airtime_across_change(&mut self, start: Instant, bits: u64, span: Span) -> Span {
        if start == Instant::NEVER {
            return span;
        }
        let (mut at, mut rest) = (start, bits as f64);
        rest += self.airtimes.revoke_last(span) * per_nanosecond(self.segment.rate);
        loop {
            let (speed, until) = (per_nanosecond(self.segment.rate), self.segment.until);
            let (needs, room) = (rest / speed, (until - at).nanos() as f64);
            // The end is rounded, as that of a packet which meets no change.
            let lasts = needs.round();
            if until == Instant::NEVER || lasts <= room {
                self.apply_rate();
                self.airtimes.set_remainder(needs - lasts);
                self.open_until = if speed > 0.0 { until } else { Instant::START };
                return at + Span::from_nanos(lasts as i64) - start;
            }
            (at, rest) = (until, rest - room * speed);
            self.begin_next_segment();
        }
    }
}

#[derive(Debug)]
struct SteadyCourse(Rate);

impl RateCourse for SteadyCourse {
    fn next(&mut self) -> Segment {
        Segment { from: Instant::START, until: Instant::NEVER, rate: Some(self.0) }
    }
}

/// Bits per nanosecond.
fn per_nanosecond(rate: Option<Rate>) -> f64 {
    rate.map_or(0.0, Rate::bits_per_second) / 1e9
}
