//! One direction of a hop as ns keeps time: doubles, and events at equal doubles in the order in which they
//! were scheduled [readings of the recorded traces, Ties].
//!
//! A transmission that begins at T schedules the arrival at T + (tx + delay) and then its own end at
//! T + tx. The next one begins with that end, in its turn: whether a packet that meets a full queue as a transmission
//! ends is dropped depends on the last place of two sums, and where they are equal on who was
//! scheduled first. So unlike in [`super::Hop`] the end of a transmission is an event, where somebody waits for it.

use super::counts::{Counting, LinkCounts};
use super::delays::Delays;
use super::exit::Exit;
use super::forced::Forced;
use super::history::LinkHistory;
use super::hop::HopConfig;
use super::losses::{Cause, HopCounters, Losses, Lost};
use crate::channel::{Burst, Channel, Fate, Process};
use crate::gate::{GateProcess, Loses, Outage};
use crate::queue::discipline::{Discipline, Waiting};
use airtcp_core::{Cancel, EventTime, Instant, Next, Payload};
use std::collections::VecDeque;

/// How many events have been scheduled in a run, on all hops and timers.
#[derive(Clone, Copy, Debug)]
pub struct Scheduled(u64);

impl Scheduled {
    /// So many were given before the run.
    #[must_use]
    pub fn new(given: u64) -> Self {
        Scheduled(given + 1)
    }

    /// The order of the first of `events` that are scheduled now, one after the other.
    #[inline]
    pub fn take(&mut self, events: u64) -> u64 {
        let first = self.0;
        self.0 += events;
        first
    }
}

/// One direction of a hop on the time of ns.
#[derive(Debug)]
pub struct Ns2Hop<P> {
    /// Bits per second.
    rate: f64,
    /// Airtime of the last length asked for.
    memo: (u64, f64),
    delays: Delays<f64, f64>,
    queue: Discipline,
    exit: Exit,
    channel: Process,
    forced: Forced,
    gate: Option<GateProcess>,
    /// Its current or next outage, when that begins, and whether it was carried out.
    outage: Outage,
    down: EventTime,
    is_cut: bool,
    /// What has not arrived, in order: on the wire, in transmission, waiting.
    line: VecDeque<P>,
    /// How many at the end of the line wait.
    waiting: Waiting,
    /// The others' times.
    passages: VecDeque<Passage>,
    /// The arrival of the first of them.
    head: EventTime,
    /// Whether the channel asks when a packet was sent.
    is_timed: bool,
    /// The end of the last transmission that has begun.
    busy_until: EventTime,
    /// The latest arrival in seconds, where the delay changes.
    latest: f64,
    losses: Losses<P>,
    counting: Counting,
}

/// The times of a packet on its way.
#[derive(Clone, Copy, Debug)]
struct Passage {
    start: f64,
    end: f64,
    arrival: EventTime,
}

impl<P: Payload> Ns2Hop<P> {
    /// Whether ns has such a link: no slots, no recorded opportunities, no link layer that retransmits, no queue that
    /// does more than refuse, no jitter or duplication, and no gate that holds packets back.
    #[must_use]
    pub fn has(config: &HopConfig) -> bool {
        let plain = config.slot.is_none() && config.opportunities.is_none() && config.is_foreseen();
        plain && config.gate.as_ref().is_none_or(|gate| gate.loses() == Loses::All)
    }

    /// A hop as `config` says, which ns [has](Ns2Hop::has).
    #[must_use]
    pub fn new(config: HopConfig) -> Self {
        let changes = config.delays.iter();
        let changes = changes.map(|(at, delay)| (EventTime::given(*at).seconds, delay.seconds()));
        let mut hop = Ns2Hop {
            rate: config.rate.bits_per_second(),
            memo: (0, 0.0),
            delays: Delays::new(config.delay.seconds(), changes.collect()),
            queue: config.queue,
            exit: Exit::new(config.exit),
            is_timed: config.channel.is_timed(),
            channel: config.channel,
            forced: Forced::new(&config.drop),
            gate: config.gate,
            outage: Outage::NEVER,
            down: EventTime::NEVER,
            is_cut: false,
            line: VecDeque::new(),
            waiting: Waiting::default(),
            passages: VecDeque::new(),
            head: EventTime::NEVER,
            busy_until: EventTime::given(Instant::START),
            latest: 0.0,
            losses: Losses::new(),
            counting: Counting::default(),
        };
        hop.await_outage(Instant::START);
        hop
    }

