//! The history of a link by hand, on every kind of hop. 1 Mbit/s and packets of 1000 bits: one per millisecond.

use crate::histories::{counts_of, is_tidy};
use airtcp_core::{EventTime, Instant, Payload, PollResult, Rate, Span, Stage, Stream};
use airtcp_radio::gate::Spec as _;
use airtcp_radio::queue::{QueueSpec, Spec as _};
use airtcp_radio::{
    ArqConfig, EventCounter, GateSpec, HopConfig, Line, LinkCounts, LinkHistory, Ns2Hop, Observed,
};

const MS: u64 = 1_000_000;

/// The flow of a packet, and its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packet(usize, u64);

impl Payload for Packet {
    fn bits(&self) -> u64 {
        self.1
    }
    fn owner(&self) -> usize {
        self.0
    }
}

fn config() -> HopConfig {
    HopConfig::new(Rate::try_from("1Mbps".to_owned()).unwrap(), Span::from_nanos(5_000_000))
}

fn at(nanos: u64) -> Instant {
    Instant::from_nanos(nanos.cast_signed())
}

fn arq(mut config: HopConfig) -> HopConfig {
    config.arq = Some(ArqConfig {
        payload: 500,
        overhead: 0,
        attempts: 3,
        feedback_delay: Span::ZERO,
        feedback_loss: 0.0,
        feedback: Stream::new(1, "feedback", 0),
        in_order: true,
    });
    config
}

