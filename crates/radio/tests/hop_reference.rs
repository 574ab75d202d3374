//! The hop against a plain simulator of the same rules, one nanosecond after the other, with an
//! explicit queue and explicit ends of transmissions. 1 Gbit/s: a packet of n bits takes n ns.

use airtcp_core::{Instant, Next, Payload, Rate, Span, Stage, Stream};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::gate::Spec as _;
use airtcp_radio::{
    Burst, Cause, Channel, ChannelSpec, Discipline, Fate, GateSpec, Hop, HopConfig, Loses, Lost,
    Process,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};

const END: i64 = 600;

/// Packets of a case have different ids; several may be copies of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    id: usize,
    number: u64,
    bits: u64,
}

impl Payload for Packet {
    fn bits(&self) -> u64 {
        self.bits
    }
    fn number(&self) -> Option<u64> {
        Some(self.number)
    }
}

/// Everything about a hop, and what is pushed: (ns, packet).
#[derive(Clone, Debug)]
struct Case {
    delay: i64,
    delays: Vec<(i64, i64)>,
    queue: Discipline,
    channel: ChannelSpec,
    toggles: Vec<i64>,
    loses: Loses,
    drop: Vec<(u64, u32)>,
    pushes: Vec<(i64, Packet)>,
}

/// What came out, (ns, packet), and what was lost, (ns, packet, cause), both sorted.
type Outcome = (Vec<(i64, Packet)>, Vec<(i64, Packet, Cause)>);

fn at(nanos: i64) -> Instant {
    Instant::from_nanos(nanos)
}

impl Case {
    fn process(&self) -> Process {
        self.channel.build(Span::from_nanos(10), Stream::new(1, "channel", 0)).unwrap()
    }

    fn hop(&self) -> Hop<Packet> {
        let toggles: Vec<String> = self.toggles.iter().map(|t| format!("{t}ns")).collect();
        let spec = serde_json::json!({"kind": "schedule", "toggles": toggles, "loses": self.loses});
        let gate: GateSpec = serde_json::from_value(spec).unwrap();
        let gate = gate.build(Stream::new(1, "gate", 0)).unwrap();
        let delays = self.delays.iter().map(|d| (at(d.0), Span::from_nanos(d.1))).collect();
        let rate = Rate::try_from("1Gbps".to_owned()).unwrap();
        let mut hop = Hop::new(HopConfig {
            delays,
            queue: self.queue,
            channel: self.process(),
            gate: (!self.toggles.is_empty()).then_some(gate),
            drop: self.drop.clone(),
            ..HopConfig::new(rate, Span::from_nanos(self.delay))
        });
        hop.record_losses(true);
        hop
    }

