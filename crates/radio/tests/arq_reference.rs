//! The hop that retransmits against a plain simulator of the same rules, one nanosecond after the other.

use crate::cases::{Case, Outcome, Packet, at, cases, settings, tally};
use crate::histories::{counts_of, is_tidy};
use airtcp_core::{Span, Stream};
use airtcp_radio::{
    ArqConfig, ArqCounters, Channel, Discipline, Fate, Line, LossCause, Observed, Process,
    Transmission,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Later than anything that happens.
const END: i64 = 100_000;

#[derive(Clone, Debug)]
struct Arq {
    payload: u64,
    overhead: u64,
    attempts: u32,
    delay: i64,
    loss: f64,
    in_order: bool,
}

impl Arq {
    fn config(&self) -> ArqConfig {
        ArqConfig {
            payload: self.payload,
            overhead: self.overhead,
            attempts: self.attempts,
            feedback_delay: Span::from_nanos(self.delay),
            feedback_loss: self.loss,
            feedback: Stream::new(1, "feedback", 0),
            in_order: self.in_order,
        }
    }
}

#[derive(Clone, Debug)]
struct Fragment {
    packet: usize,
    bits: u64,
    attempts: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Link,
    ReceiverWhole,
    ReceiverFailed,
    Gone,
}

#[derive(Debug)]
struct Parcel {
    packet: Packet,
    at: At,
    unsent: Vec<Fragment>,
    missing: usize,
    /// The receiver has given it up, or is about to when what is under way arrives.
    given_up: bool,
    /// The sender has learnt of that.
    abandoned: bool,
}

/// The plain simulator.
struct Plain<'a> {
    case: &'a Case,
    arq: &'a Arq,
    channel: Process,
    feedback: Stream,
    copies: BTreeMap<u64, u32>,
    parcels: Vec<Parcel>,
    /// NAKs under way: arrival, order, fragment.
    naks: Vec<(i64, usize, Fragment)>,
    sent: usize,
    called_for: Vec<Fragment>,
    /// Fragments on the wire: arrival, packet, and what the arrival makes of the packet.
    wire: Vec<(i64, usize, Option<At>)>,
    busy_until: i64,
    last_arrival: i64,
    out: Vec<(i64, Packet)>,
    lost: Vec<(i64, Packet, LossCause)>,
    air: ArqCounters,
}

impl<'a> Plain<'a> {
    fn run(case: &'a Case, arq: &'a Arq) -> Self {
        let mut plain = Plain {
            case,
            arq,
            channel: case.process(),
            feedback: Stream::new(1, "feedback", 0),
            copies: BTreeMap::new(),
            parcels: Vec::new(),
            naks: Vec::new(),
            sent: 0,
            called_for: Vec::new(),
            wire: Vec::new(),
            busy_until: 0,
            last_arrival: 0,
            out: Vec::new(),
            lost: Vec::new(),
            air: ArqCounters::default(),
        };
        let mut now = 0;
        while now < 1000 || plain.goes_on(now) {
            plain.instant(now);
            now += 1;
        }
        plain.lost.sort_unstable();
        plain
    }

    /// True if something is still to happen: a gate that holds packets back may have closed for good.
    fn goes_on(&self, now: i64) -> bool {
        let stuck = !self.case.destroys() && !self.case.is_up(now);
        !stuck && (self.parcels.iter().any(|p| p.at != At::Gone) || self.has_work())
    }

    fn has_work(&self) -> bool {
        let working = |f: &Fragment| !self.parcels[f.packet].abandoned;
        self.naks.iter().any(|n| working(&n.2))
            || self.called_for.iter().any(working)
            || self.parcels.iter().any(|p| !p.unsent.is_empty())
    }

    /// NAKs arrive, then the transmitter looks for work, then the gate closes, then arrivals, then pushes.
    fn instant(&mut self, now: i64) {
        self.hear(now);
        self.transmit(now);
        if self.case.destroys() && self.case.toggles.contains(&now) && !self.case.is_up(now) {
            self.cut(now);
        }
        for (_, packet, made) in self.wire.extract_if(.., |flight| flight.0 == now) {
            if let Some(made) = made {
                self.parcels[packet].at = made;
                if !self.arq.in_order {
                    Self::hand(
                        &mut self.out,
                        &mut self.lost,
                        &mut self.copies,
                        &mut self.air,
                        self.case,
                        now,
                        &mut self.parcels[packet],
                    );
                }
            }
        }
        self.hand_over_in_order(now);
        for &(time, packet) in &self.case.pushes {
            if time == now {
                self.push(now, packet);
            }
        }
    }

    fn hear(&mut self, now: i64) {
        let mut heard: Vec<_> = self.naks.extract_if(.., |nak| nak.0 <= now).collect();
        heard.sort_by_key(|nak| (nak.0, nak.1));
        for (_, _, fragment) in heard {
            if fragment.attempts < self.arq.attempts {
                self.called_for.push(fragment);
            } else {
                self.parcels[fragment.packet].abandoned = true;
                self.parcels[fragment.packet].unsent.clear();
            }
        }
    }

