//! One direction of a hop as ns keeps time: doubles, and events at equal doubles in the order in which they
//! were scheduled [ns2 reading, section 1].
//!
//! A transmission that begins at T schedules the arrival at T + (tx + delay) and then its own end at
//! T + tx. The next one begins with that end, in its turn: whether a packet that meets a full queue as a transmission
//! ends is dropped depends on the last place of two sums, and where they are equal on who was
//! scheduled first. So unlike in [`super::Hop`] the end of a transmission is an event, where somebody waits for it.

use super::admission::Admission;
use super::counts::{CountRecorder, Volume};
use super::delays::DelaySchedule;
use super::exit::ExitLosses;
use super::forced::ForcedLosses;
use super::hop::HopConfig;
use super::ledger::{HopLedger, Observed};
use super::losses::LossCause;
use crate::channel::{ChainTally, Channel, Fate, Process, Transmission};
use crate::gate::{GateProcess, Outage, OutageLosses};
use crate::queue::discipline::QueueLength;
use crate::ring::Ring;
use airtcp_core::{Cancel, EventTime, Instant, Payload, PollResult};

/// Number of events scheduled in a run, on all hops and timers.
#[derive(Clone, Copy, Debug)]
pub struct EventCounter(u64);

impl EventCounter {
    /// Numbers events from `given` on, the count of those that were scheduled before the run.
    #[must_use]
    pub fn new(given: u64) -> Self {
        EventCounter(given + 1)
    }

    /// The order of the first of `events` that are scheduled now, one after the other.
    #[inline]
    pub fn take(&mut self, events: u64) -> u64 {
        let first = self.0;
        self.0 += events;
        first
    }
}

/// One direction of a hop on the time of ns. What counts, where `COUNTS`, is compiled in or out.
#[derive(Debug)]
pub struct Ns2Hop<P, const COUNTS: bool = false> {
    /// Bits per second.
    rate: f64,
    /// Airtime of the last length asked for.
    last_airtime: (u64, f64),
    delays: DelaySchedule<f64, f64>,
    queue: Admission,
    exit: ExitLosses,
    channel: Process,
    forced: ForcedLosses,
    gate: Option<GateProcess>,
    /// The current or next outage of the gate, its begin, and true once it was carried out.
    outage: Outage,
    outage_event: EventTime,
    is_cut: bool,
    /// Packets that have not arrived, in order: on the wire, in transmission, waiting.
    line: Ring<PacketInTransit<P>>,
    /// Number of packets at the end of the line that wait.
    waiting: QueueLength,
    /// The arrival of the first, if its transmission has begun.
    first_arrival: EventTime,
    /// True if the channel asks when a packet was sent.
    is_timed: bool,
    /// The end of the last transmission that has begun.
    busy_until: EventTime,
    /// The latest arrival in seconds, where the delay changes.
    last_arrival: f64,
    ledger: HopLedger<P>,
    /// True if there is anything at the exit, a gate, a queue that marks, forced losses, or a delay that changes: without, a
    /// packet goes a way on which nothing asks for them.
    is_full: bool,
}

/// A packet on its way; its times mean nothing before its transmission begins.
#[derive(Debug)]
struct PacketInTransit<P> {
    payload: P,
    start: f64,
    arrival: EventTime,
}

impl<P: Payload, const COUNTS: bool> Ns2Hop<P, COUNTS> {
    /// Returns whether ns has such a link: no slots, no recorded opportunities, no rates that change, no link layer that retransmits, no queue that
    /// does more than mark and refuse, no jitter or duplication, no channel that delays, and no gate that holds packets back.
    #[must_use]
    pub fn is_supported(config: &HopConfig) -> bool {
        let plain = config.slot.is_none()
            && config.opportunities.is_none()
            && config.rates.is_none()
            && !config.channel.delays()
            && config.keeps_order_and_number();
        let managed =
            config.managed.as_deref().map(|queue| queue.guarantees().only_drops_on_arrival);
        let plain = plain && managed.unwrap_or(true);
        plain && config.gate.as_ref().is_none_or(|gate| gate.loses() == OutageLosses::All)
    }

