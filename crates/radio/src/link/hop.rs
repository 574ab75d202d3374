//! One direction of a hop: queue, transmitter, channel, wire, gate.
//!
//! Everything about a packet's timing is known when it is pushed, so that it wakes the driver once,
//! on its arrival; queue lengths follow from the starts of transmissions. What is known is undone
//! where a gate destroys what has not arrived. The channel is asked in the order of transmission,
//! about those that took place, when the packet reaches the far end: a packet that a gate destroys
//! before it starts does not move a packet clock.
//!
//! The code that every packet runs is always inlined: a packet then goes between the driver and the line
//! field by field. Out of line it would be copied whole, right after its fields were written, and the
//! processor would wait for those.

use super::arq::config::ArqConfig;
use super::counts::{Volume, just_before};
use super::delays::DelaySchedule;
use super::exit::ExitLosses;
use super::forced::ForcedLosses;
use super::holding::StartConstraint;
use super::jitter::{Duplication, Jitter, Overtaking};
use super::ledger::{HopLedger, Observed};
use super::losses::LossCause;
use super::opportunities::Opportunities;
use crate::channel::{ChainTally, Channel, Fate, Process, Transmission};
use crate::gate::{GateProcess, Outage, OutageLosses};
use crate::queue::discipline::{Discipline, QueueLength};
use crate::queue::process::Queue;
use crate::rates::Rates;
use crate::ring::Ring;
use airtcp_core::{Cancel, Instant, Payload, PollResult, Rate, Span, Stage};
use std::collections::VecDeque;

/// Configuration of a hop.
#[derive(Debug)]
pub struct HopConfig {
    /// Transmission rate.
    pub rate: Rate,
    /// Opportunities to transmit, in place of the rate; with them goes no gate, no slot, and no ARQ, and with trains among
    /// them no delay that changes.
    pub opportunities: Option<Opportunities>,
    /// Rates that change with time, in place of the rate; then there are no slots and no opportunities.
    pub rates: Option<Rates>,
    /// One-way propagation delay.
    pub delay: Span,
    /// Delays from given instants on, by increasing time, for transmissions that start
    /// then. Order is kept.
    pub delays: Vec<(Instant, Span)>,
    /// Rule by which packets are let into the queue.
    pub queue: Discipline,
    /// A queue that does more than refuse, in place of `queue`, which a [`super::Transmitter`] has and a [`Hop`] has not.
    pub managed: Option<Box<dyn Queue>>,
    /// An extra delay of every packet; as `managed`.
    pub jitter: Option<Jitter>,
    /// True if packets may overtake each other on the wire; as `managed`.
    pub reorder: bool,
    /// Packets that are not delayed, where `reorder` lets them overtake; as `managed`.
    pub overtaking: Option<Overtaking>,
    /// Packets that arrive twice; as `managed`.
    pub duplication: Option<Duplication>,
    /// Process that loses packets before they come to the queue, at the exit of the node that sends them; none:
    /// nothing.
    pub exit: Option<Process>,
    /// Process that marks the packets that it would lose, if they take marks; `None`: nothing is marked.
    pub marks: Option<Process>,
    /// Process that loses packets.
    pub channel: Process,
    /// The gate, which decides when the link is up; `None`: always.
    pub gate: Option<GateProcess>,
    /// Transmissions start at multiples of this, as on a medium that is divided into slots; none: at any
    /// time.
    pub slot: Option<Span>,
    /// Forced losses at the far end: `(number, k)` is the k-th copy to get there.
    pub drop: Vec<(u64, u32)>,
    /// A link layer that retransmits, which a [`super::Line`] has and a [`Hop`] has not.
    pub arq: Option<ArqConfig>,
}

