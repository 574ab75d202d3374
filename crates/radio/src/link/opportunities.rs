//! A link that serves at recorded instants, as Mahimahi's `mm-link` does \[netravali2015\].
//!
//! Each opportunity carries 1504 bytes at one instant, of as many waiting packets as that is. A packet that is longer
//! goes on with the next one. Bytes that nobody waits for are lost, and a packet does not use the opportunity of
//! the instant at which it comes. After its last opportunity a trace is repeated.
//!
//! Where trains of packets over the idle link were recorded too, these serve the beginning of a busy period.

use super::trains::{Train, Trains};
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
    /// Trains over the idle link, and true if the last opportunity that was used is of one.
    trains: Option<Box<Trains>>,
    is_of_train: bool,
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
            trains: None,
            is_of_train: false,
            times_used: None,
        })
    }

    /// These opportunities, for what a train over the idle link leaves over; `None` without trains, or if their times
    /// do not increase.
    #[must_use]
    pub fn with_trains(self, trains: Vec<Train>) -> Option<Self> {
        let trains = Some(Box::new(Trains::new(trains, self.period())?));
        Some(Opportunities { trains, ..self })
    }

    /// Propagation delay of the packet that was served last, where trains have one.
    pub(super) fn delay(&self) -> Option<Span> {
        self.trains.as_ref()?.delay()
    }

    /// Keeps what packets use for [`Opportunities::take_use`] from now on, or no longer.
    pub(super) fn record_uses(&mut self, recording: bool) {
        self.times_used = recording.then(VecDeque::new);
    }

    /// The time that the next packet in the order of service uses: the opportunities of an instant carry what the link
    /// could have sent since the instant before, so that a link of which nothing is left over is always busy.
    pub(super) fn take_use(&mut self) -> Option<(Instant, Instant)> {
        self.times_used.as_mut()?.pop_front()
    }

    /// Forgets what those use that were served and are not sent.
    pub(super) fn forget_uses(&mut self) {
        self.times_used.iter_mut().for_each(VecDeque::clear);
    }

    /// End of the time in use, where the last opportunity taken is so far.
    fn used_until(&self) -> Instant {
        let train = self.trains.as_ref().and_then(|trains| trains.progress());
        if let Some((times, gone, began)) = train
            && self.is_of_train
        {
            return began + self.time_gone(times, gone - 1);
        }
        let length = self.times.len() as u64;
        let (pass, place) = ((self.next - 1) / length, ((self.next - 1) % length) as usize);
        let gone = self.time_gone(&self.times, place);
        let until = Instant::START + self.period() * pass.cast_signed() + gone;
        // The first opportunity behind a train carries what the link could have sent since the train.
        match train {
            Some((times, gone, began)) => until.max(began + times[gone - 1]),
            None => until,
        }
    }

    /// Time since the beginning of `times` that is used, with the opportunity number `place` the last in use.
    fn time_gone(&self, times: &[Span], place: usize) -> Span {
        let time = times[place];
        let first = times.partition_point(|other| *other < time);
        let number = times.partition_point(|other| *other <= time) - first;
        let before = if first == 0 { Span::ZERO } else { times[first - 1] };
        let share = (place - first) as f64 + 1.0 - self.bits_left as f64 / OPPORTUNITY_BITS as f64;
        let gone = (time.nanos() - before.nanos()) as f64 * share / number as f64;
        before + Span::from_nanos(gone as i64)
    }

    /// Time at which the first bits of a packet that comes at `now` are sent.
    pub(super) fn earliest_start(&mut self, now: Instant) -> Instant {
        if self.has_rest_at(now) {
            return self.at;
        }
        self.begin_if_idle(now);
        let of_train = self.trains.as_ref().and_then(|trains| trains.next_time(now));
        let behind = || self.opportunity_time(self.first_unused_after(self.later_than(now)));
        of_train.unwrap_or_else(behind)
    }

    /// Sends a packet that comes at `now`, behind those before: how long after [`Opportunities::earliest_start`] its last
    /// bits are sent.
    pub(super) fn serve(&mut self, now: Instant, bits: u64) -> Span {
        if !self.has_rest_at(now) {
            self.begin_if_idle(now);
            self.use_next_opportunity(now);
        }
        let from = self.times_used.is_some().then(|| self.used_until());
        let (start, mut rest) = (self.at, bits);
        while rest > self.bits_left {
            rest -= self.bits_left;
            self.use_next_opportunity(now);
        }
        self.bits_left -= rest;
        if let Some(from) = from {
            let use_ = (from, self.used_until());
            self.times_used.iter_mut().for_each(|uses| uses.push_back(use_));
        }
        self.at - start
    }

    /// Returns whether a packet that comes at `now` finds something left of the last opportunity used. A train may have
    /// one at the instant at which its first packet comes, and others that come then share it.
    fn has_rest_at(&self, now: Instant) -> bool {
        self.bits_left > 0 && (now < self.at || now == self.at && self.has_begun_at(now))
    }

    fn has_begun_at(&self, now: Instant) -> bool {
        let period = self.trains.as_ref().and_then(|trains| trains.used());
        period.is_some_and(|(began, _)| began == now)
    }

    /// Lets a packet that waits since `now` begin a busy period if the link is idle.
    fn begin_if_idle(&mut self, now: Instant) {
        let busy_since = self.busy_since(now);
        let Some(trains) = &mut self.trains else { return };
        match busy_since {
            Some(since) => trains.stay_busy(since),
            None => trains.be_idle(now),
        }
    }

    /// Time since which a packet that comes at `now` waits in the current busy period; `None` if the link is idle. The
    /// period has ended once its next opportunity has passed unused, and the busy link could have carried all that the
    /// period did.
    fn busy_since(&self, now: Instant) -> Option<Instant> {
        let trains = self.trains.as_ref()?;
        let ((began, used), since) = (trains.used()?, trains.waits_since(now)?);
        let behind = || self.opportunity_time(self.first_unused_after(self.later_than(since)));
        if began == now || trains.first_unused(since).unwrap_or_else(behind) > now {
            return Some(since);
        }
        let has_made_up = self.number_until(now) - self.number_until(began) >= used;
        (!has_made_up).then_some(now)
    }

    /// Uses the next opportunity for packets that wait since `now`, of a train while that has some.
    fn use_next_opportunity(&mut self, now: Instant) {
        self.bits_left = OPPORTUNITY_BITS;
        if let Some(time) = self.trains.as_mut().and_then(|trains| trains.use_next(now)) {
            (self.at, self.is_of_train) = (time, true);
            return;
        }
        let number = self.first_unused_after(self.later_than(now));
        (self.next, self.at) = (number + 1, self.opportunity_time(number));
        self.is_of_train = false;
    }

    /// Time after which opportunities of the busy link serve a packet that waits since `now`.
    fn later_than(&self, now: Instant) -> Instant {
        if self.is_of_train { now.max(self.at) } else { now }
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
        self.next.max(self.number_until(now))
    }

    /// Number of opportunities of the trace until `now`.
    fn number_until(&self, now: Instant) -> u64 {
        let passes = now.nanos() / self.period().nanos();
        let within = now.nanos() - passes * self.period().nanos();
        let before = self.times.partition_point(|time| time.nanos() <= within) as u64;
        passes.cast_unsigned() * self.times.len() as u64 + before
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

    fn train(at_ms: i64, delay_ms: i64, millis: &[u32]) -> Train {
        let span = |ms: i64| Span::from_nanos(ms * MS);
        Train::new(span(at_ms), span(delay_ms), millis).expect("a train")
    }

    fn with_trains(millis: &[u32], trains: Vec<Train>) -> Opportunities {
        let trace = Opportunities::new(millis).expect("a trace");
        trace.with_trains(trains).expect("trains")
    }

    #[test]
    fn a_train_serves_the_beginning_of_a_busy_period() {
        let busy: Vec<u32> = (1..=100).collect();
        let mut trace = with_trains(&busy, vec![train(0, 30, &[0, 10, 20])]);
        // The train counts from the first packet. The opportunities of the busy link follow it.
        let found: Vec<_> = (0..5).map(|_| served(&mut trace, 7 * MS, 1504)).collect();
        assert_eq!(found, [(7, 7), (17, 17), (27, 27), (28, 28), (29, 29)]);
        // A packet that comes before the next opportunity has passed belongs to the busy period, the next one begins
        // another.
        assert_eq!(served(&mut trace, 29 * MS, 1504), (30, 30));
        let found = served(&mut trace, 31 * MS - 1, 1504);
        assert_eq!(found, (31, 31));
        assert_eq!(served(&mut trace, 32 * MS, 1504), (32, 32));
        assert_eq!(served(&mut trace, 32 * MS, 1504), (42, 42));
        // Idle again: the train serves it from its beginning.
        assert_eq!(served(&mut trace, 60 * MS, 1504), (60, 60));
        assert_eq!(trace.delay(), Some(Span::from_nanos(30 * MS)));
    }

    #[test]
    fn packets_one_by_one_go_on_in_the_train() {
        let mut trace = with_trains(&[10], vec![train(0, 0, &[0, 10, 20])]);
        let found: Vec<_> = (0..5).map(|i| served(&mut trace, 2 * i * MS, 1504).1).collect();
        assert_eq!(found, [0, 10, 20, 30, 40]);
        // Packets that each find the link idle are not slowed down.
        let found: Vec<_> =
            (0..3).map(|i| served(&mut trace, (61 + 11 * i) * MS, 1504).1).collect();
        assert_eq!(found, [61, 72, 83]);
    }

    #[test]
    fn a_fast_beginning_is_not_had_again_before_the_busy_link_has_made_up_for_it() {
        let mut trace = with_trains(&[10], vec![train(0, 0, &[0, 1, 2, 50])]);
        let found: Vec<_> = (0..3).map(|_| served(&mut trace, 5 * MS, 1504).1).collect();
        assert_eq!(found, [5, 6, 7]);
        // Its opportunity at 55 ms has not passed.
        assert_eq!(served(&mut trace, 30 * MS, 1504).1, 55);
        assert_eq!(served(&mut trace, 61 * MS, 1504).1, 61);
        // The one at 62 ms has passed at 65 ms, and the busy link has had none since the beginning at 61 ms.
        assert_eq!(served(&mut trace, 65 * MS, 1504).1, 111);
        assert_eq!(served(&mut trace, 200 * MS, 1504).1, 200);
    }

    #[test]
    fn short_packets_share_an_opportunity_of_a_train_and_long_ones_span_it() {
        let mut trace = with_trains(&[5, 50], vec![train(0, 0, &[0, 2])]);
        assert_eq!(served(&mut trace, MS, 752), (1, 1));
        assert_eq!(served(&mut trace, MS, 752), (1, 1));
        // Of 3008 bytes a train carries 1504, and the busy link the others.
        assert_eq!(served(&mut trace, MS, 3008), (3, 5));
        assert_eq!(served(&mut trace, 4 * MS, 1504), (50, 50));
    }

    #[test]
    fn the_latest_train_of_the_recording_serves_and_the_recording_is_repeated() {
        let busy: Vec<u32> = (1..=100).collect();
        let mut trace = with_trains(&busy, vec![train(20, 1, &[3]), train(60, 2, &[4, 9])]);
        // Before the first train of the recording the last one serves, as at its end.
        for (now, start, delay) in [(0, 4, 2), (20, 23, 1), (59, 62, 1), (70, 74, 2), (125, 128, 1)]
        {
            assert_eq!(served(&mut trace, now * MS, 1504), (start, start));
            assert_eq!(trace.delay(), Some(Span::from_nanos(delay * MS)));
        }
    }

    #[test]
    fn a_packet_that_waits_for_its_train_is_not_put_off_by_the_next_one() {
        let mut trace = with_trains(&[1, 100], vec![train(0, 0, &[10, 11])]);
        // A queue that decides asks again whenever a packet comes.
        let ms = |ms: i64| Instant::from_nanos(ms * MS);
        assert_eq!(trace.earliest_start(ms(5)), ms(15));
        assert_eq!(trace.earliest_start(ms(8)), ms(15));
        // One that nobody took is no busy period.
        assert_eq!(trace.earliest_start(ms(40)), ms(50));
        assert_eq!(served(&mut trace, 40 * MS, 1504), (50, 50));
    }

    #[test]
    fn a_train_like_the_busy_link_changes_nothing() {
        let times: Vec<u32> = (1..=30).collect();
        let mut plain = Opportunities::new(&[1]).expect("a trace");
        let mut trains = with_trains(&[1], vec![train(0, 0, &times)]);
        let mut now = 0;
        for i in 0..2000_i64 {
            now += (i * i + 3 * i) % 7 % 4; // 0 to 3 ms apart, in bursts of several
            let found = served(&mut trains, now * MS, 1504);
            assert_eq!(found, served(&mut plain, now * MS, 1504), "packet {i} at {now} ms");
        }
    }

    #[test]
    fn the_time_in_use_never_overlaps() {
        let mut trace = with_trains(&[4, 9, 9, 12, 30], vec![train(0, 0, &[0, 5, 5, 7])]);
        trace.record_uses(true);
        let mut until = Instant::START;
        for (now, number) in [(1, 7), (29, 1), (29, 9), (200, 2)] {
            for _ in 0..number {
                served(&mut trace, now * MS, 800);
                let (from, to) = trace.take_use().expect("a use");
                assert!(until <= from && from <= to, "{until:?} {from:?} {to:?}");
                until = to;
            }
        }
    }

    #[test]
    fn what_is_no_train_is_none() {
        for millis in [&[][..], &[2, 1]] {
            assert!(Train::new(Span::ZERO, Span::ZERO, millis).is_none(), "{millis:?}");
        }
        let trace = || Opportunities::new(&[1]).expect("a trace");
        assert!(trace().with_trains(vec![]).is_none());
        assert!(trace().with_trains(vec![train(1, 0, &[0]), train(1, 0, &[0])]).is_none());
    }

    #[test]
    fn what_is_no_trace_is_none() {
        for millis in [&[][..], &[0], &[2, 1]] {
            assert!(Opportunities::new(millis).is_none(), "{millis:?}");
        }
    }
}
