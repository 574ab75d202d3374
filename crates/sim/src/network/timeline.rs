//! Time of a run, and the order of events of one instant.
//!
//! [`NanosecondTime`] are whole: keys are (when, since), `since` being the instant at which the event became
//! certain. [`NsTime`] is the time of ns, whose results depend on the last place of its doubles: keys are (when,
//! order of scheduling).

use super::agenda::{Agenda, EventKey};
use super::ends::Ends;
use airtcp_core::{Cancel, EventTime, Instant, Payload, PollResult, Span, Stage};
use airtcp_radio::{ArqCounters, EventCounter, HopConfig, Line, Ns2Hop, Observed};

/// The time of a run.
pub(super) trait Timeline {
    /// The present.
    type Now: Copy;
    /// One direction of a hop.
    type Hop<P: Payload>: NetworkHop<P>;

    /// The timeline of a run of flows with such ticks that start at the given instants.
    fn new(flows: impl Iterator<Item = (Option<Span>, Instant)>, agenda: &mut Agenda) -> Self;

    fn hop<P: Payload>(config: HopConfig) -> Self::Hop<P>;

    /// The first key that is not before `end`.
    fn first_key_at(end: Instant) -> EventKey;

    fn now(due: EventKey) -> Self::Now;

    /// The instant as TCP and observers know it.
    fn instant_of(now: Self::Now) -> Instant;

    /// Now that a timer has expired that was set to `expiry`.
    fn now_at_expiry(now: Self::Now, expiry: Instant) -> Self::Now;

    fn push<P: Payload>(&mut self, hop: &mut Self::Hop<P>, now: Self::Now, packet: P);

    /// Returns whether the event due then is the start of a transmission, which concerns only the hop.
    #[inline(always)]
    fn is_transmission_start<P: Payload>(
        &mut self,
        _hop: &mut Self::Hop<P>,
        _due: EventKey,
    ) -> bool {
        false
    }

    fn poll<P: Payload>(&mut self, hop: &mut Self::Hop<P>, now: Self::Now) -> PollResult<P>;

    fn due<P: Payload>(hop: &Self::Hop<P>) -> EventKey;

    /// Returns whether a hop that is due then is polled on in the same event.
    fn is_polled_again(now: Self::Now, due: EventKey) -> bool;

    /// The sender's `timer` may have been started during this event, before further packets are sent.
    fn on_timer_start<E: Ends>(
        &mut self,
        agenda: &mut Agenda,
        now: Self::Now,
        timer: usize,
        ends: &E,
    );

    /// `timer` waits for `expiry` from now on, if it did not before.
    fn set_timer(&mut self, agenda: &mut Agenda, now: Self::Now, timer: usize, expiry: Instant);
}

/// A hop as the network sees it, packets apart.
pub(super) trait NetworkHop<P: Payload>: Observed<P> {
    fn observe_cancel(&mut self, cancel: &Cancel);
    fn packets_held(&self) -> usize;
    fn arq_counters(&self, owner: usize) -> ArqCounters;
}

impl<P: Payload> NetworkHop<P> for Line<P> {
    fn observe_cancel(&mut self, cancel: &Cancel) {
        Line::watch(self, cancel);
    }

    fn packets_held(&self) -> usize {
        Line::held_items(self)
    }

    fn arq_counters(&self, owner: usize) -> ArqCounters {
        Line::air(self, owner)
    }
}

impl<P: Payload, const COUNTS: bool> NetworkHop<P> for Ns2Hop<P, COUNTS> {
    fn observe_cancel(&mut self, cancel: &Cancel) {
        Ns2Hop::watch(self, cancel);
    }

    fn packets_held(&self) -> usize {
        Ns2Hop::packets_held(self)
    }

    fn arq_counters(&self, _owner: usize) -> ArqCounters {
        ArqCounters::default()
    }
}

/// Whole nanoseconds.
pub(super) struct NanosecondTime;