impl HopConfig {
    /// A hop that loses nothing.
    #[must_use]
    pub fn new(rate: Rate, delay: Span) -> Self {
        HopConfig {
            rate,
            opportunities: None,
            rates: None,
            delay,
            delays: Vec::new(),
            queue: Discipline::Unlimited,
            managed: None,
            jitter: None,
            reorder: false,
            overtaking: None,
            duplication: None,
            exit: None,
            marks: None,
            channel: Process::Perfect,
            gate: None,
            slot: None,
            drop: Vec::new(),
            arq: None,
        }
    }

    /// Returns whether the whole course of a packet is known as it comes: its queue only refuses, packets keep their order and
    /// their number, and nothing is retransmitted.
    #[must_use]
    pub fn is_fate_known_on_arrival(&self) -> bool {
        self.managed.is_none()
            && self.keeps_order_and_number()
            && !self.destroys_at_changing_rates()
    }

    /// Returns whether a gate destroys what is sent at rates that change: a [`Hop`], which knows ahead until when they are used up, would
    /// have to go back to those before.
    fn destroys_at_changing_rates(&self) -> bool {
        self.rates.is_some()
            && self.gate.as_ref().is_some_and(|gate| gate.loses() == OutageLosses::All)
    }

    /// Returns whether packets keep their order and their number behind the queue, and nothing is retransmitted.
    pub(super) fn keeps_order_and_number(&self) -> bool {
        let disturbs = self.jitter.is_some() || self.reorder || self.duplication.is_some();
        self.arq.is_none() && !disturbs
    }
}

/// One direction of a hop.
#[derive(Debug)]
pub struct Hop<P> {
    rates: Rates,
    opportunities: Option<Box<Opportunities>>,
    delays: DelaySchedule<Instant, Span>,
    queue: Discipline,
    exit: ExitLosses,
    channel: Process,
    forced: ForcedLosses,
    holding: StartConstraint,
    /// A gate that destroys them.
    destroying_gate: Option<GateProcess>,
    /// The current or next outage of the gate, and true once that was carried out.
    outage: Outage,
    is_cut: bool,
    /// Packets that have not arrived, in order: on the wire, in transmission, waiting.
    packets: Ring<PacketInTransit<P>>,
    /// Fates of the first packets on the line that are known already.
    fates: VecDeque<Fate>,
    /// Number of packets at the end of the line that wait, as of the last push.
    waiting: QueueLength,
    busy_until: Instant,
    last_arrival: Instant,
    /// End and arrival of the last transmission that an outage cut short.
    last_cut_transmission: (Instant, Instant),
    ledger: HopLedger<P>,
    /// True if there is anything at the exit, a gate, slots, opportunities, forced losses or a delay that changes, that of the channel included: without, a packet
    /// goes a way on which nothing asks for them, as long as nothing counts.
    is_full: bool,
    is_recorded: bool,
}

/// A packet on its way.
#[derive(Debug)]
struct PacketInTransit<P> {
    start: Instant,
    end: Instant,
    arrival: Instant,
    payload: P,
}

impl<P: Payload> Hop<P> {
    /// Builds the hop that `config` describes, which must have no link layer that retransmits.
    #[must_use]
    pub fn new(config: HopConfig) -> Self {
        let is_full = config.exit.is_some()
            || config.marks.is_some()
            || config.gate.is_some()
            || config.slot.is_some()
            || config.opportunities.is_some()
            || !config.drop.is_empty()
            || !config.delays.is_empty()
            || config.channel.delays();
        let rates = config.rates.unwrap_or_else(|| Rates::steady(config.rate));
        let (mut cutting, mut holding) = (None, None);
        if let Some(gate) = config.gate {
            match gate.loses() {
                OutageLosses::All => cutting = Some(gate),
                OutageLosses::Nothing => holding = Some(gate),
            }
        }
        let outage =
            cutting.as_mut().map_or(Outage::NEVER, |gate| gate.current_outage(Instant::START));
        Hop {
            rates,
            opportunities: config.opportunities.map(Box::new),
            delays: DelaySchedule::new(config.delay, config.delays),
            queue: config.queue,
            exit: ExitLosses::new(config.exit, config.marks),
            channel: config.channel,
            forced: ForcedLosses::new(&config.drop),
            holding: StartConstraint::new(holding, config.slot),
            destroying_gate: cutting,
            outage,
            is_cut: false,
            packets: Ring::default(),
            fates: VecDeque::new(),
            waiting: QueueLength::default(),
            busy_until: Instant::START,
            last_arrival: Instant::START,
            last_cut_transmission: (Instant::START, Instant::START),
            ledger: HopLedger::new(),
            is_full,
            is_recorded: is_full,
        }
    }

