//! One direction of a hop whose link layer cuts packets into fragments and repeats those that are lost
//! (selective repeat by NAKs).
//!
//! Whenever the transmitter is free and the gate open, it sends: first what a NAK has called for, in the
//! order in which the NAKs came; then the next fragment that was not sent yet, packet by packet. A NAK
//! for the last attempt makes the sender drop the rest of its packet; the receiver has given the packet
//! up as that attempt arrived in error, and lets later ones pass. A packet waits in the queue until
//! its first fragment is sent. With one fragment and one attempt it is a [`Hop`].
//!
//! The next fragment to be sent depends on what is pushed until then, so that nothing is decided ahead of
//! time: every step catches up with all decisions until now, and polling late changes nothing.
//!
//! [`Hop`]: super::super::Hop

use super::config::{ArqConfig, ArqCounters};
use super::feedback::{Feedback, Fragment};
use super::medium::Medium;
use super::packets::{LeavingPacket, Packets};
use crate::channel::{ChainTally, Channel, Fate};
use crate::gate::OutageLosses;
use crate::link::counts::{Volume, just_before};
use crate::link::cuts::OutageCuts;
use crate::link::delays::DelaySchedule;
use crate::link::exit::ExitLosses;
use crate::link::forced::ForcedLosses;
use crate::link::held::MAX_HELD;
use crate::link::holding::StartConstraint;
use crate::link::hop::HopConfig;
use crate::link::ledger::{HopLedger, Observed};
use crate::link::losses::LossCause;
use crate::queue::discipline::{Discipline, QueueLength};
use airtcp_core::{Airtimes, Cancel, CancelCheck, Instant, Payload, PollResult, Stage};
use std::collections::VecDeque;

/// One direction of a hop whose link layer retransmits.
#[derive(Debug)]
pub struct ArqHop<P> {
    arq: ArqConfig,
    medium: Medium,
    exit: ExitLosses,
    cuts: OutageCuts,
    queue: Discipline,
    waiting: QueueLength,
    forced: ForcedLosses,
    packets: Packets<P>,
    feedback: Feedback,
    /// Fragments that NAKs have called for, in the order of those.
    repeats: VecDeque<Fragment>,
    /// Time at which the last packet came: nothing is decided before.
    last_push: Instant,
    due: (Instant, Instant),
    ledger: HopLedger<P>,
    /// Fragment on the air: the owner of its packet, true for a repetition, its length.
    transmission: Option<(usize, bool, u64)>,
    /// Counters by the owner of packets.
    arq_counters: Vec<ArqCounters>,
    watch: CancelCheck,
}

impl<P: Payload> ArqHop<P> {
    /// A hop as `config` says, with the link layer of `arq`.
    #[must_use]
    pub fn new(config: HopConfig, arq: ArqConfig) -> Self {
        let is_cutting = config.gate.as_ref().is_some_and(|gate| gate.loses() == OutageLosses::All);
        let (cutting, holding) = if is_cutting { (config.gate, None) } else { (None, config.gate) };
        ArqHop {
            medium: Medium {
                airtimes: Airtimes::new(config.rate),
                rates: config.rates.map(Box::new),
                delays: DelaySchedule::new(config.delay, config.delays),
                channel: config.channel,
                holding: StartConstraint::new(holding, config.slot),
                idle_from: Instant::START,
                last_arrival: Instant::START,
            },
            exit: ExitLosses::new(config.exit, config.marks),
            cuts: OutageCuts::new(cutting),
            queue: config.queue,
            waiting: QueueLength::default(),
            forced: ForcedLosses::new(&config.drop),
            packets: Packets::new(arq.in_order),
            feedback: Feedback::new(&arq),
            repeats: VecDeque::new(),
            last_push: Instant::START,
            due: (Instant::NEVER, Instant::NEVER),
            ledger: HopLedger::new(),
            transmission: None,
            arq_counters: Vec::new(),
            watch: CancelCheck::default(),
            arq,
        }
    }

    /// Makes every step short once `cancel` is set; its results then mean nothing.
    pub fn watch(&mut self, cancel: &Cancel) {
        self.exit.watch(cancel);
        self.medium.channel.watch(cancel);
        self.medium.holding.watch(cancel);
        self.medium.rates.iter_mut().for_each(|rates| rates.watch(cancel));
        self.cuts.watch(cancel);
        self.watch = CancelCheck::new(cancel);
    }