    /// Driven by its own wake-ups, or polled only when something is pushed and at the end.
    fn run(&self, promptly: bool) -> (Outcome, Hop<Packet>) {
        let (mut hop, mut out) = (self.hop(), Vec::new());
        let wake = |hop: &mut Hop<Packet>, out: &mut Vec<(i64, Packet)>, until: i64| {
            while hop.due().0 <= at(until) {
                let now = if promptly { hop.due().0 } else { at(until) };
                while let Next::Out(packet) = hop.poll(now) {
                    out.push((now.nanos(), packet));
                }
            }
        };
        for &(time, packet) in &self.pushes {
            wake(&mut hop, &mut out, time);
            hop.push(at(time), packet);
        }
        wake(&mut hop, &mut out, END);
        hop.poll(at(END));
        let lost = std::iter::from_fn(|| hop.take_lost());
        let mut lost: Vec<_> =
            lost.map(|Lost { at, payload, cause }| (at.nanos(), payload, cause)).collect();
        lost.sort_unstable();
        ((out, lost), hop)
    }
}

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
    lost: Vec<(i64, Packet, Cause)>,
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

    fn is_up(&self, now: i64) -> bool {
        self.case.toggles.iter().filter(|t| **t <= now).count() % 2 == 0
    }

    fn destroys(&self) -> bool {
        self.case.loses == Loses::All
    }

    /// The end of a transmission comes first, then the gate, then arrivals, then pushes.
    fn instant(&mut self, now: i64) {
        if self.destroys() || self.is_up(now) {
            self.transmit(now);
        }
        if self.destroys() && self.case.toggles.contains(&now) && !self.is_up(now) {
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
        if self.destroys() && !self.is_up(now) {
            return self.lost.push((now, packet, Cause::Vanished));
        }
        let idle = now >= self.busy_until && self.is_up(now) && self.queue.is_empty();
        let waiting: u64 = self.queue.iter().map(|p| p.bits).sum();
        let room = match self.case.queue {
            Discipline::Unlimited => true,
            Discipline::DropTail(limit) => idle || (self.queue.len() as u64) + 1 < limit,
            Discipline::DropTailBits(limit) => idle || waiting + packet.bits <= limit,
        };
        if !room {
            return self.lost.push((now, packet, Cause::Queue));
        }
        self.queue.push_back(packet);
        if idle {
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
        self.channel.fate(Burst { start: at(start), end: at(end), bits: packet.bits })
    }

    fn cut(&mut self, now: i64) {
        for flight in std::mem::take(&mut self.wire) {
            self.fate(flight);
            self.lost.push((now, flight.3, Cause::Gate));
        }
        for packet in std::mem::take(&mut self.queue) {
            self.lost.push((now, packet, Cause::Gate));
        }
    }

    fn arrive(&mut self, now: i64, flight: (i64, i64, i64, Packet)) {
        let packet = flight.3;
        if self.fate(flight) == Fate::Erased {
            return self.lost.push((now, packet, Cause::Channel));
        }
        let copy = self.copies.entry(packet.number).or_default();
        *copy += 1;
        if self.case.drop.contains(&(packet.number, *copy)) {
            return self.lost.push((now, packet, Cause::Forced));
        }
        self.out.push((now, packet));
    }
}

fn channels() -> impl Strategy<Value = ChannelSpec> {
    let kinds = [
        r#"{"kind": "iid", "loss_rate": 0}"#,
        r#"{"kind": "trace", "lost": [0, 0, 1, 0, 1]}"#,
        r#"{"kind": "two-state", "p_gb": 0.2, "p_bg": 0.4}"#,
        r#"{"kind": "two-state", "p_gb": 0.2, "p_bg": 0.4, "clock": "packet"}"#,
        r#"{"kind": "sojourn", "good": "4packets", "bad": "8bits"}"#,
    ];
    proptest::sample::select(kinds.map(|k| serde_json::from_str(k).unwrap()).to_vec())
}

fn queues() -> impl Strategy<Value = Discipline> {
    prop_oneof![
        Just(Discipline::Unlimited),
        (2..6_u64).prop_map(Discipline::DropTail),
        (1..60_u64).prop_map(Discipline::DropTailBits),
    ]
}

fn increasing(n: usize) -> impl Strategy<Value = Vec<i64>> {
    proptest::collection::btree_set(0..300_i64, 0..n).prop_map(|set| set.into_iter().collect())
}

fn pushes() -> impl Strategy<Value = Vec<(i64, Packet)>> {
    // Coarse times and lengths make events coincide.
    let one = (0..60_i64, 0..6_u64, 1..5_u64);
    proptest::collection::vec(one, 1..40).prop_map(|mut all| {
        all.sort_unstable();
        let packet = |(id, (time, number, size)): (usize, (i64, u64, u64))| {
            (time * 5, Packet { id, number, bits: size * 5 })
        };
        all.into_iter().enumerate().map(packet).collect()
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let delays = (increasing(4), proptest::collection::vec(0..80_i64, 4));
    let loses = prop_oneof![Just(Loses::All), Just(Loses::Nothing)];
    let drop = proptest::collection::vec((0..6_u64, 1..4_u32), 0..5);
    let medium = (0..40_i64, delays, queues(), channels());
    (medium, increasing(6), loses, drop, pushes()).prop_map(
        |((delay, (times, values), queue, channel), toggles, loses, drop, pushes)| Case {
            delay,
            delays: times.into_iter().zip(values).collect(),
            queue,
            channel,
            toggles,
            loses,
            drop,
            pushes,
        },
    )
}

fn settings() -> ProptestConfig {
    let rng_seed = proptest::test_runner::RngSeed::Fixed(1);
    ProptestConfig {
        cases: 20_000,
        rng_seed,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn arrivals_and_losses_are_those_of_the_plain_simulator(case in cases()) {
        let (outcome, hop) = case.run(true);
        let plain = Plain::run(&case);
        let counters = hop.counters();
        let expected = (plain.out, plain.lost);
        prop_assert_eq!(&outcome, &expected);
        let count = |cause| expected.1.iter().filter(|loss| loss.2 == cause).count() as u64;
        prop_assert_eq!(counters.queue, count(Cause::Queue));
        prop_assert_eq!(counters.channel, count(Cause::Channel));
        prop_assert_eq!(counters.gate, count(Cause::Gate));
        prop_assert_eq!(counters.forced, count(Cause::Forced));
        prop_assert_eq!(counters.vanished, count(Cause::Vanished));
    }

    /// Late wake-ups do not bend the model.
    #[test]
    fn polling_late_changes_no_fate(case in cases()) {
        let (prompt, prompt_hop) = case.run(true);
        let (late, late_hop) = case.run(false);
        let packets = |outcome: &Outcome| outcome.0.iter().map(|o| o.1).collect::<Vec<_>>();
        prop_assert_eq!(packets(&prompt), packets(&late));
        prop_assert_eq!(prompt.1, late.1);
        prop_assert_eq!(prompt_hop.counters(), late_hop.counters());
    }
}