    fn can_send(&self, now: i64) -> bool {
        now >= self.busy_until && (self.case.destroys() || self.case.is_up(now))
    }

    fn next(&mut self) -> Option<Fragment> {
        self.called_for.retain(|f| !self.parcels[f.packet].abandoned);
        if !self.called_for.is_empty() {
            return Some(self.called_for.remove(0));
        }
        let parcel = self.parcels.iter_mut().find(|p| !p.unsent.is_empty())?;
        Some(parcel.unsent.remove(0))
    }

    fn transmit(&mut self, now: i64) {
        if !self.can_send(now) {
            return;
        }
        let Some(mut fragment) = self.next() else { return };
        let airtime = (fragment.bits + self.arq.overhead).cast_signed();
        self.air.transmissions += 1;
        self.air.retransmissions += u64::from(fragment.attempts > 0);
        self.air.bits += airtime.cast_unsigned();
        let change = self.case.delays.iter().rfind(|d| d.0 <= now);
        let direct = now + airtime + change.map_or(self.case.delay, |d| d.1);
        let last = self.last_arrival;
        self.last_arrival = if direct < last { last + airtime } else { direct };
        self.busy_until = now + airtime;
        let burst = Transmission {
            start: at(now),
            end: at(self.busy_until),
            bits: airtime.cast_unsigned(),
        };
        fragment.attempts += 1;
        let parcel = &mut self.parcels[fragment.packet];
        if self.channel.fate_of(burst) == Fate::Clean {
            parcel.missing -= 1;
            let whole = parcel.missing == 0 && !parcel.given_up;
            let made = whole.then_some(At::ReceiverWhole);
            return self.wire.push((self.last_arrival, fragment.packet, made));
        }
        if parcel.given_up {
            return;
        }
        if fragment.attempts == self.arq.attempts {
            parcel.given_up = true;
            self.wire.push((self.last_arrival, fragment.packet, Some(At::ReceiverFailed)));
        }
        let heard =
            self.busy_until + self.arq.delay + self.lost_naks() * (self.arq.delay + airtime);
        self.sent += 1;
        self.naks.push((heard, self.sent, fragment));
    }

    /// The number n for which loss^n is the last power not below a uniform number.
    fn lost_naks(&mut self) -> i64 {
        if self.arq.loss == 0.0 {
            return 0;
        }
        let (uniform, mut n, mut power) = (1.0 - self.feedback.uniform(), 0, self.arq.loss);
        while power >= uniform {
            (n, power) = (n + 1, power * self.arq.loss);
        }
        n
    }

    fn cut(&mut self, now: i64) {
        self.naks.clear();
        self.called_for.clear();
        self.wire.clear();
        for parcel in &mut self.parcels {
            parcel.unsent.clear();
            parcel.abandoned = true;
            if parcel.at == At::Link {
                self.lost.push((now, parcel.packet, LossCause::Gate));
                parcel.at = At::Gone;
            }
        }
    }

    fn hand_over_in_order(&mut self, now: i64) {
        if !self.arq.in_order {
            return;
        }
        for parcel in &mut self.parcels {
            match parcel.at {
                At::Gone => {}
                At::Link => return,
                At::ReceiverWhole | At::ReceiverFailed => Self::hand(
                    &mut self.out,
                    &mut self.lost,
                    &mut self.copies,
                    &mut self.air,
                    self.case,
                    now,
                    parcel,
                ),
            }
        }
    }

    fn hand(
        out: &mut Vec<(i64, Packet)>,
        lost: &mut Vec<(i64, Packet, LossCause)>,
        copies: &mut BTreeMap<u64, u32>,
        air: &mut ArqCounters,
        case: &Case,
        now: i64,
        parcel: &mut Parcel,
    ) {
        let packet = parcel.packet;
        let failed = parcel.at == At::ReceiverFailed;
        parcel.at = At::Gone;
        if failed {
            air.failures += 1;
            return lost.push((now, packet, LossCause::Arq));
        }
        let copy = copies.entry(packet.number).or_default();
        *copy += 1;
        if case.drop.contains(&(packet.number, *copy)) {
            lost.push((now, packet, LossCause::Forced));
        } else {
            out.push((now, packet));
        }
    }

