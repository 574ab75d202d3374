//! Time of a run, and the order of events of one instant.
//!
//! [`Nanoseconds`] are whole: keys are (when, since), `since` being the instant at which the event became
//! certain. [`EventList`] is the time of ns, whose results depend on the last place of its doubles: keys are (when,
//! order of scheduling).

use super::agenda::{Agenda, Key};
use super::ends::Ends;
use airtcp_core::{Cancel, EventTime, Instant, Next, Payload, Span, Stage};
use airtcp_radio::{ArqCounters, HopConfig, Line, Ns2Hop, Observed, Scheduled};

/// The time of a run.
pub(super) trait Timeline {
    /// The present.
    type Now: Copy;
    /// One direction of a hop.
    type Hop<P: Payload>: Carrier<P>;

    /// The timeline of a run of flows with such ticks that start at the given instants.
    fn new(flows: impl Iterator<Item = (Option<Span>, Instant)>, agenda: &mut Agenda) -> Self;

    fn hop<P: Payload>(config: HopConfig) -> Self::Hop<P>;

    /// The first key that is not before `end`.
    fn key(end: Instant) -> Key;

    fn now(due: Key) -> Self::Now;

    /// The instant as TCP and observers know it.
    fn at(now: Self::Now) -> Instant;

    /// Now that a timer has expired that was set to `expiry`.
    fn expired(now: Self::Now, expiry: Instant) -> Self::Now;

    fn push<P: Payload>(&mut self, hop: &mut Self::Hop<P>, now: Self::Now, packet: P);

    /// Returns whether the event due then is the start of a transmission, of which only the hop takes note.
    #[inline(always)]
    fn begin<P: Payload>(&mut self, _hop: &mut Self::Hop<P>, _due: Key) -> bool {
        false
    }

    fn poll<P: Payload>(&mut self, hop: &mut Self::Hop<P>, now: Self::Now) -> Next<P>;

    fn due<P: Payload>(hop: &Self::Hop<P>) -> Key;

    /// Returns whether a hop that is due then is polled on in the same event.
    fn goes_on(now: Self::Now, due: Key) -> bool;

    /// `timer`, which is of the sender among `ends`, may have been started during this event, before what is sent from now on.
    fn note_start<E: Ends>(&mut self, agenda: &mut Agenda, now: Self::Now, timer: usize, ends: &E);

    /// `timer` waits for `expiry` from now on, if it did not before.
    fn set_timer(&mut self, agenda: &mut Agenda, now: Self::Now, timer: usize, expiry: Instant);
}

/// A hop as the network sees it, packets apart.
pub(super) trait Carrier<P: Payload>: Observed<P> {
    fn watch(&mut self, cancel: &Cancel);
    fn held(&self) -> usize;
    fn air(&self, owner: usize) -> ArqCounters;
}

impl<P: Payload> Carrier<P> for Line<P> {
    fn watch(&mut self, cancel: &Cancel) {
        Line::watch(self, cancel);
    }

    fn held(&self) -> usize {
        Line::held(self)
    }

    fn air(&self, owner: usize) -> ArqCounters {
        Line::air(self, owner)
    }
}

impl<P: Payload, const COUNTS: bool> Carrier<P> for Ns2Hop<P, COUNTS> {
    fn watch(&mut self, cancel: &Cancel) {
        Ns2Hop::watch(self, cancel);
    }

    fn held(&self) -> usize {
        Ns2Hop::held(self)
    }

    fn air(&self, _owner: usize) -> ArqCounters {
        ArqCounters::default()
    }
}

/// Whole nanoseconds.
pub(super) struct Nanoseconds;

fn since(when: Instant, since: Instant) -> Key {
    if when == Instant::NEVER {
        return Key::NEVER;
    }
    Key::new(when.nanos().cast_unsigned(), since.nanos().cast_unsigned())
}

impl Timeline for Nanoseconds {
    type Now = Instant;
    type Hop<P: Payload> = Line<P>;

    fn new(flows: impl Iterator<Item = (Option<Span>, Instant)>, agenda: &mut Agenda) -> Self {
        for (i, (_, start)) in flows.enumerate() {
            agenda.set_timer(2 * i, since(start, Instant::START));
        }
        Nanoseconds
    }

    fn hop<P: Payload>(config: HopConfig) -> Line<P> {
        Line::new(config)
    }

    fn key(end: Instant) -> Key {
        Key::new(end.nanos().cast_unsigned(), 0)
    }

    #[inline(always)]
    fn now(due: Key) -> Instant {
        Instant::from_nanos(due.when().cast_signed())
    }

    #[inline(always)]
    fn at(now: Instant) -> Instant {
        now
    }

    #[inline(always)]
    fn expired(now: Instant, _: Instant) -> Instant {
        now
    }

    #[inline(always)]
    fn push<P: Payload>(&mut self, hop: &mut Line<P>, now: Instant, packet: P) {
        hop.push(now, packet);
    }

    #[inline(always)]
    fn poll<P: Payload>(&mut self, hop: &mut Line<P>, now: Instant) -> Next<P> {
        hop.poll(now)
    }

    #[inline(always)]
    fn due<P: Payload>(hop: &Line<P>) -> Key {
        let (when, certain) = hop.due();
        since(when, certain)
    }

    #[inline(always)]
    fn goes_on(now: Instant, due: Key) -> bool {
        due.when() <= now.nanos().cast_unsigned()
    }

    #[inline(always)]
    fn note_start<E: Ends>(&mut self, _: &mut Agenda, _: Instant, _: usize, _: &E) {}