    /// A hop as `config` says, which ns [has](Ns2Hop::is_supported).
    #[must_use]
    pub fn new(config: HopConfig) -> Self {
        let is_full = config.exit.is_some()
            || config.marks.is_some()
            || config.gate.is_some()
            || config.managed.is_some()
            || !config.drop.is_empty()
            || !config.delays.is_empty();
        let changes = config.delays.iter();
        let changes = changes
            .map(|(at, delay)| (EventTime::scheduled_before_run(*at).seconds, delay.seconds()));
        let mut hop = Ns2Hop {
            rate: config.rate.bits_per_second(),
            last_airtime: (0, 0.0),
            delays: DelaySchedule::new(config.delay.seconds(), changes.collect()),
            queue: Admission::new(config.queue, config.managed),
            exit: ExitLosses::new(config.exit, config.marks),
            is_timed: config.channel.is_timed(),
            channel: config.channel,
            forced: ForcedLosses::new(&config.drop),
            gate: config.gate,
            outage: Outage::NEVER,
            outage_event: EventTime::NEVER,
            is_cut: false,
            line: Ring::default(),
            waiting: QueueLength::default(),
            first_arrival: EventTime::NEVER,
            busy_until: EventTime::scheduled_before_run(Instant::START),
            last_arrival: 0.0,
            ledger: HopLedger::new(),
            is_full,
        };
        hop.ledger.counting.set(COUNTS);
        hop.schedule_outage(Instant::START);
        hop
    }

    /// Makes every step short once `cancel` is set; its results then mean nothing.
    pub fn watch(&mut self, cancel: &Cancel) {
        self.exit.watch(cancel);
        self.channel.watch(cancel);
        self.gate.iter_mut().for_each(|gate| gate.watch(cancel));
    }

    /// Number of packets that have not arrived.
    #[must_use]
    pub fn packets_held(&self) -> usize {
        self.line.len()
    }

    /// Next event of the hop: an arrival, the end of a transmission for which a packet waits, or an outage.
    #[inline(always)]
    #[must_use]
    pub fn due(&self) -> EventTime {
        let begins = self.waiting.packets > 0 && self.busy_until < self.first_arrival;
        let event = if begins { self.busy_until } else { self.first_arrival };
        if self.is_full { self.due_before(event) } else { event }
    }

    /// The next event, before which there may be an outage.
    #[cold]
    #[inline(never)]
    fn due_before(&self, event: EventTime) -> EventTime {
        if self.outage_event < event && event != EventTime::NEVER {
            self.outage_event
        } else {
            event
        }
    }

    /// A packet comes during the event `now`.
    #[inline(always)]
    pub fn push(&mut self, now: EventTime, scheduled: &mut EventCounter, payload: P) {
        if self.is_full {
            return self.push_to_full(now, scheduled, payload);
        }
        let (idle, waiting) = (self.is_idle(now), self.waiting);
        self.note(|counts| counts.count_offered(payload.bits()));
        if self.queue.discipline.admits(waiting, payload.bits(), idle) {
            self.accept::<false>(now, scheduled, payload, idle);
        } else {
            self.lose(now, payload, LossCause::Queue);
        }
    }

    /// Pushes a packet to which anything may happen.
    #[inline(never)]
    fn push_to_full(&mut self, now: EventTime, scheduled: &mut EventCounter, mut payload: P) {
        self.note(|counts| counts.count_offered(payload.bits()));
        if self.exit.loses(|| now.instant(), &mut payload) {
            return self.lose(now, payload, LossCause::Channel);
        }
        if self.outage_event.seconds <= now.seconds {
            self.pass_outages(now);
            if self.outage_event.seconds <= now.seconds {
                return self.lose(now, payload, LossCause::Vanished);
            }
        }
        let idle = self.is_idle(now);
        let idle_for = idle.then_some(now.seconds - self.busy_until.seconds);
        if !self.queue.admits(now, self.waiting, &mut payload, idle_for) {
            return self.lose(now, payload, LossCause::Queue);
        }
        self.accept::<true>(now, scheduled, payload, idle);
    }

    /// Returns whether a packet that comes now need not wait.
    #[inline(always)]
    fn is_idle(&self, now: EventTime) -> bool {
        self.waiting.packets == 0 && self.busy_until < now
    }

    /// Takes a packet that was let in.
    #[inline(always)]
    fn accept<const FULL: bool>(
        &mut self,
        now: EventTime,
        scheduled: &mut EventCounter,
        payload: P,
        idle: bool,
    ) {
        let bits = payload.bits();
        self.note(|counts| counts.count_accepted(bits));
        if idle {
            let owner = payload.owner();
            self.start::<FULL>(now, owner, bits);
            self.note(|counts| counts.start(now.instant(), now.instant(), owner, bits));
            let arrival = self.transmit::<FULL>(now.seconds, scheduled, bits);
            if self.line.is_empty() {
                self.first_arrival = arrival;
            }
            self.line.push(PacketInTransit { payload, start: now.seconds, arrival });
        } else {
            self.line.push(PacketInTransit { payload, start: 0.0, arrival: EventTime::NEVER });
            self.waiting.join(bits);
            self.note(|counts| counts.enqueue(now.instant(), bits));
        }
    }