    /// Makes every step short once `cancel` is set; its results then mean nothing.
    pub fn watch(&mut self, cancel: &Cancel) {
        self.exit.watch(cancel);
        self.channel.watch(cancel);
        self.holding.watch(cancel);
        self.destroying_gate.iter_mut().for_each(|gate| gate.watch(cancel));
        self.rates.watch(cancel);
    }

    /// Number of packets that have not arrived.
    #[must_use]
    pub fn packets_held(&self) -> usize {
        self.packets.len()
    }

    /// Time at which the next poll is of use, and the time at which a simulator with an event per packet would have
    /// scheduled that: the start of the transmission that arrives then, the start of the run for an
    /// outage. Both are [`Instant::NEVER`] while the hop is empty.
    #[inline(always)]
    #[must_use]
    pub fn due(&self) -> (Instant, Instant) {
        match self.packets.first() {
            None => (Instant::NEVER, Instant::NEVER),
            Some(head) if !self.is_recorded || head.arrival < self.outage.down => {
                (head.arrival, head.start)
            }
            Some(_) => (self.outage.down, Instant::START),
        }
    }

    #[inline]
    fn airtime(&mut self, bits: u64, start: Instant) -> Span {
        let follows = start == self.busy_until;
        self.rates.airtime(start, bits, |bits| self.channel.bits_on_air(bits), follows)
    }

    /// Takes those whose transmission has started out of the queue.
    #[inline(always)]
    fn start_due<const WATCHED: bool>(&mut self, now: Instant) {
        while self.waiting.packets > 0 {
            let place = self.packets.len() - self.waiting.packets as usize;
            let first = self.packets.get(place).expect("it waits");
            if first.start > now {
                return;
            }
            let (start, end, bits) = (first.start, first.end, first.payload.bits());
            self.waiting.leave(bits);
            if WATCHED {
                self.ledger.note(|counts| {
                    counts.start_first(start, first.payload.owner(), bits);
                    let (from, to) = time_used(&mut self.opportunities, (start, end));
                    counts.transmit(from, to);
                });
            }
        }
    }

    /// Carries out the outages that have begun by `now`. The first of them leaves nothing to the others.
    #[cold]
    fn pass_outages(&mut self, now: Instant) {
        if !self.is_cut {
            self.lose_all(self.outage.down);
        }
        let gate = self.destroying_gate.as_mut().expect("there is an outage");
        self.outage = gate.current_outage(now);
        self.is_cut = self.outage.down <= now;
    }

    /// Destroys what has not arrived before `at`.
    fn lose_all(&mut self, at: Instant) {
        self.start_due::<true>(at);
        let arrived = self.packets.iter().take_while(|passage| passage.arrival < at).count();
        for passage in self.packets.iter().take(arrived).skip(self.fates.len()) {
            let fate = self.channel.fate_of(transmission(passage));
            self.fates.push_back(fate);
        }
        let mut line = std::mem::take(&mut self.packets);
        while let Some(passage) = line.pop() {
            if self.packets.len() < arrived {
                self.packets.push(passage);
                continue;
            }
            // The transmitter goes on with what it has begun.
            if passage.start <= at {
                self.channel.fate_of(transmission(&passage));
                self.last_cut_transmission = (passage.end, passage.arrival);
            }
            self.lose(at, passage.payload, LossCause::Gate);
        }
        (self.busy_until, self.last_arrival) = self.last_cut_transmission;
        self.waiting = QueueLength::default();
        self.ledger.note(|counts| counts.cut(at));
        self.opportunities.iter_mut().for_each(|trace| trace.forget_uses());
        self.delays.restart();
    }

