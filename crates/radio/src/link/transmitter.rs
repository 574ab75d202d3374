//! One direction of a hop whose queue decides: whenever the transmitter is free, and gate, slot or opportunity allow, it
//! asks its queue what to send. With a drop-tail queue it is a [`Hop`], at a higher price.
//!
//! The answer of the queue depends on what is pushed until then, so that nothing is decided ahead of time: every step
//! catches up with all decisions until now, and polling late changes nothing. The channel is asked as a transmission starts.
//!
//! [`Hop`]: super::Hop

use super::counts::{Volume, just_before};
use super::cuts::OutageCuts;
use super::delays::DelaySchedule;
use super::exit::ExitLosses;
use super::flights::{Flight, Flights};
use super::forced::ForcedLosses;
use super::holding::StartConstraint;
use super::hop::HopConfig;
use super::jitter::{Duplication, Jitter, Overtaking};
use super::ledger::{HopLedger, Observed};
use super::losses::LossCause;
use super::opportunities::Opportunities;
use crate::channel::{ChainTally, Channel, Fate, Process, Transmission};
use crate::gate::OutageLosses;
use crate::queue::backlog::{Backlog, PacketId, WaitingPacket};
use crate::queue::discipline::QueueLength;
use crate::queue::drop_tail::RefusingQueue;
use crate::queue::process::{Dequeued, Queue};
use crate::rates::Rates;
use airtcp_core::{Airtimes, Cancel, Instant, Payload, PollResult, Span, Stage};

/// One direction of a hop with any queue, and with jitter and duplication.
#[derive(Debug)]
pub struct Transmitter<P> {
    airtimes: Airtimes,
    /// Timing that takes the place of a rate that is always the same.
    timing: Option<VariableTiming>,
    delays: DelaySchedule<Instant, Span>,
    exit: ExitLosses,
    channel: Process,
    forced: ForcedLosses,
    holding: StartConstraint,
    cuts: OutageCuts,
    queue: Box<dyn Queue>,
    /// Packets that wait as the queue knows them, how many and long they are, and themselves by their place in the backlog.
    backlog: Backlog,
    waiting: QueueLength,
    packets: Vec<Option<P>>,
    /// Nothing is decided before the last packet came, and nothing is sent before the queue allows.
    last_push: Instant,
    not_before: Instant,
    /// End of the last transmission that has begun.
    idle_from: Instant,
    last_arrival: Instant,
    jitter: Option<Jitter>,
    reorders: bool,
    overtaking: Option<Overtaking>,
    /// True if a decision may have to be taken before the next arrival.
    wakes_early: bool,
    duplication: Option<Duplication>,
    flights: Flights<P>,
    due: (Instant, Instant),
    ledger: HopLedger<P>,
}

/// Timing of transmissions where they follow from more than one rate.
#[derive(Debug)]
enum VariableTiming {
    Opportunities(Box<Opportunities>),
    Rates(Box<Rates>),
}

impl VariableTiming {
    fn from_sources(opportunities: Option<Opportunities>, rates: Option<Rates>) -> Option<Self> {
        match (opportunities, rates) {
            (Some(trace), _) => Some(VariableTiming::Opportunities(Box::new(trace))),
            (None, rates) => rates.map(|rates| VariableTiming::Rates(Box::new(rates))),
        }
    }

    fn record_uses(&mut self, recording: bool) {
        if let VariableTiming::Opportunities(trace) = self {
            trace.record_uses(recording);
        }
    }

    fn take_use(&mut self) -> Option<(Instant, Instant)> {
        match self {
            VariableTiming::Opportunities(trace) => trace.take_use(),
            VariableTiming::Rates(_) => None,
        }
    }
}

