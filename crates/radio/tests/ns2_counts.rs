//! A hop on the time of ns and a [`Hop`] count the same where both play the same: all times are multiples of 1/512 s,
//! which doubles and nanoseconds both hold exactly.

use airtcp_core::{EventTime, Instant, Payload, PollResult, Rate, Span, Stage, Stream};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::gate::Spec as _;
use airtcp_radio::{
    ChannelSpec, Discipline, EventCounter, GateSpec, Hop, HopConfig, LinkCounts, Ns2Hop, Observed,
};
use proptest::prelude::*;

/// 1/512 s in nanoseconds: a bit takes as long at 512 bit/s.
const TICK: i64 = 1_953_125;
const END: i64 = 2_000;

#[derive(Clone, Copy, Debug)]
struct Packet {
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

#[derive(Clone, Debug)]
struct Case {
    delay: i64,
    queue: Discipline,
    channel: ChannelSpec,
    toggles: Vec<i64>,
    drop: Vec<(u64, u32)>,
    pushes: Vec<(i64, Packet)>,
    /// When the counts are read.
    readings: Vec<i64>,
}

fn at(ticks: i64) -> Instant {
    Instant::from_nanos(ticks * TICK)
}

impl Case {
    fn config(&self) -> HopConfig {
        let toggles: Vec<String> = self.toggles.iter().map(|t| format!("{}ns", t * TICK)).collect();
        let gate = serde_json::json!({"kind": "schedule", "toggles": toggles, "loses": "all"});
        let gate: GateSpec = serde_json::from_value(gate).unwrap();
        let slot = Span::from_nanos(10 * TICK);
        let rate = Rate::try_from("512bps".to_owned()).unwrap();
        HopConfig {
            queue: self.queue,
            channel: self.channel.build(slot, Stream::new(1, "channel", 0)).unwrap(),
            gate: (!toggles.is_empty()).then(|| gate.build(Stream::new(1, "gate", 0)).unwrap()),
            drop: self.drop.clone(),
            ..HopConfig::new(rate, Span::from_nanos(self.delay * TICK))
        }
    }

    /// Readings in the order of time, each before what is pushed at its instant.
    fn read(&self, mut step: impl FnMut(Instant, Option<Packet>) -> LinkCounts) -> Vec<LinkCounts> {
        let pushed = self.pushes.iter().map(|(when, packet)| (*when, Some(*packet)));
        let read = self.readings.iter().map(|when| (*when, None));
        let mut all: Vec<(i64, Option<Packet>)> = read.chain(pushed).collect();
        all.sort_by_key(|(when, packet)| (*when, packet.is_some()));
        let counted =
            all.into_iter().map(|(when, packet)| (packet.is_none(), step(at(when), packet)));
        counted.filter(|one| one.0).map(|one| one.1).collect()
    }

    fn by_hop(&self) -> Vec<LinkCounts> {
        let mut hop = Hop::new(self.config());
        hop.record_counts(true);
        self.read(|now, packet| {
            while hop.due().0 < now {
                let due = hop.due().0;
                while let PollResult::Out(_) = hop.poll(due) {}
            }
            let Some(packet) = packet else {
                return checked(hop.counts(now).unwrap(), hop.packets_held());
            };
            while hop.due().0 == now {
                while let PollResult::Out(_) = hop.poll(now) {}
            }
            hop.push(now, packet);
            LinkCounts::default()
        })
    }

    fn by_ns2(&self) -> Vec<LinkCounts> {
        let config = self.config();
        assert!(Ns2Hop::<Packet>::is_supported(&config));
        let (mut hop, mut scheduled) = (Ns2Hop::<_, true>::new(config), EventCounter::new(1));
        self.read(|now, packet| {
            let end = EventTime::scheduled_before_run(now);
            let mut happen = |hop: &mut Ns2Hop<Packet, true>, end: EventTime| {
                while hop.due() < end {
                    let due = hop.due();
                    if !hop.begin(due, &mut scheduled) {
                        hop.poll(due, &mut scheduled);
                    }
                }
                scheduled.take(1)
            };
            happen(&mut hop, end);
            let Some(packet) = packet else {
                return checked(hop.counts(now).unwrap(), hop.packets_held());
            };
            // Events that are due in that instant were scheduled before.
            let order = happen(&mut hop, EventTime { order: u64::MAX, ..end });
            hop.push(EventTime { order, ..end }, &mut scheduled, packet);
            LinkCounts::default()
        })
    }
}

/// Checks that every packet that came was delivered, was lost, or is held.
fn checked(counts: LinkCounts, held: usize) -> LinkCounts {
    let came = counts.offered.packets + counts.duplicated.packets;
    assert_eq!(came, counts.delivered.packets + counts.lost.total() + held as u64);
    counts
}

fn cases() -> impl Strategy<Value = Case> {
    let channels = [
        r#"{"kind": "iid", "loss_rate": 0}"#,
        r#"{"kind": "trace", "lost": [0, 0, 1, 0, 1]}"#,
        r#"{"kind": "two-state", "p_gb": 0.2, "p_bg": 0.4}"#,
    ];
    let channels = channels.map(|k| serde_json::from_str::<ChannelSpec>(k).unwrap()).to_vec();
    let queue = prop_oneof![
        Just(Discipline::Unlimited),
        (2..5_u64).prop_map(Discipline::DropTail),
        (1..80_u64).prop_map(Discipline::DropTailBits),
    ];
    let toggles = proptest::collection::btree_set(0..400_i64, 0..3).prop_map(|set| {
        // Between ticks at which packets start: at one, ns has the outage first.
        let all: Vec<i64> = set.into_iter().map(|t| 2 * t + 1).collect();
        all[..all.len() / 2 * 2].to_vec()
    });
    let one = (0..300_i64, 0..6_u64, 1..20_u64);
    let pushes = proptest::collection::vec(one, 1..40).prop_map(|mut all| {
        all.sort_unstable();
        let packet = |(when, number, bits)| (2 * when, Packet { number, bits: 2 * bits });
        all.into_iter().map(packet).collect()
    });
    let drop = proptest::collection::vec((0..6_u64, 1..4_u32), 0..3);
    let readings = proptest::collection::btree_set(0..800_i64, 0..5)
        .prop_map(|set| set.into_iter().chain([END]).collect());
    let delay = (0..40_i64).prop_map(|ticks| 2 * ticks);
    let link = (delay, queue, proptest::sample::select(channels), toggles);
    (link, drop, pushes, readings).prop_map(
        |((delay, queue, channel, toggles), drop, pushes, readings)| Case {
            delay,
            queue,
            channel,
            toggles,
            drop,
            pushes,
            readings,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 5_000,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn ns_counts_as_a_hop_does(case in cases()) {
        prop_assert_eq!(case.by_ns2(), case.by_hop());
    }
}

#[test]
fn what_is_not_to_be_counted_is_not() {
    let rate = Rate::try_from("512bps".to_owned()).unwrap();
    let mut hop = Ns2Hop::<Packet>::new(HopConfig::new(rate, Span::ZERO));
    hop.push(
        EventTime::scheduled_before_run(at(1)),
        &mut EventCounter::new(1),
        Packet { number: 0, bits: 8 },
    );
    assert_eq!(hop.counts(at(20)), None);
}