    fn push(&mut self, now: i64, packet: Packet) {
        if self.case.destroys() && !self.case.is_up(now) {
            return self.lost.push((now, packet, LossCause::Vanished));
        }
        let untouched = |p: &&Parcel| p.unsent.iter().map(|f| f.bits).sum::<u64>() == p.packet.bits;
        let queue: Vec<u64> =
            self.parcels.iter().filter(untouched).map(|p| p.packet.bits).collect();
        let is_free = now >= self.busy_until
            && self.parcels.iter().all(|p| p.unsent.is_empty())
            && self.called_for.iter().all(|f| self.parcels[f.packet].abandoned);
        let room = match self.case.queue {
            Discipline::Unlimited => true,
            Discipline::DropTail(limit) => is_free || (queue.len() as u64) + 1 < limit,
            Discipline::DropTailBits(limit) => {
                is_free || queue.iter().sum::<u64>() + packet.bits <= limit
            }
        };
        if !room {
            return self.lost.push((now, packet, LossCause::Queue));
        }
        let unsent = self.cut_up(packet);
        let missing = unsent.len();
        let (given_up, abandoned) = (false, false);
        self.parcels.push(Parcel { packet, at: At::Link, unsent, missing, given_up, abandoned });
        self.transmit(now);
    }

    fn cut_up(&self, packet: Packet) -> Vec<Fragment> {
        let (mut left, mut all) = (packet.bits, Vec::new());
        while left > 0 {
            let bits = left.min(self.arq.payload);
            all.push(Fragment { packet: self.parcels.len(), bits, attempts: 0 });
            left -= bits;
        }
        all
    }
}

fn arqs() -> impl Strategy<Value = Arq> {
    let losses = prop_oneof![Just(0.0), Just(0.3)];
    (1..12_u64, 0..4_u64, 1..5_u32, 0..60_i64, losses, any::<bool>()).prop_map(
        |(payload, overhead, attempts, delay, loss, in_order)| Arq {
            payload,
            overhead,
            attempts,
            // Often ideal.
            delay: (delay - 20).max(0),
            loss,
            in_order,
        },
    )
}

fn air(line: &Line<Packet>) -> ArqCounters {
    line.air(0)
}

proptest! {
    #![proptest_config(settings(10_000))]

    #[test]
    fn arrivals_losses_and_counts_are_those_of_the_plain_simulator(case in cases(), arq in arqs()) {
        let (outcome, line) = case.run(Some(arq.config()), END, true);
        let plain = Plain::run(&case, &arq);
        prop_assert_eq!(line.counters(), tally(&plain.lost));
        prop_assert_eq!(air(&line), plain.air);
        prop_assert_eq!(outcome, (plain.out, plain.lost));
    }

    #[test]
    fn polling_late_changes_no_fate(case in cases(), arq in arqs()) {
        let (prompt, prompt_line) = case.run(Some(arq.config()), END, true);
        let (late, late_line) = case.run(Some(arq.config()), END, false);
        let packets = |outcome: &Outcome| outcome.0.iter().map(|o| o.1).collect::<Vec<_>>();
        prop_assert_eq!(packets(&prompt), packets(&late));
        prop_assert_eq!(prompt.1, late.1);
        prop_assert_eq!(air(&prompt_line), air(&late_line));
    }

    /// The counts of a link follow from its history.
    #[test]
    fn a_history_adds_up_to_the_counts(case in cases(), arq in arqs(), promptly: bool) {
        let (_, mut line) = case.run(Some(arq.config()), END, promptly);
        let counts = line.counts(at(END)).unwrap();
        let history = line.take_history(at(END)).unwrap();
        prop_assert!(is_tidy(&history), "{:?}", history);
        prop_assert_eq!(counts_of(&history, END.unsigned_abs(), &counts), counts);
    }

    /// Packets leave in order, each exactly once or with a cause.
    #[test]
    fn packets_are_conserved_and_in_order(case in cases(), arq in arqs()) {
        let ((out, lost), _) = case.run(Some(arq.config()), END, true);
        let is_stuck = !case.destroys() && !case.is_up(END);
        let gone = out.len() + lost.len();
        prop_assert!(gone == case.pushes.len() || is_stuck && gone < case.pushes.len());
        if arq.in_order {
            prop_assert!(out.is_sorted_by_key(|(_, packet)| packet.id));
        }
    }

    /// One fragment, one attempt: the hop without such a link layer.
    #[test]
    fn one_fragment_and_one_attempt_are_the_plain_hop(case in cases(), in_order: bool) {
        let (payload, overhead, attempts, delay, loss) = (20, 0, 1, 0, 0.0);
        let arq = Arq { payload, overhead, attempts, delay, loss, in_order };
        let (outcome, mut line) = case.run(Some(arq.config()), END, true);
        let (mut expected, mut hop) = case.run(None, END, true);
        expected.1.iter_mut().filter(|loss| loss.2 == LossCause::Channel).for_each(|loss| loss.2 = LossCause::Arq);
        expected.1.sort_unstable();
        prop_assert_eq!(outcome, expected);
        prop_assert_eq!(line.counters().arq, hop.counters().channel);
        let counts = |line: &mut Line<Packet>| {
            let mut counts = line.counts(at(END)).unwrap();
            counts.lost.arq += std::mem::take(&mut counts.lost.channel);
            counts
        };
        prop_assert_eq!(counts(&mut line), counts(&mut hop));
        prop_assert_eq!(line.take_history(at(END)), hop.take_history(at(END)));
    }
}
