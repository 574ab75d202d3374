//! Packet trains recorded over an idle link: a cellular network serves a short transfer otherwise than a link that is kept
//! busy. CellReplay replays both recordings [sentosa2025].
//!
//! A packet that finds the link idle begins a busy period. Its packets are sent as those of the latest recorded train were,
//! counted from the arrival of the first; when the train is used up, the opportunities of the busy link go on. The
//! propagation delay of the train holds to the end of the busy period.

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
    /// A train that was sent at `at` of the recording, with these opportunities in whole milliseconds; `None` without any, or if
    /// they fall.
    #[must_use]
    pub fn new(at: Span, delay: Span, millis: &[u32]) -> Option<Self> {
        let is_train = !millis.is_empty() && millis.is_sorted();
        let times = || millis.iter().map(|ms| Span::from_nanos(i64::from(*ms) * 1_000_000));
        is_train.then(|| Train { at, delay, times: times().collect() })
    }
}

/// All trains of a recording, and the one that the busy period follows.
#[derive(Clone, Debug)]
pub(super) struct Trains {
    /// By increasing time, of which there is at least one.
    trains: Vec<Train>,
    /// Length of the recording, after which it is repeated.
    period: Span,
    current: usize,
    began: Instant,
    /// Opportunities of the current train that are used.
    used: usize,
}

impl Trains {
    /// The trains of a recording that lasts `period`; `None` if there are none, or if their times do not increase.
    pub(super) fn new(trains: Vec<Train>, period: Span) -> Option<Self> {
        let increase = trains.windows(2).all(|pair| pair[0].at < pair[1].at);
        let used = trains.first()?.times.len();
        let began = Instant::from_nanos(-1 - trains[0].times[0].nanos());
        increase.then_some(Trains { trains, period, current: 0, began, used })
    }

    /// Begins a busy period at `now` if the link is idle: nothing is sent later, and no packet waits for the first opportunity of a period
    /// that has begun.
    pub(super) fn begin_if_idle(&mut self, now: Instant, sent_until: Instant) {
        if now <= sent_until.max(self.began + self.train().times[0]) {
            return;
        }
        let within = Span::from_nanos(now.nanos() % self.period.nanos());
        let begun = self.trains.partition_point(|train| train.at <= within);
        self.current = begun.checked_sub(1).unwrap_or(self.trains.len() - 1);
        (self.began, self.used) = (now, 0);
    }

    /// Propagation delay of the busy period.
    pub(super) fn delay(&self) -> Span {
        self.train().delay
    }

    /// The next opportunity of the train, if it is not used up.
    pub(super) fn next_time(&self) -> Option<Instant> {
        self.train().times.get(self.used).map(|time| self.began + *time)
    }

    /// Uses the next opportunity of the train, if it is not used up.
    pub(super) fn use_next(&mut self) -> Option<Instant> {
        let time = self.next_time()?;
        self.used += 1;
        Some(time)
    }

    /// The opportunities of the train with the number of those used, and the time from which they count.
    pub(super) fn progress(&self) -> (&[Span], usize, Instant) {
        (&self.train().times, self.used, self.began)
    }

    fn train(&self) -> &Train {
        &self.trains[self.current]
    }
}