    /// From now on no step takes long once `cancel` is set; what it does then means nothing.
    pub fn watch(&mut self, cancel: &Cancel) {
        self.exit.watch(cancel);
        self.channel.watch(cancel);
        self.gate.iter_mut().for_each(|gate| gate.watch(cancel));
    }

    /// Keeps lost packets for [`Ns2Hop::take_lost`] from now on, or no longer.
    pub fn record_losses(&mut self, recording: bool) {
        self.losses.recording = recording;
    }

    /// The next lost packet that was not taken yet.
    #[inline]
    pub fn take_lost(&mut self) -> Option<Lost<P>> {
        self.losses.take()
    }

    /// Counts for [`Ns2Hop::counts`] from now on, or no longer; to be said before the first push.
    pub fn record_counts(&mut self, counting: bool) {
        self.counting.set(counting);
    }

    /// What was counted up to `now`, before which everything has happened; none unless it counts.
    pub fn counts(&mut self, now: Instant) -> Option<LinkCounts> {
        self.counting.read(now, self.losses.counters)
    }

    /// Counts, and keeps what happens for [`Ns2Hop::take_history`], from now on, or no longer; to be said before the first push.
    pub fn record_history(&mut self, recording: bool) {
        self.counting.set_history(recording);
    }

    /// How much memory that takes so far.
    #[must_use]
    pub fn history_bytes(&self) -> usize {
        self.counting.history_bytes()
    }

    /// What has happened up to `now`, before which everything has happened; none unless it is kept.
    pub fn take_history(&mut self, now: Instant) -> Option<LinkHistory> {
        self.counts(now);
        self.counting.take_history(now)
    }

    /// How many packets have not arrived.
    #[must_use]
    pub fn held(&self) -> usize {
        self.line.len()
    }

    /// Losses up to the last push or poll.
    #[must_use]
    pub fn counters(&self) -> HopCounters {
        self.losses.counters
    }

    /// Its next event: an arrival, the end of a transmission for which a packet waits, or an outage.
    #[inline]
    #[must_use]
    pub fn due(&self) -> EventTime {
        let mut event = self.head;
        if self.waiting.packets > 0 && self.busy_until < event {
            event = self.busy_until;
        }
        if self.down < event && event != EventTime::NEVER { self.down } else { event }
    }

    /// A packet comes during the event `now`.
    #[inline(always)]
    pub fn push(&mut self, now: EventTime, scheduled: &mut Scheduled, payload: P) {
        let bits = payload.bits();
        self.counting.note(|counts| counts.offer(bits));
        if self.exit.loses(|| now.instant(), bits) {
            return self.lose(now, payload, Cause::Channel);
        }
        if self.down.seconds <= now.seconds {
            self.pass_outages(now);
            if self.down.seconds <= now.seconds {
                return self.lose(now, payload, Cause::Vanished);
            }
        }
        let idle = self.waiting.packets == 0 && self.busy_until < now;
        if !self.queue.admits(self.waiting, bits, idle) {
            return self.lose(now, payload, Cause::Queue);
        }
        self.counting.note(|counts| {
            let now = now.instant();
            counts.accept(bits);
            if idle {
                counts.start(now, now, payload.owner(), bits);
            } else {
                counts.queue(now, bits);
            }
        });
        self.line.push_back(payload);
        if idle {
            self.transmit(now.seconds, scheduled, bits);
        } else {
            self.waiting.join(bits);
        }
    }

    /// Whether the event `now`, which is due, is the end of a transmission for which a packet waits: that one begins.
    #[inline(always)]
    pub fn begin(&mut self, now: EventTime, scheduled: &mut Scheduled) -> bool {
        if self.waiting.packets == 0 || self.busy_until != now || self.down.seconds <= now.seconds {
            return false;
        }
        let first = &self.line[self.passages.len()];
        let bits = first.bits();
        self.waiting.leave(bits);
        self.counting.note(|counts| counts.start_first(now.instant(), first.owner(), bits));
        self.transmit(now.seconds, scheduled, bits);
        true
    }