impl<P: Payload> Transmitter<P> {
    /// Builds the direction of a hop that `config` describes, which must have no link layer that retransmits.
    #[must_use]
    pub fn new(config: HopConfig) -> Self {
        let is_cutting = config.gate.as_ref().is_some_and(|gate| gate.loses() == OutageLosses::All);
        let (cutting, holding) = if is_cutting { (config.gate, None) } else { (None, config.gate) };
        let discipline = config.queue;
        let queue = config.managed.unwrap_or_else(|| Box::new(RefusingQueue::new(discipline)));
        Transmitter {
            airtimes: Airtimes::new(config.rate),
            timing: VariableTiming::from_sources(config.opportunities, config.rates),
            delays: DelaySchedule::new(config.delay, config.delays),
            exit: ExitLosses::new(config.exit, config.marks),
            channel: config.channel,
            forced: ForcedLosses::new(&config.drop),
            holding: StartConstraint::new(holding, config.slot),
            cuts: OutageCuts::new(cutting),
            wakes_early: config.reorder || queue.guarantees().drops_on_dequeue,
            queue,
            backlog: Backlog::default(),
            waiting: QueueLength::default(),
            packets: Vec::new(),
            last_push: Instant::START,
            not_before: Instant::START,
            idle_from: Instant::START,
            last_arrival: Instant::START,
            jitter: config.jitter,
            reorders: config.reorder,
            overtaking: config.overtaking,
            duplication: config.duplication,
            flights: Flights::new(config.reorder),
            due: (Instant::NEVER, Instant::NEVER),
            ledger: HopLedger::new(),
        }
    }

    /// Makes every step short once `cancel` is set; its results then mean nothing.
    pub fn watch(&mut self, cancel: &Cancel) {
        self.exit.watch(cancel);
        self.channel.watch(cancel);
        self.holding.watch(cancel);
        self.cuts.watch(cancel);
        if let Some(VariableTiming::Rates(rates)) = &mut self.timing {
            rates.watch(cancel);
        }
    }

    /// Number of packets that have not arrived.
    #[must_use]
    pub fn packets_held(&self) -> usize {
        self.waiting.packets as usize + self.flights.len()
    }

    /// Time at which the next poll is of use, and the time since which that was certain, as [`super::Hop::due`].
    #[inline]
    #[must_use]
    pub fn due(&self) -> (Instant, Instant) {
        self.due
    }

    /// Does everything that happens up to `now`, but for handing over.
    #[inline(always)]
    fn advance_to(&mut self, now: Instant) {
        if self.cuts.is_down(now) {
            self.pass_outages(now);
        }
        self.transmit(now);
    }

    #[cold]
    fn pass_outages(&mut self, now: Instant) {
        if let Some(down) = self.cuts.take_due_outage(now) {
            self.transmit(down);
            self.lose_all(down);
        }
    }

    /// All transmissions that start by `now`.
    #[inline(always)]
    fn transmit(&mut self, now: Instant) {
        while self.waiting.packets > 0 {
            let start = self.next_start(now);
            if start > now {
                return;
            }
            let answer = self.queue.dequeue(start, &mut self.backlog);
            self.record_drops(start);
            match answer {
                Dequeued::Send(id) => self.send(start, id),
                Dequeued::Wait(until) => self.not_before = until.max(start + Span::from_nanos(1)),
                Dequeued::Empty => {
                    debug_assert_eq!(self.waiting.packets, 0, "a queue knows what it holds");
                    self.not_before = Instant::NEVER;
                }
            }
        }
    }

    /// Time at which the queue is asked next. The gate is asked only about instants up to `now`: a packet that is sent
    /// first may still come before a later one.
    #[inline(always)]
    fn next_start(&mut self, now: Instant) -> Instant {
        let ready = self.last_push.max(self.not_before);
        if self.timing.is_some() {
            return self.timed_start(ready, now);
        }
        let ready = ready.max(self.idle_from);
        if ready > now { ready } else { self.holding.earliest_start(ready) }
    }

    /// [`Transmitter::next_start`] where that follows from more than one rate.
    #[inline(never)]
    fn timed_start(&mut self, ready: Instant, now: Instant) -> Instant {
        let rates = match &mut self.timing {
            Some(VariableTiming::Opportunities(trace)) => return trace.earliest_start(ready),
            Some(VariableTiming::Rates(rates)) => rates,
            None => return ready,
        };
        let (mut start, mut served) = (ready.max(self.idle_from), Instant::NEVER);
        while start <= now && start != served {
            served = rates.earliest_start(self.holding.earliest_start(start));
            start = if served > now { served } else { self.holding.earliest_start(served) };
        }
        start
    }