fn managed(mut config: HopConfig) -> HopConfig {
    let spec: QueueSpec = serde_json::from_str(r#"{"kind": "drop-tail", "packets": 9}"#).unwrap();
    config.managed = Some(spec.build(Rate::MAX, Stream::new(1, "queue", 0)).unwrap());
    config
}

/// Counts and history of a line until `end` (ns), to which packets come at the given times (ns).
fn on_line(config: HopConfig, pushes: &[(u64, Packet)], end: u64) -> (LinkCounts, LinkHistory) {
    let mut line = Line::new(config);
    line.record_history(true);
    for (now, packet) in pushes {
        while line.due().0 <= at(*now) {
            line.poll(line.due().0);
        }
        line.push(at(*now), *packet);
    }
    while line.due().0 < at(end) {
        line.poll(line.due().0);
    }
    let counts = line.counts(at(end)).unwrap();
    assert!(pushes.is_empty() || line.history_bytes() > 0);
    (counts, line.take_history(at(end)).unwrap())
}

fn on_ns2(config: HopConfig, pushes: &[(u64, Packet)], end: u64) -> (LinkCounts, LinkHistory) {
    let (mut hop, mut scheduled) = (Ns2Hop::<Packet, true>::new(config), EventCounter::new(0));
    hop.record_history(true);
    let wake = |hop: &mut Ns2Hop<Packet, true>, scheduled: &mut EventCounter, until: u64| {
        while hop.due().seconds < EventTime::scheduled_before_run(at(until)).seconds {
            let now = hop.due();
            if !hop.begin(now, scheduled) {
                let _: PollResult<Packet> = hop.poll(now, scheduled);
            }
        }
    };
    for (now, packet) in pushes {
        wake(&mut hop, &mut scheduled, *now);
        let event =
            EventTime { order: scheduled.take(1), ..EventTime::scheduled_before_run(at(*now)) };
        hop.push(event, &mut scheduled, *packet);
    }
    wake(&mut hop, &mut scheduled, end);
    (hop.counts(at(end)).unwrap(), hop.take_history(at(end)).unwrap())
}

/// The history on every kind of hop.
fn on_all(
    make: impl Fn() -> HopConfig,
    pushes: &[(u64, Packet)],
    end: u64,
) -> [(&'static str, LinkHistory); 4] {
    let each = [
        ("plain", on_line(make(), pushes, end)),
        ("transmitter", on_line(managed(make()), pushes, end)),
        ("retransmitting", on_line(arq(make()), pushes, end)),
        ("ns2", on_ns2(make(), pushes, end)),
    ];
    each.map(|(name, (counts, history))| {
        assert!(is_tidy(&history), "{name}: {history:?}");
        assert_eq!(counts_of(&history, end, &counts), counts, "{name}");
        let most = history.queue.iter().map(|one| one[1]).max().unwrap_or(0);
        let longest = history.sojourns.iter().map(|one| one[1]).max().unwrap_or(0);
        assert_eq!(
            (counts.most_packets, counts.longest_sojourn.nanos()),
            (most, longest.cast_signed())
        );
        (name, history)
    })
}

fn five() -> Vec<(u64, Packet)> {
    (0..5).map(|i| (0, Packet(i, 1000))).collect()
}

/// The first is sent at once, and one more every millisecond.
#[test]
fn five_packets_at_once() {
    for (name, history) in on_all(config, &five(), 20 * MS) {
        let queue = [4, 3, 2, 1, 0].map(|left| [(4 - left) * MS, left, 1000 * left]);
        assert_eq!(history.queue, queue, "{name}");
        let sojourns = [0, 1, 2, 3, 4].map(|i| [i * MS, i * MS, i, 1000]);
        assert_eq!(history.sojourns, sojourns, "{name}");
        assert_eq!(history.busy, [[0, 5 * MS]], "{name}");
    }
}

/// The run ends while the third is transmitted: the course of the others was foreseen, and has not happened.
#[test]
fn a_history_ends_with_the_run() {
    for (name, history) in on_all(config, &five(), 5 * MS / 2) {
        assert_eq!(history.queue, [[0, 4, 4000], [MS, 3, 3000], [2 * MS, 2, 2000]], "{name}");
        assert_eq!(history.sojourns.len(), 3, "{name}");
        assert_eq!(history.busy, [[0, 5 * MS / 2]], "{name}");
    }
}

/// The link goes down in the third packet: those that wait are gone, and the transmitter goes on with what it has
/// begun. One that comes later finds nothing before it.
#[test]
fn a_gate_that_cuts() {
    let (down, late) = (9 * MS / 4, 10 * MS);
    let pushes: Vec<_> = five().into_iter().chain([(late, Packet(7, 2000))]).collect();
    let make = || {
        let mut config = config();
        let toggles = serde_json::json!(["2250us", "6ms"]);
        let spec = serde_json::json!({"kind": "schedule", "toggles": toggles, "loses": "all"});
        let spec: GateSpec = serde_json::from_value(spec).unwrap();
        config.gate = Some(spec.build(Stream::new(1, "gate", 0)).unwrap());
        config
    };
    for (name, history) in on_all(make, &pushes, 20 * MS) {
        let queue = [[0, 4, 4000], [MS, 3, 3000], [2 * MS, 2, 2000], [down, 0, 0]];
        assert_eq!(history.queue, queue, "{name}");
        let owners: Vec<u64> = history.sojourns.iter().map(|one| one[2]).collect();
        assert_eq!(owners, [0, 1, 2, 7], "{name}");
        assert_eq!(history.sojourns[3], [late, 0, 7, 2000], "{name}");
        // A link layer that retransmits goes on with the fragment, the others with the packet.
        let begun = if name == "retransmitting" { 5 * MS / 2 } else { 3 * MS };
        assert_eq!(history.busy, [[0, begun], [late, late + 2 * MS]], "{name}");
    }
}

/// A packet that comes as the transmitter becomes free does not wait, and the queue does not change.
#[test]
fn what_waits_for_no_time_leaves_no_record() {
    let pushes = [(0, Packet(0, 1000)), (MS, Packet(1, 1000)), (3 * MS, Packet(2, 1000))];
    for (name, history) in on_all(config, &pushes, 20 * MS) {
        assert!(history.queue.is_empty(), "{name}: {:?}", history.queue);
        assert_eq!(history.busy, [[0, 2 * MS], [3 * MS, 4 * MS]], "{name}");
    }
}

#[test]
fn nothing_is_kept_unless_somebody_asks() {
    let mut line = Line::new(config());
    line.record_counts(true);
    line.push(at(0), Packet(0, 1000));
    assert_eq!((line.history_bytes(), line.take_history(at(MS))), (0, None));
}
