//! One packet through one hop: a push and the poll that hands it out; through a hop that foresees it, and through the general
//! transmitter.

use airtcp_core::{Instant, Payload, PollResult, Rate, Span, Stage, Stream};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::gate::Spec as _;
use airtcp_radio::queue::Spec as _;
use airtcp_radio::{
    ChannelSpec, Discipline, DistributionSpec, GateSpec, Hop, HopConfig, Jitter, Observed,
    QueueSpec, Transmitter,
};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

#[derive(Clone, Copy)]
struct Packet(u64);

impl Payload for Packet {
    fn bits(&self) -> u64 {
        8192
    }
    fn number(&self) -> Option<u64> {
        Some(self.0)
    }
}

const PACKETS: u64 = 10_000;

fn config() -> HopConfig {
    let rate = Rate::try_from("1.5Mbps".to_owned()).unwrap();
    HopConfig::new(rate, Span::from_nanos(100_000_000))
}

/// Sends packets so that 15 or so are under way; returns how many arrive.
fn drive<S: Stage<Packet>>(mut hop: S, due: impl Fn(&S) -> Instant) -> u64 {
    let gap = Span::from_nanos(6_000_000);
    let (mut now, mut arrived) = (Instant::START, 0);
    for number in 0..PACKETS {
        while due(&hop) <= now {
            let at = due(&hop);
            match hop.poll(at) {
                PollResult::Out(packet) => arrived += u64::from(black_box(packet).0 < PACKETS),
                PollResult::Wait(_) | PollResult::Idle => {}
            }
        }
        hop.push(now, Packet(number));
        now = now + gap;
    }
    arrived
}

fn hops(c: &mut Criterion) {
    let channel = |json: &str| -> ChannelSpec { serde_json::from_str(json).unwrap() };
    let slot = Span::from_nanos(5_461_333);
    let lossy = |json: &str| HopConfig {
        channel: channel(json).build_unslotted(slot, Stream::new(1, "bench", 0)).unwrap(),
        ..config()
    };
    let gated = || HopConfig {
        gate: serde_json::from_str::<GateSpec>(r#"{"kind": "on-off", "up": "2s", "down": "0.3s"}"#)
            .map(|gate| gate.build(Stream::new(1, "gate", 0)).unwrap())
            .ok(),
        ..config()
    };
    let mut group = c.benchmark_group("hop");
    group.throughput(Throughput::Elements(PACKETS));
    let mut bench = |name: &str, make: &dyn Fn() -> HopConfig| {
        group.bench_function(name, |b| b.iter(|| drive(Hop::new(make()), |hop| hop.due().0)));
    };
    bench("clean", &config);
    bench("drop-tail", &|| HopConfig { queue: Discipline::DropTail(50), ..config() });
    bench("iid", &|| lossy(r#"{"kind": "iid", "loss_rate": 0.01}"#));
    bench("sojourn", &|| lossy(r#"{"kind": "sojourn", "good": "100packets", "bad": "8bits"}"#));
    bench("gate", &gated);
    group.finish();

    let distribution = |json: &str| {
        let distribution: DistributionSpec = serde_json::from_str(json).unwrap();
        Some(Jitter::new(&distribution, Stream::new(1, "jitter", 0)).unwrap())
    };
    let uniform = || distribution(r#"{"kind": "uniform", "min": "0ms", "max": "20ms"}"#);
    let head_drop = || {
        let queue: QueueSpec =
            serde_json::from_str(r#"{"kind": "head-drop", "packets": 50}"#).unwrap();
        Some(queue.build(Rate::MAX, Stream::new(1, "queue", 0)).unwrap())
    };
    let mut group = c.benchmark_group("transmitter");
    group.throughput(Throughput::Elements(PACKETS));
    let mut bench = |name: &str, counting: bool, make: &dyn Fn() -> HopConfig| {
        group.bench_function(name, |b| {
            b.iter(|| {
                let mut line = Transmitter::new(make());
                line.record_counts(counting);
                drive(line, |line| line.due().0)
            });
        });
    };
    let drop_tail = || HopConfig { queue: Discipline::DropTail(50), ..config() };
    bench("drop-tail", false, &drop_tail);
    bench("drop-tail counted", true, &drop_tail);
    bench("head-drop", false, &|| HopConfig { managed: head_drop(), ..config() });
    bench("jitter", false, &|| HopConfig { jitter: uniform(), ..drop_tail() });
    bench("reorder", false, &|| HopConfig { jitter: uniform(), reorder: true, ..drop_tail() });
    group.finish();
}

criterion_group!(benches, hops);
criterion_main!(benches);