    /// The transmission of `id` starts.
    #[inline(always)]
    fn send(&mut self, start: Instant, id: PacketId) {
        let WaitingPacket { since, bits, owner, is_marked, .. } = self.backlog.remove(id);
        self.waiting.leave(bits);
        let mut payload = self.take_stored(id);
        let airtime = self.airtime(start, bits);
        let end = start + airtime;
        self.idle_from = end;
        let timing = &mut self.timing;
        self.ledger.note(move |counts| {
            counts.leave(start, bits);
            counts.start(start, since, owner as usize, bits);
            let (from, to) =
                timing.as_mut().and_then(VariableTiming::take_use).unwrap_or((start, end));
            counts.transmit(from, to);
        });
        if is_marked {
            payload.mark();
            self.ledger.note(move |counts| counts.mark(start, owner as usize, bits));
        }
        payload.on_transmission(start, end);
        let is_lost = self.channel.fate_of(Transmission { start, end, bits }) == Fate::Erased;
        // netem drops a lost packet before it draws whether that overtakes, and its delay. Here it has a delay, so that delays
        // are the same whatever the channel loses: those that depend on the one before step for it too.
        let overtaking = self.overtaking.as_mut().filter(|_| !is_lost);
        let overtakes = overtaking.is_some_and(Overtaking::draw);
        let delay = self.delays.delay_at(start) + self.channel.delay(start);
        let direct = if overtakes { end } else { end + delay };
        let mut jitter = self.jitter.as_mut().filter(|_| !overtakes);
        let extra = jitter.as_mut().map_or(Span::ZERO, |jitter| jitter.packet_delay());
        let extra_of_copy =
            |jitter: &mut Jitter| if overtakes { Span::ZERO } else { jitter.copy_delay() };
        let arrives_twice = self.duplication.as_mut().is_some_and(Duplication::draw);
        let copy = (arrives_twice && !is_lost).then(|| payload.duplicate());
        let arrival = self.arrival(direct + extra, airtime);
        self.flights.push(Flight { arrival, start, is_lost, payload });
        if let Some(payload) = copy {
            let extra = self.jitter.as_mut().map_or(Span::ZERO, extra_of_copy);
            let arrival = self.arrival(direct + extra, airtime);
            self.ledger.note(move |counts| counts.count_duplicate(bits));
            self.ledger.losses.record_copy(&payload);
            self.flights.push(Flight { arrival, start, is_lost, payload });
        }
    }

    #[inline(always)]
    fn airtime(&mut self, start: Instant, bits: u64) -> Span {
        if self.timing.is_some() {
            return self.timed_airtime(start, bits);
        }
        let follows = start == self.idle_from;
        self.airtimes.next_airtime(bits, |bits| self.channel.bits_on_air(bits), follows)
    }

    /// [`Transmitter::airtime`] where that follows from more than one rate.
    #[inline(never)]
    fn timed_airtime(&mut self, start: Instant, bits: u64) -> Span {
        let (follows, channel) = (start == self.idle_from, &self.channel);
        match &mut self.timing {
            None => Span::ZERO,
            Some(VariableTiming::Rates(rates)) => {
                rates.airtime(start, bits, |bits| channel.bits_on_air(bits), follows)
            }
            Some(VariableTiming::Opportunities(trace)) => {
                let ready = self.last_push.max(self.not_before);
                let airtime = trace.serve(ready, channel.bits_on_air(bits));
                if let Some(delay) = trace.delay() {
                    self.delays.set_initial_delay(delay);
                }
                airtime
            }
        }
    }

    /// Arrival of a packet that would arrive at `direct`: unless it may overtake, it follows the packet before as if
    /// they had met on the wire.
    #[inline(always)]
    fn arrival(&mut self, direct: Instant, airtime: Span) -> Instant {
        if self.reorders {
            return direct;
        }
        let last = self.last_arrival;
        self.last_arrival = if direct < last { last + airtime } else { direct };
        self.last_arrival
    }

    /// The link goes down at `at`: what waits and what is on the wire is lost. The transmitter goes on with what it has begun.
    fn lose_all(&mut self, at: Instant) {
        let ledger = &mut self.ledger;
        self.flights.lose_unarrived(at, |payload| ledger.lose(at, payload, LossCause::Gate));
        self.queue.cut(&mut self.backlog);
        self.record_drops(at);
    }

    /// Packets that the queue has dropped at `at`.
    #[inline(always)]
    fn record_drops(&mut self, at: Instant) {
        if self.backlog.has_dropped() {
            self.lose_drops(at);
        }
    }

    fn lose_drops(&mut self, at: Instant) {
        let dropped = self.backlog.take_dropped();
        for &(id, cause) in &dropped {
            let WaitingPacket { bits, .. } = self.backlog.remove(id);
            self.waiting.leave(bits);
            self.ledger.note(move |counts| counts.leave(at, bits));
            let payload = self.take_stored(id);
            self.ledger.lose(at, payload, cause);
        }
        self.backlog.return_buffer(dropped);
    }

