//! What holds of every registered queue, with jitter and duplication.

use crate::histories::{counts_of, is_tidy};
use crate::{Packet, at, settings};
use airtcp_core::{Next, Rate, Span, Stage, Stream};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::gate::Spec as _;
use airtcp_radio::queue::{DropTail, HeadDrop, Spec as _};
use airtcp_radio::{
    Cause, ChannelSpec, Duplication, GateSpec, HopConfig, Jitter, LawSpec, LinkCounts, Lost,
    QueueSpec, Transmitter,
};
use proptest::prelude::*;

const END: i64 = 100_000;

/// Examples of every registered kind, each with its limits in packets and in bits.
const QUEUES: [(&str, Option<u64>, Option<u64>); 4] = [
    (r#"{"kind": "drop-tail", "packets": 4}"#, Some(4), None),
    (r#"{"kind": "drop-tail", "bytes": "4B"}"#, None, Some(32)),
    (r#"{"kind": "head-drop", "packets": 3}"#, Some(3), None),
    (r#"{"kind": "head-drop", "bytes": "4B"}"#, None, Some(32)),
];

#[derive(Clone, Debug)]
struct Case {
    queue: usize,
    jitter: Option<LawSpec>,
    reorder: bool,
    duplicate: f64,
    channel: ChannelSpec,
    toggles: Vec<i64>,
    loses: &'static str,
    drop: Vec<(u64, u32)>,
    seed: u64,
    pushes: Vec<(i64, Packet)>,
}

/// A packet that left the transmitter or the queue: when, itself, and to what it was lost, if it was.
type Left = (i64, Packet, Option<Cause>);

impl Case {
    fn line(&self) -> Transmitter<Packet> {
        let stream = |name: &str| Stream::new(self.seed, name, 0);
        let queue: QueueSpec = serde_json::from_str(QUEUES[self.queue].0).unwrap();
        let toggles: Vec<String> = self.toggles.iter().map(|t| format!("{t}ns")).collect();
        let gate = serde_json::json!({"kind": "schedule", "toggles": toggles, "loses": self.loses});
        let gate: GateSpec = serde_json::from_value(gate).unwrap();
        let duplication = Duplication::new(self.duplicate, stream("duplicate"));
        let rate = Rate::try_from("1Gbps".to_owned()).unwrap();
        let mut line = Transmitter::new(HopConfig {
            managed: Some(queue.build(stream("queue")).unwrap()),
            jitter: self.jitter.as_ref().map(|law| Jitter::new(law, stream("jitter")).unwrap()),
            reorder: self.reorder,
            duplication: (self.duplicate > 0.0).then_some(duplication),
            channel: self.channel.build(Span::from_nanos(10), stream("channel")).unwrap(),
            gate: (!self.toggles.is_empty()).then(|| gate.build(stream("gate")).unwrap()),
            drop: self.drop.clone(),
            ..HopConfig::new(rate, Span::from_nanos(20))
        });
        line.record_losses(true);
        line.record_history(true);
        line
    }

    /// What left, in the order in which that was learnt of; `check` sees the line after every push.
    fn run(
        &self,
        promptly: bool,
        mut check: impl FnMut(&mut Transmitter<Packet>, &[Left], i64),
    ) -> Vec<Left> {
        let (mut line, mut left) = (self.line(), Vec::new());
        let mut step = |line: &mut Transmitter<Packet>, now: i64, packet: Option<Packet>| {
            while line.due().0 <= at(now) {
                let now = if promptly { line.due().0 } else { at(now) };
                while let Next::Out(packet) = line.poll(now) {
                    left.push((now.nanos(), packet, None));
                }
            }
            packet.into_iter().for_each(|packet| line.push(at(now), packet));
            while let Some(Lost { at, payload, cause }) = line.take_lost() {
                left.push((at.nanos(), payload, Some(cause)));
            }
            check(line, &left, now);
        };
        self.pushes.iter().for_each(|(now, packet)| step(&mut line, *now, Some(*packet)));
        step(&mut line, END, None);
        left
    }

    fn is_up(&self, now: i64) -> bool {
        self.toggles.iter().filter(|t| **t <= now).count() % 2 == 0
    }

    /// When a packet came.
    fn came(&self, packet: &Packet) -> i64 {
        self.pushes[packet.id].0
    }

    /// The instants at which something changes.
    fn instants(&self, left: &[Left]) -> Vec<i64> {
        let on_air = left.iter().filter_map(|one| one.1.on_air).flat_map(|(s, e)| [s, e]);
        let all = self.pushes.iter().map(|p| p.0).chain(left.iter().map(|one| one.0));
        let mut all: Vec<i64> = all.chain(on_air).chain(self.toggles.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Those that wait at `now`, once everything of that instant has happened: their bits.
    fn waiting(&self, left: &[Left], now: i64) -> Vec<u64> {
        let until = |one: &&Left| one.1.on_air.map_or(one.0, |on_air| on_air.0);
        let waits = |one: &&Left| self.came(&one.1) <= now && now < until(one);
        let mut found: Vec<(usize, u64)> =
            left.iter().filter(waits).map(|one| (one.1.id, one.1.bits)).collect();
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|one| one.1).collect()
    }
}

fn volumes(counts: &LinkCounts) -> (u64, u64, u64) {
    let came = counts.offered.packets + counts.duplicated.packets;
    (came, counts.delivered.packets, counts.lost.total())
}

fn cases() -> impl Strategy<Value = Case> {
    let laws = [
        r#"{"kind": "uniform", "min": "0ns", "max": "60ns"}"#,
        r#"{"kind": "exponential", "mean": "15ns"}"#,
        r#"{"kind": "values", "values": ["0ns", "40ns", "5ns"]}"#,
    ];
    let laws = laws.map(|law| serde_json::from_str::<LawSpec>(law).unwrap()).to_vec();
    let jitter = proptest::option::weighted(0.7, proptest::sample::select(laws));
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
            (time * 5, Packet { id, number, bits: size * 5, on_air: None })
        };
        all.into_iter().enumerate().map(packet).collect()
    });
    let wire = (jitter, any::<bool>(), prop_oneof![Just(0.0), Just(0.3), Just(1.0)]);
    let drop = proptest::collection::vec((0..6_u64, 1..4_u32), 0..3);
    let channel = proptest::sample::select(channels);
    let gate = (toggles, loses);
    (0..QUEUES.len(), wire, channel, gate, drop, any::<u64>(), pushes).prop_map(
        |(queue, (jitter, reorder, duplicate), channel, (toggles, loses), drop, seed, pushes)| {
            // A list that ends in an outage would hold packets for ever.
            let mut toggles: Vec<i64> = toggles.into_iter().collect();
            toggles.truncate(toggles.len() / 2 * 2);
            Case { queue, jitter, reorder, duplicate, channel, toggles, loses, drop, seed, pushes }
        },
    )
}

#[test]
fn every_registered_queue_has_an_example() {
    for entry in QueueSpec::ENTRIES {
        let is_it = |json: &str| serde_json::from_str::<QueueSpec>(json).unwrap().entry() == entry;
        assert!(QUEUES.iter().any(|one| is_it(one.0)), "{}", entry.name);
    }
}

proptest! {
    #![proptest_config(settings(2_000))]

    /// Packets and bits that came or were duplicated were delivered, lost, or are held.
    #[test]
    fn nothing_is_lost_without_a_cause(case in cases()) {
        let mut fault = None;
        let left = case.run(true, |line, left, now| {
            let counts = line.counts(at(now)).unwrap();
            let (came, delivered, lost) = volumes(&counts);
            let seen = left.iter().filter(|one| one.2.is_none()).count() as u64;
            if came != delivered + lost + line.held() as u64 || counts.lost != line.counters()
                || delivered != seen || delivered + lost != left.len() as u64
            {
                fault = Some((counts, line.held(), left.len()));
            }
        });
        prop_assert_eq!(fault, None);
        let copies = |id: usize| left.iter().filter(|one| one.1.id == id).count();
        for (_, packet) in &case.pushes {
            let found = copies(packet.id);
            prop_assert!(found == 1 || found == 2 && case.duplicate > 0.0, "{:?}", packet);
        }
        let bits: u64 = left.iter().map(|one| one.1.bits).sum();
        let mut counted = None;
        case.run(true, |line, _, now| counted = line.counts(at(now)));
        let counts = counted.unwrap();
        prop_assert_eq!(counts.offered.bits + counts.duplicated.bits, bits);
        let out: u64 = left.iter().filter(|one| one.2.is_none()).map(|one| one.1.bits).sum();
        prop_assert_eq!(counts.delivered.bits, out);
        prop_assert_eq!(counts.lost_bits, bits - out);
    }

    /// What was counted follows from the history.
    #[test]
    fn a_history_adds_up_to_the_counts(case in cases(), promptly: bool) {
        let mut found = None;
        case.run(promptly, |line, _, now| {
            if now == END {
                found = Some((line.counts(at(now)).unwrap(), line.take_history(at(now)).unwrap()));
            }
        });
        let (counts, history) = found.unwrap();
        prop_assert!(is_tidy(&history), "{:?}", history);
        prop_assert_eq!(counts_of(&history, END.unsigned_abs(), &counts), counts);
    }

    /// Both kinds are first in, first out: transmissions start in the order of arrival, and nothing overtakes unless it may;
    /// what arrives at one instant does so in the order of transmission.
    #[test]
    fn order_is_kept(case in cases()) {
        let left = case.run(true, |_, _, _| {});
        let mut starts: Vec<(i64, usize)> =
            left.iter().filter_map(|one| Some((one.1.on_air?.0, one.1.id))).collect();
        starts.sort_unstable();
        prop_assert!(starts.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{:?}", starts);
        let out: Vec<&Left> = left.iter().filter(|one| one.2.is_none()).collect();
        let follows = |a: &Left, b: &Left| a.0 < b.0 && case.reorder || a.1.id <= b.1.id;
        prop_assert!(out.windows(2).all(|pair| follows(pair[0], pair[1])), "{:?}", out);
    }

    /// The transmitter sends one packet after the other, is never idle while a packet waits and the link is up, and never
    /// has more wait than the limit says.
    #[test]
    fn it_works_while_there_is_work_and_keeps_the_limit(case in cases()) {
        let left = case.run(true, |_, _, _| {});
        let mut on_air: Vec<(i64, i64)> = left.iter().filter_map(|one| one.1.on_air).collect();
        on_air.sort_unstable();
        on_air.dedup();
        prop_assert!(on_air.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{:?}", on_air);
        let (_, packets, bits) = QUEUES[case.queue];
        for now in case.instants(&left) {
            let waiting = case.waiting(&left, now);
            let is_busy = on_air.iter().any(|(start, end)| *start <= now && now < *end);
            prop_assert!(is_busy || waiting.is_empty() || !case.is_up(now), "idle at {}", now);
            let fits = packets.is_none_or(|limit| (waiting.len() as u64) < limit)
                && bits.is_none_or(|limit| waiting.len() == 1 || waiting.iter().sum::<u64>() <= limit);
            prop_assert!(fits, "{:?} at {}", waiting, now);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_and_polling_late_changes_no_fate(case in cases()) {
        let prompt = case.run(true, |_, _, _| {});
        prop_assert_eq!(&prompt, &case.run(true, |_, _, _| {}));
        let fates = |left: Vec<Left>| {
            let mut all: Vec<_> = left.into_iter().map(|(at, packet, cause)| {
                (packet.id, packet.on_air, cause, cause.map(|_| at))
            }).collect();
            all.sort_unstable();
            all
        };
        prop_assert_eq!(fates(prompt), fates(case.run(false, |_, _, _| {})));
    }
}

#[test]
fn a_limit_is_in_packets_or_in_bytes() {
    let build = |packets, bytes: Option<&str>| {
        let bytes = bytes.map(|text| text.to_owned().try_into().unwrap());
        let built = [
            DropTail { packets, bytes }.build(Stream::new(1, "", 0)),
            HeadDrop { packets, bytes }.build(Stream::new(1, "", 0)),
        ];
        built.map(|one| one.map_err(|error| error.field).err())
    };
    assert_eq!(build(Some(2), None), [None, None]);
    assert_eq!(build(None, Some("2B")), [None, None]);
    assert_eq!(build(None, None), [Some("packets".into()), Some("packets".into())]);
    assert_eq!(build(Some(2), Some("2B")), [Some("bytes".into()), Some("bytes".into())]);
}