    /// Number of packets, and fragments to be sent again, that it holds. Beyond [`MAX_HELD`] nothing happens any more: a step
    /// may be as long as the delay, and brings one fragment after the other.
    #[must_use]
    pub fn held_items(&self) -> usize {
        self.packets.len() + self.feedback.len() + self.repeats.len()
    }

    /// Transmissions for the packets of `owner`; one counts when it has ended.
    #[must_use]
    pub fn arq_counters(&self, owner: usize) -> ArqCounters {
        self.arq_counters.get(owner).copied().unwrap_or_default()
    }

    /// Time at which the next poll is of use, and the time since which that was certain: [`super::super::Hop::due`].
    #[must_use]
    pub fn due(&self) -> (Instant, Instant) {
        self.due
    }

    /// Does everything that happens up to `now`, but for handing over; later steps do not run back.
    pub fn advance_to(&mut self, now: Instant) {
        if let Some(down) = self.cuts.take_due_outage(now) {
            self.start_transmissions(down);
            self.lose_all(down);
        }
        self.start_transmissions(now);
    }

    /// All transmissions that start by `now`.
    fn start_transmissions(&mut self, now: Instant) {
        loop {
            let start = self.next_start(now);
            if self.medium.idle_from <= now.min(start) {
                self.count_transmission();
            }
            if start > now || self.watch.is_cancelled() || self.is_full() {
                return;
            }
            self.take_feedback(start);
            if let Some(fragment) = self.choose_fragment(start) {
                self.send(start, fragment);
            }
        }
    }

    /// Time at which the transmitter next looks for something to send. The gate is asked only about instants up to
    /// `now`: something to send may still come before a later one.
    fn next_start(&mut self, now: Instant) -> Instant {
        let idle = self.repeats.is_empty() && !self.packets.has_unsent();
        let work = if idle { self.feedback.next() } else { self.last_push };
        let ready = work.max(self.medium.idle_from);
        if ready > now { ready } else { self.medium.earliest_start(ready) }
    }

    fn take_feedback(&mut self, now: Instant) {
        while let Some(fragment) = self.feedback.take(now) {
            if fragment.attempts < self.arq.attempts {
                self.repeats.push_back(fragment);
            } else {
                self.packets.abandon(fragment.packet);
            }
        }
    }

    /// Returns whether nothing is in transmission or waits for it, also where a gate has kept the sender from looking.
    fn is_free(&mut self, now: Instant) -> bool {
        self.take_feedback(now);
        self.skip_given_up();
        self.ready(now)
    }

    /// Skips fragments that NAKs have called for, of packets that were given up since.
    fn skip_given_up(&mut self) {
        while self
            .repeats
            .front()
            .is_some_and(|fragment| !self.packets.is_worked_on(fragment.packet))
        {
            self.repeats.pop_front();
        }
    }

    fn choose_fragment(&mut self, start: Instant) -> Option<Fragment> {
        self.skip_given_up();
        if let Some(fragment) = self.repeats.pop_front() {
            return Some(fragment);
        }
        let (fragment, first) = self.packets.next_fragment(self.arq.payload)?;
        if let Some(bits) = first {
            self.waiting.leave(bits);
            let packets = &self.packets;
            let owner = || packets.owner(fragment.packet);
            self.ledger.note(|counts| counts.start_first(start, owner(), bits));
        }
        Some(fragment)
    }

    fn send(&mut self, start: Instant, mut fragment: Fragment) {
        let bits = fragment.bits + self.arq.overhead;
        let owner = self.packets.owner(fragment.packet);
        self.transmission = Some((owner, fragment.attempts > 0, self.medium.coded_bits(bits)));
        let sent = self.medium.send(start, bits);
        self.ledger.note(|counts| counts.transmit(start, sent.end));
        self.packets.transmit(fragment.packet, &sent);
        if sent.fate == Fate::Clean {
            return self.packets.arrive(fragment.packet, &sent);
        }
        if self.packets.has_ended(fragment.packet) {
            return; // the receiver has given the packet up and asks for nothing of it
        }
        fragment.attempts += 1;
        if fragment.attempts == self.arq.attempts {
            self.packets.give_up(fragment.packet, &sent);
        }
        self.feedback.record_loss(sent.end, sent.airtime, fragment);
    }