    #[inline(always)]
    fn store(&mut self, id: PacketId, payload: P) {
        if id.index() == self.packets.len() {
            self.packets.push(Some(payload));
        } else {
            self.packets[id.index()] = Some(payload);
        }
    }

    #[inline(always)]
    fn take_stored(&mut self, id: PacketId) -> P {
        self.packets[id.index()].take().expect("it waits")
    }

    /// Cause of the loss of a packet that reaches the far end, if it was lost.
    #[inline(always)]
    fn loss_cause(&mut self, flight: &Flight<P>) -> Option<LossCause> {
        if flight.is_lost {
            return Some(LossCause::Channel);
        }
        if self.forced.is_empty() {
            return None;
        }
        let number = flight.payload.number()?;
        self.forced.loses_copy(number).then_some(LossCause::Forced)
    }

    /// Notes when to wake up. Where order is kept nothing overtakes what is on the wire, so that decisions may wait for it.
    #[inline(always)]
    fn plan(&mut self, now: Instant) {
        self.due = match self.flights.next_to_arrive() {
            Some(first) if !self.wakes_early => (first.arrival, first.start),
            _ => self.next_event(now),
        };
        let down = self.cuts.next_outage_start();
        if self.due.0 >= down && self.due.1 < Instant::NEVER {
            self.due = (down, Instant::START);
        }
    }

    /// The next arrival or decision, whichever comes first.
    fn next_event(&mut self, now: Instant) -> (Instant, Instant) {
        let never = (Instant::NEVER, Instant::NEVER);
        let arrival =
            self.flights.next_to_arrive().map_or(never, |first| (first.arrival, first.start));
        if self.waiting.packets == 0 {
            return arrival;
        }
        arrival.min((self.next_start(now), Instant::START))
    }
}

impl<P: Payload> Observed<P> for Transmitter<P> {
    fn ledger(&self) -> &HopLedger<P> {
        &self.ledger
    }

    fn ledger_mut(&mut self) -> &mut HopLedger<P> {
        &mut self.ledger
    }

    fn advance_to(&mut self, now: Instant) {
        self.advance_to(just_before(now));
    }

    fn held_volume(&self) -> Volume {
        let waiting = Volume { packets: self.waiting.packets.into(), bits: self.waiting.bits };
        let flying = self.flights.iter().map(|flight| flight.payload.bits());
        flying.fold(waiting, Volume::plus_packet)
    }

    fn met(&self) -> ChainTally {
        self.channel.chain_tally().plus(self.exit.met())
    }

    fn set_recording(&mut self, recording: bool) {
        self.timing.iter_mut().for_each(|timing| timing.record_uses(recording));
    }
}

impl<P: Payload> Stage<P> for Transmitter<P> {
    #[inline(never)]
    fn push(&mut self, now: Instant, mut payload: P) {
        self.advance_to(now);
        let (bits, owner) = (payload.bits(), payload.owner() as u32);
        if self.exit.loses(|| now, &mut payload) {
            return self.ledger.refuse(now, payload, LossCause::Channel);
        }
        if self.cuts.is_down(now) {
            return self.ledger.refuse(now, payload, LossCause::Vanished);
        }
        let is_free = self.idle_from <= now && self.waiting.packets == 0;
        (self.last_push, self.not_before) = (now, Instant::START);
        let (ecn, connection) = (payload.ecn(), payload.connection());
        self.waiting.join(bits);
        let is_marked = false;
        let ticket = WaitingPacket { since: now, bits, owner, connection, ecn, is_marked };
        let id = self.backlog.admit(ticket);
        self.store(id, payload);
        self.queue.enqueue(id, is_free, &mut self.backlog);
        let backlog = &self.backlog;
        self.ledger.note(move |counts| {
            counts.count_offered(bits);
            counts.join(now, bits);
            if !backlog.has_just_dropped(id) {
                counts.count_accepted(bits);
            }
        });
        self.record_drops(now);
        self.transmit(now);
        self.plan(now);
    }

    #[inline(never)]
    fn poll(&mut self, now: Instant) -> PollResult<P> {
        self.advance_to(now);
        while let Some(flight) = self.flights.take_arrived(now) {
            match self.loss_cause(&flight) {
                Some(cause) => self.ledger.lose(flight.arrival, flight.payload, cause),
                None => {
                    self.plan(now);
                    return PollResult::Out(flight.payload);
                }
            }
        }
        self.plan(now);
        if self.packets_held() == 0 { PollResult::Idle } else { PollResult::Wait(self.due.0) }
    }
}
