//! Packets of 32 bytes at 1.5 Mbit/s, one after the other, over Rayleigh fading: bits on the air per second.

use airtcp_core::{Instant, Span, Stream};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::{Channel, ChannelSpec, Fate, Process, Transmission};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const PACKETS: u64 = 100_000;
const BITS: u64 = 256;
/// Nanoseconds of a bit at 1.5 Mbit/s, times three.
const THREE_BITS: u64 = 2000;

/// Sends packets from `now` on; returns how many are lost, and when the last one ends.
fn drive(channel: &mut Process, mut now: Instant, airtime: Span) -> (u64, Instant) {
    let mut lost = 0;
    for _ in 0..PACKETS {
        let end = now + airtime;
        lost += u64::from(
            channel.fate_of(Transmission { start: now, end, bits: BITS }) == Fate::Erased,
        );
        now = end;
    }
    (lost, now)
}

fn fading(c: &mut Criterion) {
    let mut group = c.benchmark_group("fading");
    let mut bench = |name: &str, json: &str| {
        let spec: ChannelSpec = serde_json::from_str(json).unwrap();
        let bits = spec.bits_on_air(BITS);
        let airtime = Span::from_nanos((bits * THREE_BITS / 3).cast_signed());
        let mut channel = spec.build(airtime, Stream::new(1, "bench", 0)).unwrap();
        let mut now = Instant::START;
        group.throughput(Throughput::Elements(PACKETS * bits));
        group.bench_function(name, |b| {
            b.iter(|| {
                let (lost, end) = drive(&mut channel, now, airtime);
                now = end;
                lost
            });
        });
    };
    let uncoded = |snr: u32, mode: &str| {
        format!(r#"{{"kind": "rayleigh", "snr": "{snr}dB", "doppler": "10Hz", "mode": "{mode}"}}"#)
    };
    let coded = |mode: &str| uncoded(10, mode).replace("}", r#", "code": "bch(255,87)"}"#);
    bench("bits, 10 dB", &uncoded(10, "bits"));
    bench("bits, 10 dB, coded", &coded("bits"));
    bench("fast, 20 dB", &uncoded(20, "fast"));
    bench("fast, 10 dB", &uncoded(10, "fast"));
    bench("fast, 10 dB, coded", &coded("fast"));
    group.finish();
}

criterion_group!(benches, fading);
criterion_main!(benches);