    /// Returns whether the event `now`, which is due, is the end of a transmission for which a packet waits: that one begins.
    #[inline(always)]
    pub fn begin(&mut self, now: EventTime, scheduled: &mut EventCounter) -> bool {
        if self.waiting.packets == 0 || self.busy_until != now {
            return false;
        }
        if self.is_full {
            return self.begin_on_full(now, scheduled);
        }
        self.begin_first::<false>(now, scheduled);
        true
    }

    /// Begins a transmission where there may be an outage first.
    #[inline(never)]
    fn begin_on_full(&mut self, now: EventTime, scheduled: &mut EventCounter) -> bool {
        let is_up = self.outage_event.seconds > now.seconds;
        if is_up {
            self.begin_first::<true>(now, scheduled);
        }
        is_up
    }

    /// The transmission of the first that waits begins.
    #[inline(always)]
    fn begin_first<const FULL: bool>(&mut self, now: EventTime, scheduled: &mut EventCounter) {
        let (begun, place) = (self.started_count(), self.line.index_of(self.started_count()));
        let first = &self.line.get_at(place).payload;
        let (bits, owner) = (first.bits(), first.owner());
        self.waiting.leave(bits);
        self.start::<FULL>(now, owner, bits);
        self.note(|counts| counts.start_first(now.instant(), owner, bits));
        let arrival = self.transmit::<FULL>(now.seconds, scheduled, bits);
        if begun == 0 {
            self.first_arrival = arrival;
        }
        let passage = self.line.get_at_mut(place);
        (passage.start, passage.arrival) = (now.seconds, arrival);
    }

    /// Carries out the event `now`, which is due: what it hands over, if anything.
    #[inline(always)]
    pub fn poll(&mut self, now: EventTime, scheduled: &mut EventCounter) -> PollResult<P> {
        if self.is_full && self.pass_outages_and_begin(now, scheduled) {
            return PollResult::Idle;
        }
        if self.first_arrival != now {
            return PollResult::Idle;
        }
        if let Some(cause) = self.loss_cause() {
            self.lose_first(now, cause);
            return PollResult::Idle;
        }
        let Some(payload) = self.take_first() else { return PollResult::Idle };
        PollResult::Out(payload)
    }

    /// The first packet on the line leaves it. What is lost is taken out elsewhere than what arrives, which then need not lie in
    /// memory.
    #[inline(always)]
    fn take_first(&mut self) -> Option<P> {
        let PacketInTransit { payload, .. } = self.line.pop()?;
        // Of those that wait it is never.
        self.first_arrival = self.line.first().map_or(EventTime::NEVER, |passage| passage.arrival);
        Some(payload)
    }

    #[cold]
    #[inline(never)]
    fn lose_first(&mut self, now: EventTime, cause: LossCause) {
        if let Some(payload) = self.take_first() {
            self.lose(now, payload, cause);
        }
    }

    /// Returns whether after the outages that have begun by `now` a transmission begins.
    #[inline(never)]
    fn pass_outages_and_begin(&mut self, now: EventTime, scheduled: &mut EventCounter) -> bool {
        if self.outage_event.seconds > now.seconds {
            return false;
        }
        self.pass_outages(now);
        self.begin(now, scheduled)
    }

    /// A packet leaves the queue.
    #[inline(always)]
    fn start<const FULL: bool>(&mut self, now: EventTime, owner: usize, bits: u64) {
        if FULL && self.queue.start_first(now) {
            self.note(|counts| counts.mark(now.instant(), owner, bits));
        }
    }

    /// Number of packets that do not wait.
    #[inline(always)]
    fn started_count(&self) -> usize {
        self.line.len() - self.waiting.packets as usize
    }

    /// The transmission of `bits` begins at `start`: when they arrive.
    #[inline(always)]
    fn transmit<const FULL: bool>(
        &mut self,
        start: f64,
        scheduled: &mut EventCounter,
        bits: u64,
    ) -> EventTime {
        let airtime = self.airtime(bits);
        let arrival = if !FULL || self.delays.is_constant() {
            start + (airtime + self.delays.initial_delay())
        } else {
            self.arrival_in_order(start, airtime)
        };
        let (end, order) = (start + airtime, scheduled.take(2));
        self.note(|counts| counts.transmit(instant(start), instant(end)));
        self.busy_until = EventTime { seconds: end, order: order + 1 };
        EventTime { seconds: arrival, order }
    }

