//! A transmitter with some queue, what is pushed into it, and what is seen of that.

use crate::transmitter::queues::{Fault, Faulty, Impatient, LIMIT, Lifo, RoundRobin, Spaced};
use crate::transmitter::spy::{Answer, Answers, spied};
use crate::transmitter::{Packet, at};
use airtcp_core::{PollResult, Rate, Span, Stage, Stream};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::gate::Spec as _;
use airtcp_radio::queue::{Guarantees, Order, Queue, Spec as _};
use airtcp_radio::{
    ChannelSpec, DistributionSpec, Duplication, GateSpec, HopConfig, HopCounters, Jitter,
    LinkCounts, LinkHistory, LossCause, LostPacket, Observed, QueueSpec, Transmitter,
};
use proptest::prelude::*;

pub(crate) const END: i64 = 100_000;

/// Where a queue comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// A registered one.
    Registered(&'static str),
    RoundRobin,
    Lifo(Order, u64),
    Spaced(bool),
    Impatient(bool),
    Faulty(Fault),
}

/// A queue, and the limits that it states: packets with the one in transmission, and bits of what waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Example {
    pub(crate) kind: Kind,
    pub(crate) packets: Option<u64>,
    pub(crate) bits: Option<u64>,
}

const fn example(kind: Kind, packets: Option<u64>, bits: Option<u64>) -> Example {
    Example { kind, packets, bits }
}

const CODEL: &str =
    r#"{"kind": "codel", "target": "15ns", "interval": "20ns", "mtu": "1B", "packets": 4}"#;
const CODEL_WITHOUT_MARKS: &str = r#"{"kind": "codel", "target": "5ns", "interval": "10ns", "mtu": "1B", "ecn": false, "bytes": "6B"}"#;
const FQ_CODEL: &str = r#"{"kind": "fq-codel", "target": "15ns", "interval": "20ns", "mtu": "1B", "quantum": "2B", "packets": 5}"#;
const FQ_CODEL_OF_ONE: &str = r#"{"kind": "fq-codel", "target": "5ns", "interval": "10ns", "mtu": "1B", "quantum": "1B", "flows": 2, "hash": true, "bytes": "6B"}"#;
const PIE: &str = r#"{"kind": "pie", "target": "5ns", "update": "10ns", "burst": "0ns", "mean_packet": "1B", "packets": 5}"#;
const PIE_WITH_ALL: &str = r#"{"kind": "pie", "target": "10ns", "update": "15ns", "burst": "20ns", "mean_packet": "1B", "derandomize": true, "cap": true, "ecn": false, "bytes": "6B"}"#;
const RED: &str = r#"{"kind": "red", "min": 1, "max": 3, "max_p": 0.5, "weight": 0.5, "mean_packet": "1B", "packets": 6}"#;
const RED_ADAPTIVE: &str = r#"{"kind": "red", "min": 0, "max": 2, "max_p": 0.3, "weight": 1, "gentle": false, "adaptive": true, "ecn": false, "bytes": "6B"}"#;
const NS_RED: &str = r#"{"kind": "ns-red", "min": 1, "max": 3, "max_p": 0.5, "weight": 0.5, "mean_packet": "1B", "wait": false, "ecn": true, "packets": 5}"#;
const NS_RED_IN_BYTES: &str = r#"{"kind": "ns-red", "min": 0, "max": 2, "max_p": 0.3, "weight": 1, "mean_packet": "2B", "gentle": false, "by_size": true, "in_bytes": true, "mark_p": 0.5, "packets": 5, "drawn": 7}"#;
const DUALPI2: &str = r#"{"kind": "dualpi2", "target": "5ns", "update": "10ns", "alpha": 1000, "beta": 1000, "threshold": "5ns", "range": "10ns", "mtu": "3B", "bytes": "6B"}"#;
const DUALPI2_SHIFTED: &str = r#"{"kind": "dualpi2", "scheduler": "ts-fifo", "shift": "10ns", "threshold": "5ns", "range": "0ns", "th_len": 0, "mtu": "3B", "bytes": "8B"}"#;
const SHAPER: &str = r#"{"kind": "token-bucket", "rate": "500Mbps", "burst": "2B", "packets": 5}"#;
const POLICER: &str = r#"{"kind": "token-bucket", "rate": "300Mbps", "burst": "4B", "excess": "drop", "bytes": "6B"}"#;