fn event_key(when: Instant, since: Instant) -> EventKey {
    if when == Instant::NEVER {
        return EventKey::NEVER;
    }
    EventKey::new(when.nanos().cast_unsigned(), since.nanos().cast_unsigned())
}

impl Timeline for NanosecondTime {
    type Now = Instant;
    type Hop<P: Payload> = Line<P>;

    fn new(flows: impl Iterator<Item = (Option<Span>, Instant)>, agenda: &mut Agenda) -> Self {
        for (i, (_, start)) in flows.enumerate() {
            agenda.set_timer(2 * i, event_key(start, Instant::START));
        }
        NanosecondTime
    }

    fn hop<P: Payload>(config: HopConfig) -> Line<P> {
        Line::new(config)
    }

    fn first_key_at(end: Instant) -> EventKey {
        EventKey::new(end.nanos().cast_unsigned(), 0)
    }

    #[inline(always)]
    fn now(due: EventKey) -> Instant {
        Instant::from_nanos(due.time_bits().cast_signed())
    }

    #[inline(always)]
    fn instant_of(now: Instant) -> Instant {
        now
    }

    #[inline(always)]
    fn now_at_expiry(now: Instant, _: Instant) -> Instant {
        now
    }

    #[inline(always)]
    fn push<P: Payload>(&mut self, hop: &mut Line<P>, now: Instant, packet: P) {
        hop.push(now, packet);
    }

    #[inline(always)]
    fn poll<P: Payload>(&mut self, hop: &mut Line<P>, now: Instant) -> PollResult<P> {
        hop.poll(now)
    }

    #[inline(always)]
    fn due<P: Payload>(hop: &Line<P>) -> EventKey {
        let (when, certain) = hop.due();
        event_key(when, certain)
    }

    #[inline(always)]
    fn is_polled_again(now: Instant, due: EventKey) -> bool {
        due.time_bits() <= now.nanos().cast_unsigned()
    }

    #[inline(always)]
    fn on_timer_start<E: Ends>(&mut self, _: &mut Agenda, _: Instant, _: usize, _: &E) {}

    /// A timer that keeps its deadline keeps its rank.
    #[inline(always)]
    fn set_timer(&mut self, agenda: &mut Agenda, now: Instant, timer: usize, expiry: Instant) {
        if expiry.nanos().cast_unsigned() != agenda.timer(timer).time_bits() {
            agenda.set_timer(timer, event_key(expiry, now));
        }
    }
}

/// The time of ns: doubles, and how many events have been scheduled; with hops that count if `COUNTS`.
pub(super) struct NsTime<const COUNTS: bool = false> {
    scheduled: EventCounter,
    /// State of each timer: number of starts, deadline on the agenda, and tick of its clock.
    timers: Vec<TimerState>,
}

#[derive(Clone, Copy)]
struct TimerState {
    start_count: u32,
    expiry: Instant,
    tick: Option<Span>,
    /// The last length asked for, in seconds too.
    last_seconds: (Span, f64),
}

/// The present as ns has it, and as TCP knows it.
#[derive(Clone, Copy)]
pub(super) struct NsNow {
    event: EventTime,
    at: Instant,
}

impl TimerState {
    /// `length` in seconds as ns computes it: a timer is a number of ticks long.
    #[inline]
    fn seconds(&mut self, length: Span) -> f64 {
        if self.last_seconds.0 != length {
            let ticks = self.tick.filter(|tick| length.nanos() % tick.nanos() == 0);
            let seconds = ticks.map_or(length.seconds(), |tick| {
                (length.nanos() / tick.nanos()) as f64 * tick.seconds()
            });
            self.last_seconds = (length, seconds);
        }
        self.last_seconds.1
    }
}

impl<const COUNTS: bool> NsTime<COUNTS> {
    #[inline(always)]
    fn start_timer(
        scheduled: &mut EventCounter,
        started: &mut TimerState,
        agenda: &mut Agenda,
        now: NsNow,
        timer: usize,
        expiry: Instant,
    ) {
        let order = scheduled.take(1);
        started.expiry = expiry;
        let seconds = now.event.seconds + started.seconds(expiry - now.at);
        agenda.set_timer(timer, EventKey::from_event(EventTime { seconds, order }));
    }
}

