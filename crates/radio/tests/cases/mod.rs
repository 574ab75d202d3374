//! Random hops and what is pushed into them, for the plain simulators they are held to. 1 Gbit/s: n bits
//! take n ns.

use crate::strategies::{channels, increasing, pushes, queues};
use airtcp_core::{Instant, Payload, PollResult, Rate, Span, Stage, Stream};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::gate::Spec as _;
use airtcp_radio::{
    ArqConfig, ChannelSpec, Discipline, GateSpec, HopConfig, HopCounters, Line, LossCause,
    LostPacket, Observed, OutageLosses, Process,
};
use proptest::prelude::*;

/// Packets of a case have different ids; several may be copies of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Packet {
    pub(crate) id: usize,
    pub(crate) number: u64,
    pub(crate) bits: u64,
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
pub(crate) struct Case {
    pub(crate) delay: i64,
    pub(crate) delays: Vec<(i64, i64)>,
    pub(crate) queue: Discipline,
    pub(crate) channel: ChannelSpec,
    pub(crate) toggles: Vec<i64>,
    pub(crate) loses: OutageLosses,
    pub(crate) drop: Vec<(u64, u32)>,
    pub(crate) pushes: Vec<(i64, Packet)>,
}

/// Packets that came out, (ns, packet), and packets that were lost, (ns, packet, cause), both sorted.
pub(crate) type Outcome = (Vec<(i64, Packet)>, Vec<(i64, Packet, LossCause)>);

pub(crate) fn at(nanos: i64) -> Instant {
    Instant::from_nanos(nanos)
}

impl Case {
    pub(crate) fn process(&self) -> Process {
        self.channel.build(Span::from_nanos(10), Stream::new(1, "channel", 0)).unwrap()
    }

    fn line(&self, arq: Option<ArqConfig>) -> Line<Packet> {
        let toggles: Vec<String> = self.toggles.iter().map(|t| format!("{t}ns")).collect();
        let spec = serde_json::json!({"kind": "schedule", "toggles": toggles, "loses": self.loses});
        let gate: GateSpec = serde_json::from_value(spec).unwrap();
        let gate = gate.build(Stream::new(1, "gate", 0)).unwrap();
        let delays = self.delays.iter().map(|d| (at(d.0), Span::from_nanos(d.1))).collect();
        let rate = Rate::try_from("1Gbps".to_owned()).unwrap();
        let mut line = Line::new(HopConfig {
            delays,
            queue: self.queue,
            channel: self.process(),
            gate: (!self.toggles.is_empty()).then_some(gate),
            drop: self.drop.clone(),
            arq,
            ..HopConfig::new(rate, Span::from_nanos(self.delay))
        });
        line.keep_losses(true);
        line.record_history(true);
        line
    }

    /// Driven by its own wake-ups, or polled only when something is pushed and at the end.
    pub(crate) fn run(
        &self,
        arq: Option<ArqConfig>,
        end: i64,
        promptly: bool,
    ) -> (Outcome, Line<Packet>) {
        let (mut line, mut out) = (self.line(arq), Vec::new());
        let wake = |line: &mut Line<Packet>, out: &mut Vec<(i64, Packet)>, until: i64| {
            while line.due().0 <= at(until) {
                let now = if promptly { line.due().0 } else { at(until) };
                while let PollResult::Out(packet) = line.poll(now) {
                    out.push((now.nanos(), packet));
                }
            }
        };
        for &(time, packet) in &self.pushes {
            wake(&mut line, &mut out, time);
            line.push(at(time), packet);
        }
        wake(&mut line, &mut out, end);
        line.poll(at(end));
        let lost = std::iter::from_fn(|| line.take_lost());
        let mut lost: Vec<_> =
            lost.map(|LostPacket { at, payload, cause }| (at.nanos(), payload, cause)).collect();
        lost.sort_unstable();
        ((out, lost), line)
    }

    pub(crate) fn is_up(&self, now: i64) -> bool {
        self.toggles.iter().filter(|t| **t <= now).count() % 2 == 0
    }

    pub(crate) fn destroys(&self) -> bool {
        self.loses == OutageLosses::All
    }
}

/// The numbers of lost packets by cause.
pub(crate) fn tally(lost: &[(i64, Packet, LossCause)]) -> HopCounters {
    let count = |cause| lost.iter().filter(|loss| loss.2 == cause).count() as u64;
    HopCounters {
        queue: count(LossCause::Queue),
        channel: count(LossCause::Channel),
        gate: count(LossCause::Gate),
        forced: count(LossCause::Forced),
        arq: count(LossCause::Arq),
        vanished: count(LossCause::Vanished),
    }
}

pub(crate) fn cases() -> impl Strategy<Value = Case> {
    let delays = (increasing(4), proptest::collection::vec(0..80_i64, 4));
    let loses = prop_oneof![Just(OutageLosses::All), Just(OutageLosses::Nothing)];
    let drop = proptest::collection::vec((0..6_u64, 1..4_u32), 0..5);
    let medium = (0..40_i64, delays, queues(), channels());
    (medium, increasing(6), loses, drop, pushes(|id, number, bits| Packet { id, number, bits }))
        .prop_map(|((delay, (times, values), queue, channel), toggles, loses, drop, pushes)| Case {
            delay,
            delays: times.into_iter().zip(values).collect(),
            queue,
            channel,
            toggles,
            loses,
            drop,
            pushes,
        })
}

pub(crate) fn settings(cases: u32) -> ProptestConfig {
    let rng_seed = proptest::test_runner::RngSeed::Fixed(1);
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}
