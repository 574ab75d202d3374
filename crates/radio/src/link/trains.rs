//! Packet trains recorded over an idle link: a cellular network serves a short transfer otherwise than a link that is
//! kept busy. CellReplay replays both recordings \[sentosa2025\].
//!
//! A packet that finds the link idle begins a busy period. Its packets are sent as those of the latest recorded train
//! were, counted from the arrival of the first; behind the train, the opportunities of the busy link go on. The
//! propagation delay of the train holds to the end of the busy period.
//!
//! Sending takes no time here, so that a link with nothing to send need not be idle. A busy period ends once its next
//! opportunity has passed unused and the busy link has had as many opportunities as the period used: a sender that
//! takes the fast beginning of one train after the other gets no more than one that keeps the link busy. CellReplay
//! ends it as soon as nothing waits, or a set time later.

use airtcp_core::{Instant, Span};

/// One recorded train.
#[derive(Clone, Debug)]
pub struct Train {
    at: Span,
    delay: Span,
    /// Never falling, from the arrival of the first packet of a busy period.
    times: Vec<Span>,
}

impl Train {
    /// A train that was sent at `at` of the recording, with these opportunities in whole milliseconds; `None` without
    /// any, or if they fall.
    #[must_use]
    pub fn new(at: Span, delay: Span, millis: &[u32]) -> Option<Self> {
        let is_train = !millis.is_empty() && millis.is_sorted();
        let times = || millis.iter().map(|ms| Span::from_nanos(i64::from(*ms) * 1_000_000));
        is_train.then(|| Train { at, delay, times: times().collect() })
    }
}

/// A busy period, and how much of it is used.
#[derive(Clone, Copy, Debug)]
struct Period {
    /// Number of its train.
    train: usize,
    began: Instant,
    /// Opportunities of the train that are used or have passed.
    gone: usize,
    /// Opportunities that were used, of the train and of the busy link behind it.
    used: u64,
}

/// All trains of a recording, and the busy period.
#[derive(Clone, Debug)]
pub(super) struct Trains {
    /// By increasing time, of which there is at least one.
    trains: Vec<Train>,
    /// Length of the recording, after which it is repeated.
    length: Span,
    /// The latest busy period that used an opportunity.
    current: Option<Period>,
    /// The next one, whose first packet has come and is not sent.
    next: Option<Period>,
    /// Time since which a packet waits in the current one though opportunities have passed unused.
    waits_since: Option<Instant>,
}

impl Trains {
    /// The trains of a recording of this length; `None` if there are none, or if their times do not increase.
    pub(super) fn new(trains: Vec<Train>, length: Span) -> Option<Self> {
        let increase = trains.windows(2).all(|pair| pair[0].at < pair[1].at);
        let is_recording = increase && !trains.is_empty();
        is_recording.then_some(Trains {
            trains,
            length,
            current: None,
            next: None,
            waits_since: None,
        })
    }

    /// A packet that waits since `since` goes on with the current busy period.
    pub(super) fn stay_busy(&mut self, since: Instant) {
        (self.next, self.waits_since) = (None, Some(since));
    }

    /// A packet finds the link idle at `now`: it begins a busy period, or waits in one that has begun for the first
    /// opportunity.
    pub(super) fn be_idle(&mut self, now: Instant) {
        self.waits_since = None;
        let waits = |next: &Period| {
            let first = next.began + self.trains[next.train].times[0];
            next.began == now || next.began < now && now < first
        };
        if self.next.as_ref().is_some_and(waits) {
            return;
        }
        let within = Span::from_nanos(now.nanos() % self.length.nanos());
        let begun = self.trains.partition_point(|train| train.at <= within);
        let train = begun.checked_sub(1).unwrap_or(self.trains.len() - 1);
        self.next = Some(Period { train, began: now, gone: 0, used: 0 });
    }

    /// Propagation delay of the busy period; `None` before the first one.
    pub(super) fn delay(&self) -> Option<Span> {
        self.current.map(|period| self.trains[period.train].delay)
    }

    /// Beginning of the current busy period, and the number of opportunities that it used.
    pub(super) fn used(&self) -> Option<(Instant, u64)> {
        self.current.map(|period| (period.began, period.used))
    }

    /// Time since which a packet may wait in the current busy period, as of `now`.
    pub(super) fn waits_since(&self, now: Instant) -> Option<Instant> {
        self.waits_since.filter(|since| *since <= now).or(self.current.map(|period| period.began))
    }

    /// The first opportunity of the current train that serves a packet which waits since `since`; `None` behind it.
    pub(super) fn first_unused(&self, since: Instant) -> Option<Instant> {
        self.current.and_then(|period| self.place(&period, since)).map(|found| found.1)
    }

    /// The opportunity of a train that serves a packet which waits since `now`; `None` behind the train.
    pub(super) fn next_time(&self, now: Instant) -> Option<Instant> {
        self.next.or(self.current).and_then(|period| self.place(&period, now)).map(|found| found.1)
    }

    /// Uses the opportunity of [`Trains::next_time`], or one behind the train where there is none.
    pub(super) fn use_next(&mut self, now: Instant) -> Option<Instant> {
        let mut period = self.next.take().or(self.current)?;
        let found = self.place(&period, now);
        period.gone = found.map_or(self.trains[period.train].times.len(), |found| found.0 + 1);
        period.used += 1;
        (self.current, self.waits_since) = (Some(period), None);
        found.map(|found| found.1)
    }

    /// Number and time of the first opportunity of the train after `now`, or at `now` if that is its beginning.
    fn place(&self, period: &Period, now: Instant) -> Option<(usize, Instant)> {
        let (times, began) = (&self.trains[period.train].times, period.began);
        let has_passed = |time: &Span| began < now && began + *time <= now;
        let place = period.gone + times[period.gone..].partition_point(has_passed);
        times.get(place).map(|time| (place, began + *time))
    }

    /// The opportunities of the current train with the number of those gone, and the time from which they count.
    pub(super) fn progress(&self) -> Option<(&[Span], usize, Instant)> {
        self.current.map(|period| {
            let times = self.trains[period.train].times.as_slice();
            (times, period.gone, period.began)
        })
    }
}