    /// Counts the transmission that has ended.
    fn count_transmission(&mut self) {
        let Some((owner, again, bits)) = self.transmission.take() else { return };
        let air = self.counters_of_owner(owner);
        air.transmissions += 1;
        air.retransmissions += u64::from(again);
        air.bits += bits;
    }

    fn counters_of_owner(&mut self, owner: usize) -> &mut ArqCounters {
        if self.arq_counters.len() <= owner {
            self.arq_counters.resize(owner + 1, ArqCounters::default());
        }
        &mut self.arq_counters[owner]
    }

    /// The link goes down at `at`: what was not handed over is lost, and feedback with it.
    fn lose_all(&mut self, at: Instant) {
        let mut packets = std::mem::replace(&mut self.packets, Packets::new(self.arq.in_order));
        packets.lose_unfinished(at, |payload| self.ledger.lose(at, payload, LossCause::Gate));
        self.packets = packets;
        self.feedback.lose_all();
        self.repeats.clear();
        self.waiting = QueueLength::default();
        self.ledger.note(|counts| counts.cut(at));
    }

    /// Cause of the loss of a packet, if it was lost, now that its turn has come.
    fn loss_cause(&mut self, leaving: &LeavingPacket<P>) -> Option<LossCause> {
        if leaving.failed {
            self.counters_of_owner(leaving.payload.owner()).failures += 1;
            return Some(LossCause::Arq);
        }
        let number = leaving.payload.number().filter(|_| !self.forced.is_empty())?;
        self.forced.loses_copy(number).then_some(LossCause::Forced)
    }

    /// Notes when to wake up. Nothing overtakes a packet whose end is known, so that decisions before
    /// its arrival may wait until then.
    fn schedule_wakeup(&mut self, now: Instant) {
        let idle = (Instant::NEVER, Instant::NEVER);
        let decision = (self.next_start(now), Instant::START);
        let next = self.packets.due().unwrap_or(decision);
        let cut = (self.cuts.next_outage_start(), Instant::START);
        let (when, since) = if self.packets.is_empty() { idle } else { next.min(cut) };
        self.due = (when.max(now), since);
    }
}

impl<P: Payload> Observed<P> for ArqHop<P> {
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
        self.packets.volume()
    }

    fn met(&self) -> ChainTally {
        self.medium.channel.chain_tally().plus(self.exit.met())
    }
}

impl<P: Payload> Stage<P> for ArqHop<P> {
    fn push(&mut self, now: Instant, mut payload: P) {
        self.advance_to(now);
        let bits = payload.bits();
        if self.exit.loses(|| now, &mut payload) {
            return self.ledger.refuse(now, payload, LossCause::Channel);
        }
        if self.cuts.is_down(now) {
            return self.ledger.refuse(now, payload, LossCause::Vanished);
        }
        let is_free = self.is_free(now);
        if !self.queue.admits(self.waiting, bits, is_free) {
            return self.ledger.refuse(now, payload, LossCause::Queue);
        }
        self.last_push = now;
        self.waiting.join(bits);
        self.ledger.note(|counts| {
            counts.count_offered(bits);
            counts.count_accepted(bits);
            counts.enqueue(now, bits);
        });
        self.packets.push(payload, bits, bits.div_ceil(self.arq.payload));
        self.start_transmissions(now);
        self.schedule_wakeup(now);
    }

    fn poll(&mut self, now: Instant) -> PollResult<P> {
        self.advance_to(now);
        while let Some(leaving) = self.packets.leave(now) {
            match self.loss_cause(&leaving) {
                Some(cause) => self.ledger.lose(leaving.at, leaving.payload, cause),
                None => {
                    self.schedule_wakeup(now);
                    return PollResult::Out(leaving.payload);
                }
            }
        }
        self.schedule_wakeup(now);
        let free = if now < self.medium.idle_from { self.medium.idle_from } else { Instant::NEVER };
        match self.due.0.min(free) {
            Instant::NEVER => PollResult::Idle,
            at => PollResult::Wait(at),
        }
    }

    /// Returns whether the transmitter is free and has nothing to send, as of the last push or poll.
    fn ready(&self, now: Instant) -> bool {
        self.medium.idle_from <= now && self.repeats.is_empty() && !self.packets.has_unsent()
    }

    fn is_full(&self) -> bool {
        self.held_items() > MAX_HELD
    }
}