impl<const COUNTS: bool> Timeline for NsTime<COUNTS> {
    type Now = NsNow;
    type Hop<P: Payload> = Ns2Hop<P, COUNTS>;

    fn new(flows: impl Iterator<Item = (Option<Span>, Instant)>, agenda: &mut Agenda) -> Self {
        let (mut timers, mut given) = (Vec::new(), 0);
        for (tick, start) in flows {
            let event = EventTime { order: given, ..EventTime::scheduled_before_run(start) };
            agenda.set_timer(timers.len(), EventKey::from_event(event));
            let memo = (Span::ZERO, 0.0);
            let sender = TimerState { start_count: 0, expiry: start, tick, last_seconds: memo };
            timers.extend([sender, TimerState { expiry: Instant::NEVER, tick: None, ..sender }]);
            given += 1;
        }
        NsTime { scheduled: EventCounter::new(given), timers }
    }

    fn hop<P: Payload>(config: HopConfig) -> Self::Hop<P> {
        Ns2Hop::new(config)
    }

    fn first_key_at(end: Instant) -> EventKey {
        EventKey::from_event(EventTime::scheduled_before_run(end))
    }

    #[inline(always)]
    fn now(due: EventKey) -> NsNow {
        let event = due.event_time();
        NsNow { event, at: event.instant() }
    }

    #[inline(always)]
    fn instant_of(now: NsNow) -> Instant {
        now.at
    }

    /// The timer's own deadline may round to the next nanosecond.
    fn now_at_expiry(now: NsNow, expiry: Instant) -> NsNow {
        let at = if expiry < Instant::NEVER { now.at.max(expiry) } else { now.at };
        NsNow { at, ..now }
    }

    #[inline(always)]
    fn push<P: Payload>(&mut self, hop: &mut Self::Hop<P>, now: NsNow, packet: P) {
        hop.push(now.event, &mut self.scheduled, packet);
    }

    #[inline(always)]
    fn is_transmission_start<P: Payload>(&mut self, hop: &mut Self::Hop<P>, due: EventKey) -> bool {
        hop.begin(due.event_time(), &mut self.scheduled)
    }

    #[inline(always)]
    fn poll<P: Payload>(&mut self, hop: &mut Self::Hop<P>, now: NsNow) -> PollResult<P> {
        hop.poll(now.event, &mut self.scheduled)
    }

    #[inline(always)]
    fn due<P: Payload>(hop: &Self::Hop<P>) -> EventKey {
        EventKey::from_event(hop.due())
    }

    /// Other events may have been scheduled in between.
    #[inline(always)]
    fn is_polled_again(_: NsNow, _: EventKey) -> bool {
        false
    }

    #[inline(always)]
    fn on_timer_start<E: Ends>(&mut self, agenda: &mut Agenda, now: NsNow, timer: usize, ends: &E) {
        let (starts, started) = (ends.timer_starts(), &mut self.timers[timer]);
        if starts != started.start_count {
            started.start_count = starts;
            let expiry = ends.sender_timeout();
            if expiry < Instant::NEVER {
                Self::start_timer(&mut self.scheduled, started, agenda, now, timer, expiry);
            }
        }
    }

    /// Puts a timer on the agenda that was started; one that was stopped, or does not count, leaves it.
    #[inline(always)]
    fn set_timer(&mut self, agenda: &mut Agenda, now: NsNow, timer: usize, expiry: Instant) {
        let started = &mut self.timers[timer];
        if expiry == started.expiry {
            return;
        }
        if expiry == Instant::NEVER {
            started.expiry = expiry;
            agenda.set_timer(timer, EventKey::NEVER);
        } else {
            Self::start_timer(&mut self.scheduled, started, agenda, now, timer, expiry);
        }
    }
}