    /// Carries out the event `now`, which is due: what it hands over, if anything.
    #[inline(always)]
    pub fn poll(&mut self, now: EventTime, scheduled: &mut Scheduled) -> Next<P> {
        if self.down.seconds <= now.seconds {
            self.pass_outages(now);
            if self.begin(now, scheduled) {
                return Next::Idle;
            }
        }
        if self.head != now {
            return Next::Idle;
        }
        let loss = self.loss();
        self.passages.pop_front();
        self.head = self.passages.front().map_or(EventTime::NEVER, |passage| passage.arrival);
        let payload = self.line.pop_front();
        let Some(cause) = loss else {
            self.counting.note(|counts| counts.deliver(payload.as_ref().map_or(0, Payload::bits)));
            return payload.map_or(Next::Idle, Next::Out);
        };
        self.lose(now, payload.expect("one for each passage"), cause);
        Next::Idle
    }

    /// The transmission of `bits`, the first that wait, begins at `start`.
    #[inline(always)]
    fn transmit(&mut self, start: f64, scheduled: &mut Scheduled, bits: u64) {
        let airtime = self.airtime(bits);
        let arrival = if self.delays.is_constant() {
            start + (airtime + self.delays.at(start))
        } else {
            self.keep_order(start, airtime)
        };
        let (end, order) = (start + airtime, scheduled.take(2));
        let arrival = EventTime { seconds: arrival, order };
        if self.passages.is_empty() {
            self.head = arrival;
        }
        self.passages.push_back(Passage { start, end, arrival });
        self.busy_until = EventTime { seconds: end, order: order + 1 };
        self.counting.note(|counts| {
            let at = |seconds| EventTime { seconds, order }.instant();
            counts.transmit(at(start), at(end));
        });
    }

    /// When a packet arrives where the delay changes: it follows one that it would overtake.
    #[cold]
    fn keep_order(&mut self, start: f64, airtime: f64) -> f64 {
        let delay = self.delays.at(start);
        if airtime + delay < self.latest - start {
            self.latest += airtime;
            start + (self.latest - start)
        } else {
            self.latest = start + airtime + delay;
            start + (airtime + delay)
        }
    }

    #[inline]
    fn airtime(&mut self, bits: u64) -> f64 {
        if self.memo.0 != bits {
            self.memo = (bits, self.channel.bits_on_air(bits) as f64 / self.rate);
        }
        self.memo.1
    }

    /// What the first packet on the line was lost to, if it was, now that it reaches the far end.
    #[inline(always)]
    fn loss(&mut self) -> Option<Cause> {
        if self.fate(0) == Fate::Erased {
            return Some(Cause::Channel);
        }
        if self.forced.is_empty() {
            return None;
        }
        let number = self.line[0].number()?;
        self.forced.takes(number).then_some(Cause::Forced)
    }

    #[inline(always)]
    fn fate(&mut self, place: usize) -> Fate {
        if matches!(self.channel, Process::Perfect) {
            return Fate::Clean;
        }
        let (mut start, mut end) = (Instant::START, Instant::START);
        if self.is_timed {
            let passage = self.passages[place];
            start = EventTime { seconds: passage.start, order: 0 }.instant();
            end = EventTime { seconds: passage.end, order: 0 }.instant();
        }
        self.channel.fate(Burst { start, end, bits: self.line[place].bits() })
    }

    /// Carries out the outages that have begun by `now`. The first of them leaves nothing to the others.
    #[cold]
    fn pass_outages(&mut self, now: EventTime) {
        if !self.is_cut {
            self.cut();
            self.is_cut = true;
        }
        while EventTime::given(self.outage.up).seconds <= now.seconds {
            self.await_outage(self.outage.up.max(now.instant()));
            self.is_cut = self.down.seconds <= now.seconds;
        }
    }

    fn await_outage(&mut self, from: Instant) {
        self.outage = self.gate.as_mut().map_or(Outage::NEVER, |gate| gate.outage(from));
        self.down = EventTime::given(self.outage.down);
    }

    /// Destroys what has not arrived. The transmitter goes on with what it has begun.
    fn cut(&mut self) {
        for place in 0..self.passages.len() {
            self.fate(place);
        }
        self.passages.clear();
        self.head = EventTime::NEVER;
        for payload in std::mem::take(&mut self.line) {
            self.lose(self.down, payload, Cause::Gate);
        }
        self.waiting = Waiting::default();
        self.counting.note(|counts| counts.cut(self.down.instant()));
    }

    #[inline(always)]
    fn lose(&mut self, at: EventTime, payload: P, cause: Cause) {
        self.counting.note(|counts| counts.lose(payload.bits()));
        self.losses.note(|| at.instant(), payload, cause);
    }
}
