//! With a queue that only refuses it is a hop: packet by packet, nanosecond by nanosecond.

use crate::histories::{counts_of, is_tidy};
use crate::strategies::{channels, increasing, pushes, queues};
use crate::transmitter::{Packet, at, settings};
use airtcp_core::{Instant, PollResult, Rate, Span, Stage, Stream};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::gate::Spec as _;
use airtcp_radio::{
    ChannelSpec, Discipline, GateSpec, Hop, HopConfig, HopCounters, LinkCounts, LinkHistory,
    LossCause, LostPacket, Observed, Opportunities, Process, Train, Transmitter,
};
use proptest::prelude::*;

/// Medium of the hop, which may hold transmissions back or cut them.
#[derive(Clone, Debug)]
enum Medium {
    Free,
    Gate(&'static str, Vec<i64>),
    Slots(i64),
    /// Opportunities in milliseconds; the other times are then multiplied by a million.
    Opportunities(Vec<u32>),
    /// As well, with trains at times of the recording, and the unit of their delays.
    Trains(Vec<u32>, Vec<(i64, Vec<u32>)>),
}

impl Medium {
    fn has_opportunities(&self) -> bool {
        matches!(self, Medium::Opportunities(_) | Medium::Trains(..))
    }
}

/// A hop, and what is pushed into it: (ns, packet).
#[derive(Clone, Debug)]
struct Case {
    rate: &'static str,
    delay: i64,
    delays: Vec<(i64, i64)>,
    queue: Discipline,
    exit: Option<ChannelSpec>,
    channel: ChannelSpec,
    medium: Medium,
    drop: Vec<(u64, u32)>,
    pushes: Vec<(i64, Packet)>,
    promptly: bool,
}

impl Case {
    /// Length of a unit of the times of the case, in ns.
    fn unit(&self) -> i64 {
        if self.medium.has_opportunities() { 1_000_000 } else { 1 }
    }

    fn process(&self, spec: &ChannelSpec, name: &str) -> Process {
        spec.build(Span::from_nanos(10 * self.unit()), Stream::new(1, name, 0)).unwrap()
    }