    /// Cause of the loss of the first packet on the line, if it was lost, now that it reaches the far end.
    #[inline(always)]
    fn loss_cause<const WATCHED: bool>(&mut self) -> Option<LossCause> {
        let head = self.packets.first()?;
        let known = if WATCHED { self.fates.pop_front() } else { None };
        let fate = known.unwrap_or_else(|| self.channel.fate_of(transmission(head)));
        if fate == Fate::Erased {
            return Some(LossCause::Channel);
        }
        if !WATCHED || self.forced.is_empty() {
            return None;
        }
        let number = head.payload.number()?;
        self.forced.loses_copy(number).then_some(LossCause::Forced)
    }

    #[cold]
    #[inline(never)]
    fn lose(&mut self, at: Instant, payload: P, cause: LossCause) {
        self.ledger.lose(at, payload, cause);
    }
}

/// The time that the next packet in order takes: its transmission, or its part of recorded opportunities.
fn time_used(
    trace: &mut Option<Box<Opportunities>>,
    sent: (Instant, Instant),
) -> (Instant, Instant) {
    trace.as_mut().and_then(|trace| trace.take_use()).unwrap_or(sent)
}

fn transmission<P: Payload>(passage: &PacketInTransit<P>) -> Transmission {
    Transmission { start: passage.start, end: passage.end, bits: passage.payload.bits() }
}

impl<P: Payload> Hop<P> {
    /// A packet comes where anything may happen to it.
    #[inline(never)]
    fn push_with_checks(&mut self, now: Instant, mut payload: P) {
        if self.exit.loses(|| now, &mut payload) {
            return self.ledger.refuse(now, payload, LossCause::Channel);
        }
        if self.outage.down <= now {
            self.pass_outages(now);
            if self.outage.down <= now {
                return self.ledger.refuse(now, payload, LossCause::Vanished);
            }
        }
        self.start_due::<true>(now);
        let start = match &mut self.opportunities {
            None => self.open(now.max(self.busy_until)),
            Some(opportunities) => opportunities.earliest_start(now),
        };
        let bits = payload.bits();
        if !self.queue.admits(self.waiting, bits, self.busy_until <= now) {
            return self.ledger.refuse(now, payload, LossCause::Queue);
        }
        let airtime = match &mut self.opportunities {
            None => self.airtime(bits, start),
            Some(opportunities) => {
                let airtime = opportunities.serve(now, self.channel.bits_on_air(bits));
                if let Some(delay) = opportunities.delay() {
                    self.delays.set_initial_delay(delay);
                }
                airtime
            }
        };
        let delay = self.delays.delay_at(start) + self.channel.delay(start);
        self.accept::<true>(now, (start, airtime, delay), payload);
    }

    /// The first instant from `ready` on at which a transmission may start.
    fn open(&mut self, ready: Instant) -> Instant {
        let (mut start, mut served) = (self.holding.earliest_start(ready), Instant::NEVER);
        while start != served {
            served = self.rates.earliest_start(start);
            start = self.holding.earliest_start(served);
        }
        start
    }

    /// Takes a packet whose transmission starts then, lasts so long, and is on its way for so long.
    #[inline(always)]
    fn accept<const WATCHED: bool>(
        &mut self,
        now: Instant,
        (start, airtime, delay): (Instant, Span, Span),
        mut payload: P,
    ) {
        let bits = payload.bits();
        let end = start + airtime;
        let direct = end + delay;
        // A packet does not overtake: it follows the one before as if they had met on the wire.
        let arrival = if direct < self.last_arrival { self.last_arrival + airtime } else { direct };
        if start > now {
            self.waiting.join(bits);
        }
        if WATCHED {
            self.ledger.note(|counts| {
                counts.count_offered(bits);
                counts.count_accepted(bits);
                if start > now {
                    counts.enqueue(now, bits);
                } else {
                    counts.start(now, now, payload.owner(), bits);
                    let (from, to) = time_used(&mut self.opportunities, (start, end));
                    counts.transmit(from, to);
                }
            });
        }
        (self.busy_until, self.last_arrival) = (end, arrival);
        payload.on_transmission(start, end);
        self.packets.push(PacketInTransit { start, end, arrival, payload });
    }

