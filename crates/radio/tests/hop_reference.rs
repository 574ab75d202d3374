//! The hop against a plain simulator of the same rules, one nanosecond after the other, with an
//! explicit queue and explicit ends of transmissions.

use crate::cases::{Case, Outcome, Packet, at, cases, settings, tally};
use airtcp_radio::{Channel, Discipline, Fate, LossCause, Observed, Process, Transmission};
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};

const END: i64 = 600;

/// The plain simulator.
struct Plain<'a> {
    case: &'a Case,
    channel: Process,
    copies: BTreeMap<u64, u32>,
    queue: VecDeque<Packet>,
    busy_until: i64,
    last_arrival: i64,
    /// Start, end, arrival, packet.
    wire: VecDeque<(i64, i64, i64, Packet)>,
    out: Vec<(i64, Packet)>,
    lost: Vec<(i64, Packet, LossCause)>,
}

impl<'a> Plain<'a> {
    fn run(case: &'a Case) -> Self {
        let mut plain = Plain {
            case,
            channel: case.process(),
            copies: BTreeMap::new(),
            queue: VecDeque::new(),
            busy_until: 0,
            last_arrival: 0,
            wire: VecDeque::new(),
            out: Vec::new(),
            lost: Vec::new(),
        };
        for now in 0..=END {
            plain.instant(now);
        }
        plain.lost.sort_unstable();
        plain
    }

    /// The end of a transmission comes first, then the gate, then arrivals, then pushes.
    fn instant(&mut self, now: i64) {
        if self.case.destroys() || self.case.is_up(now) {
            self.transmit(now);
        }
        if self.case.destroys() && self.case.toggles.contains(&now) && !self.case.is_up(now) {
            self.cut(now);
        }
        while self.wire.front().is_some_and(|flight| flight.2 == now) {
            let flight = self.wire.pop_front().unwrap();
            self.arrive(now, flight);
        }
        for &(time, packet) in &self.case.pushes {
            if time == now {
                self.push(now, packet);
            }
        }
    }

    fn push(&mut self, now: i64, packet: Packet) {
        if self.case.destroys() && !self.case.is_up(now) {
            return self.lost.push((now, packet, LossCause::Vanished));
        }
        let is_free = now >= self.busy_until && self.queue.is_empty();
        let waiting: u64 = self.queue.iter().map(|p| p.bits).sum();
        let room = match self.case.queue {
            Discipline::Unlimited => true,
            Discipline::DropTail(limit) => is_free || (self.queue.len() as u64) + 1 < limit,
            Discipline::DropTailBits(limit) => is_free || waiting + packet.bits <= limit,
        };
        if !room {
            return self.lost.push((now, packet, LossCause::Queue));
        }
        self.queue.push_back(packet);
        if is_free && self.case.is_up(now) {
            self.transmit(now);
        }
    }

    fn transmit(&mut self, now: i64) {
        if now < self.busy_until {
            return;
        }
        let Some(packet) = self.queue.pop_front() else { return };
        let airtime = packet.bits.cast_signed();
        let change = self.case.delays.iter().rfind(|d| d.0 <= now);
        let direct = now + airtime + change.map_or(self.case.delay, |d| d.1);
        let last = self.last_arrival;
        self.last_arrival = if direct < last { last + airtime } else { direct };
        self.busy_until = now + airtime;
        self.wire.push_back((now, self.busy_until, self.last_arrival, packet));
    }

    fn fate(&mut self, (start, end, _, packet): (i64, i64, i64, Packet)) -> Fate {
        self.channel.fate_of(Transmission { start: at(start), end: at(end), bits: packet.bits })
    }

    fn cut(&mut self, now: i64) {
        for flight in std::mem::take(&mut self.wire) {
            self.fate(flight);
            self.lost.push((now, flight.3, LossCause::Gate));
        }
        for packet in std::mem::take(&mut self.queue) {
            self.lost.push((now, packet, LossCause::Gate));
        }
    }

    fn arrive(&mut self, now: i64, flight: (i64, i64, i64, Packet)) {
        let packet = flight.3;
        if self.fate(flight) == Fate::Erased {
            return self.lost.push((now, packet, LossCause::Channel));
        }
        let copy = self.copies.entry(packet.number).or_default();
        *copy += 1;
        if self.case.drop.contains(&(packet.number, *copy)) {
            return self.lost.push((now, packet, LossCause::Forced));
        }
        self.out.push((now, packet));
    }
}

proptest! {
    #![proptest_config(settings(20_000))]

    #[test]
    fn arrivals_and_losses_are_those_of_the_plain_simulator(case in cases()) {
        let (outcome, hop) = case.run(None, END, true);
        let plain = Plain::run(&case);
        prop_assert_eq!(hop.counters(), tally(&plain.lost));
        prop_assert_eq!(outcome, (plain.out, plain.lost));
    }

    /// Late wake-ups do not bend the model.
    #[test]
    fn polling_late_changes_no_fate(case in cases()) {
        let (prompt, prompt_hop) = case.run(None, END, true);
        let (late, late_hop) = case.run(None, END, false);
        let packets = |outcome: &Outcome| outcome.0.iter().map(|o| o.1).collect::<Vec<_>>();
        prop_assert_eq!(packets(&prompt), packets(&late));
        prop_assert_eq!(prompt.1, late.1);
        prop_assert_eq!(prompt_hop.counters(), late_hop.counters());
    }
}