    fn config(&self) -> HopConfig {
        let span = |n: i64| Span::from_nanos(n * self.unit());
        let gate = |(loses, toggles): (&str, &[i64])| {
            let toggles: Vec<String> = toggles.iter().map(|t| format!("{t}ns")).collect();
            let spec = serde_json::json!({"kind": "schedule", "toggles": toggles, "loses": loses});
            let spec: GateSpec = serde_json::from_value(spec).unwrap();
            spec.build(Stream::new(1, "gate", 0)).unwrap()
        };
        let (mut slot, mut opportunities, mut gated) = (None, None, None);
        match &self.medium {
            Medium::Free => {}
            Medium::Gate(loses, toggles) => gated = Some(gate((loses, toggles))),
            Medium::Slots(length) => slot = Some(Span::from_nanos(*length)),
            Medium::Opportunities(millis) => opportunities = Opportunities::new(millis),
            Medium::Trains(millis, trains) => {
                let train = |(time, millis): &(i64, Vec<u32>)| {
                    Train::new(span(*time), span(time % 7), millis).unwrap()
                };
                let trace = Opportunities::new(millis).unwrap();
                opportunities = trace.with_trains(trains.iter().map(train).collect());
            }
        }
        let rate = Rate::try_from(self.rate.to_owned()).unwrap();
        let delays = self.delays.iter().map(|d| (Instant::START + span(d.0), span(d.1)));
        HopConfig {
            delays: delays.collect(),
            queue: self.queue,
            exit: self.exit.as_ref().map(|spec| self.process(spec, "exit")),
            channel: self.process(&self.channel, "channel"),
            gate: gated,
            slot,
            opportunities,
            drop: self.drop.clone(),
            ..HopConfig::new(rate, span(self.delay))
        }
    }
}

/// Interface that the two kinds of link have in common.
trait Line: Stage<Packet> {
    fn due(&self) -> Instant;
    fn take_lost(&mut self) -> Option<LostPacket<Packet>>;
    fn counts(&mut self, now: Instant) -> LinkCounts;
    fn history(&mut self, now: Instant) -> LinkHistory;
    fn held(&self) -> (usize, HopCounters);
}

macro_rules! line {
    ($name:ident) => {
        impl Line for $name<Packet> {
            fn due(&self) -> Instant {
                $name::due(self).0
            }
            fn take_lost(&mut self) -> Option<LostPacket<Packet>> {
                Observed::take_lost(self)
            }
            fn counts(&mut self, now: Instant) -> LinkCounts {
                Observed::counts(self, now).expect("it counts")
            }
            fn history(&mut self, now: Instant) -> LinkHistory {
                Observed::take_history(self, now).expect("it is kept")
            }
            fn held(&self) -> (usize, HopCounters) {
                ($name::packets_held(self), self.counters())
            }
        }
    };
}

line!(Hop);
line!(Transmitter);

/// Packets that came out and packets that were lost, states after every push and at the end, and counts before each of
/// these instants.
#[derive(Debug, PartialEq)]
struct Seen {
    out: Vec<(i64, Packet)>,
    lost: Vec<(i64, Packet, LossCause)>,
    states: Vec<(usize, HopCounters)>,
    counts: Vec<LinkCounts>,
    history: LinkHistory,
}

fn run(mut line: impl Line, case: &Case) -> Seen {
    let end = 3000 * case.unit();
    let mut seen = Seen {
        out: Vec::new(),
        lost: Vec::new(),
        states: Vec::new(),
        counts: Vec::new(),
        history: LinkHistory::default(),
    };
    let mut last = -1;
    let mut step = |line: &mut dyn Line, now: i64, packet: Option<Packet>| {
        if now > last {
            seen.counts.push(line.counts(at(now)));
            last = now;
        }
        while line.due() <= at(now) {
            let now = if case.promptly { line.due() } else { at(now) };
            while let PollResult::Out(packet) = line.poll(now) {
                seen.out.push((now.nanos(), packet));
            }
        }
        if let Some(packet) = packet {
            line.push(at(now), packet);
        }
        while let Some(LostPacket { at, mut payload, cause }) = line.take_lost() {
            // A hop says on a packet's arrival when it is going to be transmitted.
            payload.on_air = payload.on_air.filter(|on_air| on_air.0 <= at.nanos());
            seen.lost.push((at.nanos(), payload, cause));
        }
        seen.states.push(line.held());
    };
    for &(time, packet) in &case.pushes {
        step(&mut line, time * case.unit(), Some(packet));
    }
    step(&mut line, end, None);
    seen.history = line.history(at(end));
    seen
}

fn media() -> impl Strategy<Value = Medium> {
    let sorted = || {
        proptest::collection::vec(0..40_u32, 1..8).prop_map(|mut millis| {
            millis.sort_unstable();
            millis
        })
    };
    let trace = move || {
        sorted().prop_map(|mut millis| {
            millis.push(millis[millis.len() - 1].max(1));
            millis
        })
    };
    let trains = proptest::collection::btree_map(0..40_i64, sorted(), 1..4);
    let trains = (trace(), trains)
        .prop_map(|(millis, trains)| Medium::Trains(millis, trains.into_iter().collect()));
    prop_oneof![
        Just(Medium::Free),
        increasing(6).prop_map(|toggles| Medium::Gate("all", toggles)),
        increasing(6).prop_map(|toggles| Medium::Gate("nothing", toggles)),
        (1..40_i64).prop_map(Medium::Slots),
        trace().prop_map(Medium::Opportunities),
        trains,
    ]
}

/// Over opportunities, which carry 1504 bytes, packets are so many times as long, and the largest are longer.
const LONGER: u64 = 1000;

fn cases() -> impl Strategy<Value = Case> {
    let rates = proptest::sample::select(vec!["1Gbps", "1.7Gbps"]);
    let delays = (increasing(4), proptest::collection::vec(0..80_i64, 4));
    let drop = proptest::collection::vec((0..6_u64, 1..4_u32), 0..5);
    let exit = proptest::option::weighted(0.3, channels());
    let link = (rates, 0..40_i64, delays, queues(), exit, channels());
    let packet = |id, number, bits| Packet::new(id, number, bits);
    (media(), link, drop, pushes(packet), any::<bool>()).prop_map(
        |(medium, link, drop, mut pushes, promptly)| {
            let (rate, delay, (times, values), mut queue, exit, channel) = link;
            if medium.has_opportunities() {
                pushes.iter_mut().for_each(|(_, packet)| packet.bits *= LONGER);
                if let Discipline::DropTailBits(bits) = &mut queue {
                    *bits *= LONGER;
                }
            }
            // At 1.7 Gbit/s airtimes carry what rounding leaves. A hop carries that also from packets that an outage
            // destroys before they start, so that the two may be a nanosecond apart there.
            let cuts = matches!(medium, Medium::Gate("all", _));
            // Trains have delays of their own.
            let number = if matches!(medium, Medium::Trains(..)) { 0 } else { times.len() };
            let delays = times.into_iter().zip(values).take(number).collect();
            let rate = if cuts { "1Gbps" } else { rate };
            Case { rate, delay, delays, queue, exit, channel, medium, drop, pushes, promptly }
        },
    )
}

proptest! {
    #![proptest_config(settings(5_000))]

    #[test]
    fn a_transmitter_that_only_refuses_is_a_hop(case in cases()) {
        let mut hop = Hop::new(case.config());
        hop.keep_losses(true);
        hop.record_history(true);
        let mut transmitter = Transmitter::new(case.config());
        transmitter.keep_losses(true);
        transmitter.record_history(true);
        let seen = run(hop, &case);
        prop_assert!(is_tidy(&seen.history), "{:?}", seen.history);
        let end = 3000 * case.unit().unsigned_abs();
        let counts = *seen.counts.last().unwrap();
        prop_assert_eq!(counts_of(&seen.history, end, &counts), counts);
        prop_assert_eq!(run(transmitter, &case), seen);
    }
}