/// Examples of every registered kind, each with its limits in packets and in bits; and queues of other kinds, whose orders,
/// waits and drops the registered ones do not have.
pub(crate) const SOUND: [Example; 26] = [
    example(Kind::Registered(r#"{"kind": "drop-tail", "packets": 4}"#), Some(4), None),
    example(Kind::Registered(r#"{"kind": "drop-tail", "bytes": "4B"}"#), None, Some(32)),
    example(Kind::Registered(r#"{"kind": "head-drop", "packets": 3}"#), Some(3), None),
    example(Kind::Registered(r#"{"kind": "head-drop", "bytes": "4B"}"#), None, Some(32)),
    example(Kind::Registered(CODEL), Some(4), None),
    example(Kind::Registered(CODEL_WITHOUT_MARKS), None, Some(48)),
    example(Kind::Registered(FQ_CODEL), Some(5), None),
    example(Kind::Registered(FQ_CODEL_OF_ONE), None, Some(48)),
    example(Kind::Registered(r#"{"kind": "drr", "quantum": "2B", "packets": 4}"#), Some(4), None),
    example(Kind::Registered(r#"{"kind": "drr", "hash": true, "bytes": "5B"}"#), None, Some(40)),
    example(Kind::Registered(PIE), Some(5), None),
    example(Kind::Registered(PIE_WITH_ALL), None, Some(48)),
    example(Kind::Registered(RED), Some(6), None),
    example(Kind::Registered(RED_ADAPTIVE), None, Some(48)),
    example(Kind::Registered(NS_RED), Some(6), None),
    example(Kind::Registered(NS_RED_IN_BYTES), None, None),
    example(Kind::Registered(DUALPI2), None, Some(48)),
    example(Kind::Registered(DUALPI2_SHIFTED), None, Some(64)),
    example(Kind::Registered(SHAPER), Some(5), None),
    example(Kind::Registered(POLICER), None, Some(48)),
    example(
        Kind::Registered(r#"{"kind": "priority", "bands": [[1]], "packets": 4}"#),
        Some(4),
        None,
    ),
    example(
        Kind::Registered(r#"{"kind": "priority", "bands": [[], [0]], "bytes": "5B"}"#),
        None,
        Some(40),
    ),
    example(Kind::RoundRobin, Some(LIMIT), None),
    example(Kind::Lifo(Order::Any, LIMIT), Some(LIMIT), None),
    example(Kind::Spaced(true), Some(LIMIT), None),
    example(Kind::Impatient(true), None, None),
];

impl Example {
    fn build(&self, stream: Stream) -> Box<dyn Queue> {
        match self.kind {
            Kind::Registered(json) => {
                serde_json::from_str::<QueueSpec>(json).unwrap().build(Rate::MAX, stream).unwrap()
            }
            Kind::RoundRobin => Box::<RoundRobin>::default(),
            Kind::Lifo(promised, limit) => Box::new(Lifo::new(promised, limit)),
            Kind::Spaced(says_so) => Box::new(Spaced::new(says_so, Span::from_nanos(25))),
            Kind::Impatient(says_so) => Box::new(Impatient::new(says_so, Span::from_nanos(30))),
            Kind::Faulty(fault) => Box::new(Faulty::new(fault)),
        }
    }

    pub(crate) fn guarantees(&self) -> Guarantees {
        self.build(Stream::new(1, "queue", 0)).guarantees()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) queue: Example,
    jitter: Option<DistributionSpec>,
    pub(crate) reorder: bool,
    pub(crate) duplicate: f64,
    channel: ChannelSpec,
    toggles: Vec<i64>,
    loses: &'static str,
    drop: Vec<(u64, u32)>,
    seed: u64,
    pub(crate) pushes: Vec<(i64, Packet)>,
}

/// A packet that left the transmitter or the queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Left {
    pub(crate) at: i64,
    /// Time at which that was learnt of.
    pub(crate) learnt: i64,
    pub(crate) packet: Packet,
    /// Cause of its loss, if it was lost.
    pub(crate) cause: Option<LossCause>,
}

/// The transmitter after a push, or at the end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) counts: LinkCounts,
    pub(crate) counters: HopCounters,
    pub(crate) held: usize,
    /// Number of packets that had left by then.
    pub(crate) left: usize,
}

/// Everything that there was to see.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) left: Vec<Left>,
    pub(crate) states: Vec<State>,
    pub(crate) answers: Vec<Answer>,
    pub(crate) history: LinkHistory,
}

impl Case {
    fn line(&self) -> (Transmitter<Packet>, Answers) {
        let stream = |name: &str| Stream::new(self.seed, name, 0);
        let toggles: Vec<String> = self.toggles.iter().map(|t| format!("{t}ns")).collect();
        let gate = serde_json::json!({"kind": "schedule", "toggles": toggles, "loses": self.loses});
        let gate: GateSpec = serde_json::from_value(gate).unwrap();
        let duplication = Duplication::new(self.duplicate, stream("duplicate"));
        let rate = Rate::try_from("1Gbps".to_owned()).unwrap();
        let (queue, answers) = spied(self.queue.build(stream("queue")));
        let mut line = Transmitter::new(HopConfig {
            managed: Some(queue),
            jitter: self
                .jitter
                .as_ref()
                .map(|distribution| Jitter::new(distribution, stream("jitter")).unwrap()),
            reorder: self.reorder,
            duplication: (self.duplicate > 0.0).then_some(duplication),
            channel: self.channel.build(Span::from_nanos(10), stream("channel")).unwrap(),
            gate: (!self.toggles.is_empty()).then(|| gate.build(stream("gate")).unwrap()),
            drop: self.drop.clone(),
            ..HopConfig::new(rate, Span::from_nanos(20))
        });
        line.keep_losses(true);
        line.record_history(true);
        (line, answers)
    }

    /// Driven by its own wake-ups, or polled only when something is pushed and at the end.
    pub(crate) fn run(&self, promptly: bool) -> Seen {
        let ((mut line, answers), mut left, mut states) = (self.line(), Vec::new(), Vec::new());
        let mut step = |now: i64, packet: Option<Packet>| {
            while line.due().0 <= at(now) {
                let now = if promptly { line.due().0 } else { at(now) };
                while let PollResult::Out(packet) = line.poll(now) {
                    let now = now.nanos();
                    left.push(Left { at: now, learnt: now, packet, cause: None });
                }
                take_lost(&mut line, now.nanos(), &mut left);
            }
            packet.into_iter().for_each(|packet| line.push(at(now), packet));
            take_lost(&mut line, now, &mut left);
            let (held, counters, left) = (line.packets_held(), line.counters(), left.len());
            states.push(State { counts: line.counts(at(now)).unwrap(), counters, held, left });
        };
        self.pushes.iter().for_each(|(now, packet)| step(*now, Some(*packet)));
        step(END, None);
        let history = line.take_history(at(END)).unwrap();
        Seen { left, states, answers: answers.all(), history }
    }

    pub(crate) fn is_up(&self, now: i64) -> bool {
        self.toggles.iter().filter(|t| **t <= now).count() % 2 == 0
    }

    /// The instants at which something changes.
    pub(crate) fn instants(&self, seen: &Seen) -> Vec<i64> {
        let on_air = seen.left.iter().filter_map(|one| one.packet.on_air);
        let pushed = self.pushes.iter().map(|push| push.0);
        let left = seen.left.iter().map(|one| one.at);
        let asked = seen.answers.iter().flat_map(|one| [Some(one.0), one.1]).flatten();
        let all = pushed.chain(left).chain(on_air.flat_map(|(s, e)| [s, e])).chain(asked);
        let mut all: Vec<i64> = all.chain(self.toggles.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The bits of those that wait at `now`, once everything of that instant has happened.
    pub(crate) fn waiting(&self, seen: &Seen, now: i64) -> Vec<u64> {
        let until = |one: &&Left| one.packet.on_air.map_or(one.at, |on_air| on_air.0);
        let waits = |one: &&Left| self.pushes[one.packet.id].0 <= now && now < until(one);
        let each = seen.left.iter().filter(waits).map(|one| (one.packet.id, one.packet.bits));
        let mut found: Vec<(usize, u64)> = each.collect();
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|one| one.1).collect()
    }
}

fn take_lost(line: &mut Transmitter<Packet>, learnt: i64, left: &mut Vec<Left>) {
    while let Some(LostPacket { at, payload: packet, cause }) = line.take_lost() {
        left.push(Left { at: at.nanos(), learnt, packet, cause: Some(cause) });
    }
}

/// Transmitters with these queues.
pub(crate) fn cases(queues: Vec<Example>) -> impl Strategy<Value = Case> {
    let jitters = [
        r#"{"kind": "uniform", "min": "0ns", "max": "60ns"}"#,
        r#"{"kind": "exponential", "mean": "15ns"}"#,
        r#"{"kind": "values", "values": ["0ns", "40ns", "5ns"]}"#,
    ];
    let jitters = jitters
        .map(|distribution| serde_json::from_str::<DistributionSpec>(distribution).unwrap())
        .to_vec();
    let jitter = proptest::option::weighted(0.7, proptest::sample::select(jitters));
    let channels = [
        r#"{"kind": "iid", "loss_rate": 0}"#,
        r#"{"kind": "trace", "lost": [0, 0, 1, 0, 1]}"#,
        r#"{"kind": "two-state", "p_gb": 0.2, "p_bg": 0.4}"#,
    ];
    let channels = channels.map(|k| serde_json::from_str::<ChannelSpec>(k).unwrap()).to_vec();
    let toggles = proptest::collection::btree_set(0..300_i64, 0..6);
    let loses = proptest::sample::select(vec!["all", "nothing"]);
    let one = (0..60_i64, 0..6_u64, 1..5_u64);
    let pushes = proptest::collection::vec(one, 1..30).prop_map(|mut all| {
        all.sort_unstable();
        let packet = |(id, (time, number, size)): (usize, (i64, u64, u64))| {
            (time * 5, Packet::new(id, number, size * 5))
        };
        all.into_iter().enumerate().map(packet).collect()
    });
    let wire = (jitter, any::<bool>(), prop_oneof![Just(0.0), Just(0.3), Just(1.0)]);
    let drop = proptest::collection::vec((0..6_u64, 1..4_u32), 0..3);
    let channel = proptest::sample::select(channels);
    let gate = (toggles, loses);
    (proptest::sample::select(queues), wire, channel, gate, drop, any::<u64>(), pushes).prop_map(
        |(queue, (jitter, reorder, duplicate), channel, (toggles, loses), drop, seed, pushes)| {
            // A list that ends in an outage would hold packets for ever.
            let mut toggles: Vec<i64> = toggles.into_iter().collect();
            toggles.truncate(toggles.len() / 2 * 2);
            Case { queue, jitter, reorder, duplicate, channel, toggles, loses, drop, seed, pushes }
        },
    )
}