    /// One that keeps its deadline keeps its place.
    #[inline(always)]
    fn set_timer(&mut self, agenda: &mut Agenda, now: Instant, timer: usize, expiry: Instant) {
        if expiry.nanos().cast_unsigned() != agenda.timer(timer).when() {
            agenda.set_timer(timer, since(expiry, now));
        }
    }
}

/// The time of ns: doubles, and how many events have been scheduled; with hops that count if `COUNTS`.
pub(super) struct EventList<const COUNTS: bool = false> {
    scheduled: Scheduled,
    /// State of each timer: the number of its starts, the deadline by which it stands on the agenda, and the tick of
    /// its clock.
    timers: Vec<Started>,
}

#[derive(Clone, Copy)]
struct Started {
    starts: u32,
    expiry: Instant,
    tick: Option<Span>,
    /// The last length asked for, in seconds too.
    memo: (Span, f64),
}

/// The present as ns has it, and as TCP knows it.
#[derive(Clone, Copy)]
pub(super) struct Present {
    event: EventTime,
    at: Instant,
}

impl Started {
    /// `length` in seconds as ns computes it: a timer is a number of ticks long.
    #[inline]
    fn seconds(&mut self, length: Span) -> f64 {
        if self.memo.0 != length {
            let ticks = self.tick.filter(|tick| length.nanos() % tick.nanos() == 0);
            let seconds = ticks.map_or(length.seconds(), |tick| {
                (length.nanos() / tick.nanos()) as f64 * tick.seconds()
            });
            self.memo = (length, seconds);
        }
        self.memo.1
    }
}

impl<const COUNTS: bool> EventList<COUNTS> {
    #[inline(always)]
    fn start(
        scheduled: &mut Scheduled,
        started: &mut Started,
        agenda: &mut Agenda,
        now: Present,
        timer: usize,
        expiry: Instant,
    ) {
        let order = scheduled.take(1);
        started.expiry = expiry;
        let seconds = now.event.seconds + started.seconds(expiry - now.at);
        agenda.set_timer(timer, Key::of(EventTime { seconds, order }));
    }
}

impl<const COUNTS: bool> Timeline for EventList<COUNTS> {
    type Now = Present;
    type Hop<P: Payload> = Ns2Hop<P, COUNTS>;

    fn new(flows: impl Iterator<Item = (Option<Span>, Instant)>, agenda: &mut Agenda) -> Self {
        let (mut timers, mut given) = (Vec::new(), 0);
        for (tick, start) in flows {
            let event = EventTime { order: given, ..EventTime::given(start) };
            agenda.set_timer(timers.len(), Key::of(event));
            let memo = (Span::ZERO, 0.0);
            let sender = Started { starts: 0, expiry: start, tick, memo };
            timers.extend([sender, Started { expiry: Instant::NEVER, tick: None, ..sender }]);
            given += 1;
        }
        EventList { scheduled: Scheduled::new(given), timers }
    }

    fn hop<P: Payload>(config: HopConfig) -> Self::Hop<P> {
        Ns2Hop::new(config)
    }

    fn key(end: Instant) -> Key {
        Key::of(EventTime::given(end))
    }

    #[inline(always)]
    fn now(due: Key) -> Present {
        let event = due.event();
        Present { event, at: event.instant() }
    }

    #[inline(always)]
    fn at(now: Present) -> Instant {
        now.at
    }

    /// Its own deadline may be the next nanosecond.
    fn expired(now: Present, expiry: Instant) -> Present {
        let at = if expiry < Instant::NEVER { now.at.max(expiry) } else { now.at };
        Present { at, ..now }
    }

    #[inline(always)]
    fn push<P: Payload>(&mut self, hop: &mut Self::Hop<P>, now: Present, packet: P) {
        hop.push(now.event, &mut self.scheduled, packet);
    }

    #[inline(always)]
    fn begin<P: Payload>(&mut self, hop: &mut Self::Hop<P>, due: Key) -> bool {
        hop.begin(due.event(), &mut self.scheduled)
    }

    #[inline(always)]
    fn poll<P: Payload>(&mut self, hop: &mut Self::Hop<P>, now: Present) -> Next<P> {
        hop.poll(now.event, &mut self.scheduled)
    }

    #[inline(always)]
    fn due<P: Payload>(hop: &Self::Hop<P>) -> Key {
        Key::of(hop.due())
    }

    /// Others may have been scheduled in between.
    #[inline(always)]
    fn goes_on(_: Present, _: Key) -> bool {
        false
    }

    #[inline(always)]
    fn note_start<E: Ends>(&mut self, agenda: &mut Agenda, now: Present, timer: usize, ends: &E) {
        let (starts, started) = (ends.timer_starts(), &mut self.timers[timer]);
        if starts != started.starts {
            started.starts = starts;
            let expiry = ends.sender_timeout();
            if expiry < Instant::NEVER {
                Self::start(&mut self.scheduled, started, agenda, now, timer, expiry);
            }
        }
    }

    /// Puts a timer on the agenda that was started; one that was stopped, or does not count, leaves it.
    #[inline(always)]
    fn set_timer(&mut self, agenda: &mut Agenda, now: Present, timer: usize, expiry: Instant) {
        let started = &mut self.timers[timer];
        if expiry == started.expiry {
            return;
        }
        if expiry == Instant::NEVER {
            started.expiry = expiry;
            agenda.set_timer(timer, Key::NEVER);
        } else {
            Self::start(&mut self.scheduled, started, agenda, now, timer, expiry);
        }
    }
}