    /// Arrival of a packet where the delay changes: it follows a packet that it would overtake.
    #[cold]
    fn arrival_in_order(&mut self, start: f64, airtime: f64) -> f64 {
        let delay = self.delays.delay_at(start);
        if airtime + delay < self.last_arrival - start {
            self.last_arrival += airtime;
            start + (self.last_arrival - start)
        } else {
            self.last_arrival = start + airtime + delay;
            start + (airtime + delay)
        }
    }

    #[inline]
    fn airtime(&mut self, bits: u64) -> f64 {
        if self.last_airtime.0 != bits {
            self.set_length(bits);
        }
        self.last_airtime.1
    }

    #[cold]
    fn set_length(&mut self, bits: u64) {
        self.last_airtime = (bits, self.channel.bits_on_air(bits) as f64 / self.rate);
    }

    /// Cause of the loss of the first packet on the line, if it was lost, now that it reaches the far end.
    #[inline(always)]
    fn loss_cause(&mut self) -> Option<LossCause> {
        if self.fate(0) == Fate::Erased {
            return Some(LossCause::Channel);
        }
        if self.is_full { self.forced_loss() } else { None }
    }

    #[inline(never)]
    fn forced_loss(&mut self) -> Option<LossCause> {
        if self.forced.is_empty() {
            return None;
        }
        let number = self.line.first()?.payload.number()?;
        self.forced.loses_copy(number).then_some(LossCause::Forced)
    }

    #[inline(always)]
    fn fate(&mut self, place: usize) -> Fate {
        if matches!(self.channel, Process::Perfect) {
            return Fate::Clean;
        }
        if !self.is_timed {
            // It counts packets, and asks for nothing of them.
            let (start, end) = (Instant::START, Instant::START);
            return self.channel.fate_of(Transmission { start, end, bits: 0 });
        }
        let passage = self.line.get(place).expect("a packet that has begun");
        let (start, bits) = (passage.start, passage.payload.bits());
        let end = start + self.airtime(bits);
        self.channel.fate_of(Transmission { start: instant(start), end: instant(end), bits })
    }

    /// Carries out the outages that have begun by `now`. The first of them leaves nothing to the others.
    #[cold]
    fn pass_outages(&mut self, now: EventTime) {
        if !self.is_cut {
            self.lose_all();
            self.is_cut = true;
        }
        while EventTime::scheduled_before_run(self.outage.up).seconds <= now.seconds {
            self.schedule_outage(self.outage.up.max(now.instant()));
            self.is_cut = self.outage_event.seconds <= now.seconds;
        }
    }

    fn schedule_outage(&mut self, from: Instant) {
        self.outage = self.gate.as_mut().map_or(Outage::NEVER, |gate| gate.current_outage(from));
        self.outage_event = EventTime::scheduled_before_run(self.outage.down);
    }

    /// Destroys what has not arrived. The transmitter goes on with what it has begun.
    fn lose_all(&mut self) {
        for place in 0..self.started_count() {
            self.fate(place);
        }
        self.first_arrival = EventTime::NEVER;
        while let Some(PacketInTransit { payload, .. }) = self.line.pop() {
            self.lose(self.outage_event, payload, LossCause::Gate);
        }
        self.waiting = QueueLength::default();
        self.queue.lose_all();
        let down = self.outage_event.instant();
        self.note(|counts| counts.cut(down));
    }

    /// Does `note` with what counts, if anything does.
    #[inline(always)]
    fn note(&mut self, note: impl FnOnce(&mut CountRecorder)) {
        if COUNTS {
            self.ledger.counting.record_inline(note);
        }
    }

    #[cold]
    #[inline(never)]
    fn lose(&mut self, at: EventTime, payload: P, cause: LossCause) {
        self.note(|counts| counts.count_lost(payload.bits()));
        self.ledger.losses.record(|| at.instant(), payload, cause);
    }
}

impl<P: Payload, const COUNTS: bool> Observed<P> for Ns2Hop<P, COUNTS> {
    fn ledger(&self) -> &HopLedger<P> {
        &self.ledger
    }

    fn ledger_mut(&mut self) -> &mut HopLedger<P> {
        &mut self.ledger
    }

    /// Does nothing: a driver carries out every event before `now` itself.
    fn advance_to(&mut self, _now: Instant) {}

    fn held_volume(&self) -> Volume {
        let held = self.line.iter().map(|passage| passage.payload.bits());
        held.fold(Volume::default(), Volume::plus_packet)
    }

    fn met(&self) -> ChainTally {
        self.channel.chain_tally().plus(self.exit.met())
    }

    /// Does nothing: whether it counts is a matter of its type.
    fn record_counts(&mut self, _counting: bool) {}
}

/// The nanosecond nearest to an instant.
fn instant(seconds: f64) -> Instant {
    EventTime { seconds, order: 0 }.instant()
}
