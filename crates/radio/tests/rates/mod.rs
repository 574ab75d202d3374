//! Rates that change with time, beside a plain reference: an integral over the rows, in whole numbers. `AIRTCP_PROPERTIES=100000` asks for
//! so many random links.

mod autoregressive;
mod by_hand;
mod constant;
mod plain;
mod properties;

use airtcp_core::{Instant, Payload, PollResult, Rate, Span, Stage, Stream};
use airtcp_radio::gate::Spec as _;
use airtcp_radio::rates::Spec as _;
use airtcp_radio::{GateSpec, HopConfig, Line, Observed, Rates, RatesSpec};
use proptest::prelude::*;

/// A packet: when it was pushed, its length, and when it was on the air, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Packet {
    pushed: i64,
    bits: u64,
    on_air: Option<(i64, i64)>,
}

impl Payload for Packet {
    fn bits(&self) -> u64 {
        self.bits
    }
    fn on_transmission(&mut self, start: Instant, end: Instant) {
        self.on_air = Some((start.nanos(), end.nanos()));
    }
}

/// Rows of (ns, bit/s), and what happens at their end.
fn rates(rows: &[(i64, u64)], end: &str) -> Rates {
    let values: Vec<_> = rows
        .iter()
        .map(|row| serde_json::json!({"at": format!("{}ns", row.0), "rate": format!("{}bps", row.1)}))
        .collect();
    let spec = serde_json::json!({"kind": "steps", "values": values, "end": end});
    let spec: RatesSpec = serde_json::from_value(spec).unwrap();
    spec.build(Stream::new(1, "rates", 0)).unwrap()
}

fn gate(toggles: &[i64], loses: &str) -> Option<airtcp_radio::GateProcess> {
    let toggles: Vec<String> = toggles.iter().map(|t| format!("{t}ns")).collect();
    let spec = serde_json::json!({"kind": "schedule", "toggles": toggles, "loses": loses});
    let spec: GateSpec = serde_json::from_value(spec).unwrap();
    (!toggles.is_empty()).then(|| spec.build(Stream::new(1, "gate", 0)).unwrap())
}

fn hop(rates: Rates) -> HopConfig {
    let mean = Rate::from_bits_per_second(1e6).unwrap();
    HopConfig { rates: Some(rates), ..HopConfig::new(mean, Span::ZERO) }
}

/// Packets of `pushes`, (ns, bits), that were sent, in the order of transmission, and the number lost.
fn sent(config: HopConfig, pushes: &[(i64, u64)], end: i64) -> (Vec<Packet>, u64) {
    let (mut line, mut out) = (Line::new(config), Vec::new());
    line.record_counts(true);
    let mut wake = |line: &mut Line<Packet>, until: i64| {
        while line.due().0.nanos() <= until {
            let now = line.due().0;
            while let PollResult::Out(packet) = line.poll(now) {
                out.push(packet);
            }
        }
    };
    for &(now, bits) in pushes {
        wake(&mut line, now);
        line.push(Instant::from_nanos(now), Packet { pushed: now, bits, on_air: None });
    }
    wake(&mut line, end);
    line.poll(Instant::from_nanos(end));
    out.sort_by_key(|packet| packet.on_air);
    (out, line.counters().total())
}

#[expect(clippy::disallowed_methods, reason = "how many cases is asked for from outside")]
fn settings(cases: u32) -> ProptestConfig {
    let asked = std::env::var("AIRTCP_PROPERTIES").ok().and_then(|said| said.parse().ok());
    let rng_seed = proptest::test_runner::RngSeed::Fixed(1);
    let cases = asked.unwrap_or(cases);
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}