    #[inline(never)]
    fn poll_with_checks(&mut self, now: Instant) -> PollResult<P> {
        if self.outage.down <= now {
            self.pass_outages(now);
        }
        self.poll_as::<true>(now)
    }

    #[inline(always)]
    fn poll_as<const WATCHED: bool>(&mut self, now: Instant) -> PollResult<P> {
        while let Some(head) = self.packets.first() {
            if head.arrival > now {
                let down = if WATCHED { self.outage.down } else { Instant::NEVER };
                return PollResult::Wait(head.arrival.min(down));
            }
            if self.waiting.packets as usize == self.packets.len() {
                let (start, end, bits) = (head.start, head.end, head.payload.bits());
                self.waiting.leave(bits);
                if WATCHED {
                    self.ledger.note(|counts| {
                        counts.start_first(start, head.payload.owner(), bits);
                        let (from, to) = time_used(&mut self.opportunities, (start, end));
                        counts.transmit(from, to);
                    });
                }
            }
            if let Some(cause) = self.loss_cause::<WATCHED>() {
                self.lose_first(cause);
                continue;
            }
            let Some(PacketInTransit { payload, .. }) = self.packets.pop() else {
                return PollResult::Idle;
            };
            return PollResult::Out(payload);
        }
        PollResult::Idle
    }

    /// The first packet on the line is lost. It is taken out elsewhere than what arrives, which then need not lie in memory.
    #[cold]
    #[inline(never)]
    fn lose_first(&mut self, cause: LossCause) {
        if let Some(PacketInTransit { arrival, payload, .. }) = self.packets.pop() {
            self.lose(arrival, payload, cause);
        }
    }
}

impl<P: Payload> Observed<P> for Hop<P> {
    fn ledger(&self) -> &HopLedger<P> {
        &self.ledger
    }

    fn ledger_mut(&mut self) -> &mut HopLedger<P> {
        &mut self.ledger
    }

    fn advance_to(&mut self, now: Instant) {
        let before = just_before(now);
        if self.outage.down <= before {
            self.pass_outages(before);
        }
        self.start_due::<true>(before);
    }

    fn held_volume(&self) -> Volume {
        let held = self.packets.iter().map(|passage| passage.payload.bits());
        held.fold(Volume::default(), Volume::plus_packet)
    }

    fn met(&self) -> ChainTally {
        self.channel.chain_tally().plus(self.exit.met())
    }

    fn set_recording(&mut self, recording: bool) {
        self.is_recorded = self.is_full || recording;
        self.opportunities.iter_mut().for_each(|trace| trace.record_uses(recording));
    }
}

impl<P: Payload> Stage<P> for Hop<P> {
    #[inline(always)]
    fn push(&mut self, now: Instant, payload: P) {
        if self.is_recorded {
            return self.push_with_checks(now, payload);
        }
        self.start_due::<false>(now);
        let (bits, start) = (payload.bits(), self.rates.earliest_start(now.max(self.busy_until)));
        if !self.queue.admits(self.waiting, bits, self.busy_until <= now) {
            return self.lose(now, payload, LossCause::Queue);
        }
        let airtime = self.airtime(bits, start);
        self.accept::<false>(now, (start, airtime, self.delays.initial_delay()), payload);
    }

    #[inline(always)]
    fn poll(&mut self, now: Instant) -> PollResult<P> {
        if self.is_recorded { self.poll_with_checks(now) } else { self.poll_as::<false>(now) }
    }
}
