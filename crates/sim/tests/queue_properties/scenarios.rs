//! Random scenarios: queues of every registered kind, with random parameters and limits, under flows both ways.

use crate::queue_properties::trial::Case;
use airtcp_core::RegistryEntry;
use airtcp_radio::QueueSpec;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Nodes that may take part: two hops.
const HOPS: usize = 2;
/// Bytes of the longest packets.
const LONGEST: u32 = 1500;

fn merged(mut value: Value, other: Value) -> Value {
    let (one_keys, other) = (value.as_object_mut().expect("a table"), other);
    one_keys.extend(other.as_object().expect("a table").clone());
    value
}

/// Limits that a kind can have.
fn limits_of(entry: &RegistryEntry) -> BoxedStrategy<Value> {
    match entry.name {
        "ns-red" => (2..40_u32).prop_map(|packets| json!({"packets": packets})).boxed(),
        "dualpi2" => {
            (3000..40_000_u32).prop_map(|bytes| json!({"bytes": format!("{bytes}B")})).boxed()
        }
        _ => limits().boxed(),
    }
}

fn limits() -> impl Strategy<Value = Value> {
    prop_oneof![
        (2..40_u32).prop_map(|packets| json!({"packets": packets})),
        (40..40_000_u32).prop_map(|bytes| json!({"bytes": format!("{bytes}B")})),
    ]
}

/// Parameters of a kind of queue besides its limit.
fn parameters(entry: &RegistryEntry) -> BoxedStrategy<Value> {
    let micros = |time: u32| format!("{time}us");
    match entry.name {
        "drop-tail" | "head-drop" => Just(json!({})).boxed(),
        "codel" => controlled().boxed(),
        "fq-codel" => (controlled(), in_turn())
            .prop_map(|(codel, turns)| merged(codel, turns))
            .boxed(),
        "drr" => in_turn().boxed(),
        "pie" => (100..30_000_u32, 1000..30_000_u32, 0..50_000_u32, any::<[bool; 3]>(), 40..1500_u32)
            .prop_map(move |(target, update, burst, [derandomize, cap, ecn], mean)| {
                json!({
                    "target": micros(target), "update": micros(update), "burst": micros(burst),
                    "derandomize": derandomize, "cap": cap, "ecn": ecn, "mean_packet": format!("{mean}B"),
                })
            })
            .boxed(),
        "red" => (0..20_u32, 1..20_u32, 1..100_u32, 1..1000_u32, any::<[bool; 5]>())
            .prop_map(|(min, more, max_p, weight, [gentle, adaptive, ecn, in_bytes, by_size])| {
                json!({
                    "min": min, "max": min + more, "max_p": f64::from(max_p) / 100.0, "ecn": ecn,
                    "weight": f64::from(weight) / 1000.0, "gentle": gentle, "adaptive": adaptive,
                    "in_bytes": in_bytes, "by_size": by_size,
                })
            })
            .boxed(),
        "ns-red" => (0..20_u32, 1..20_u32, 1..100_u32, 1..1000_u32, any::<[bool; 4]>())
            .prop_map(|(min, more, max_p, weight, [gentle, wait, ecn, by_size])| {
                json!({
                    "min": min, "max": min + more, "max_p": f64::from(max_p) / 100.0, "ecn": ecn,
                    "weight": f64::from(weight) / 1000.0, "gentle": gentle, "wait": wait,
                    "by_size": by_size,
                })
            })
            .boxed(),
        "dualpi2" => (100..30_000_u32, 1000..30_000_u32, 0..5000_u32, 0..5000_u32, any::<bool>())
            .prop_map(move |(target, update, threshold, range, shifted)| {
                json!({
                    "target": micros(target), "update": micros(update),
                    "threshold": micros(threshold), "range": micros(range),
                    "scheduler": if shifted { "ts-fifo" } else { "wrr" },
                })
            })
            .boxed(),
        "token-bucket" => (rates(2), LONGEST..10_000_u32, prop_oneof!["wait", "drop"])
            .prop_map(|(rate, burst, excess)| {
                json!({"rate": rate, "burst": format!("{burst}B"), "excess": excess})
            })
            .boxed(),
        "priority" => prop::collection::vec(0..3_usize, 7)
            .prop_map(|band_of| {
                let band = |band| (0..7).filter(|flow| band_of[*flow] == band).collect::<Vec<_>>();
                json!({"bands": [band(0), band(1)]})
            })
            .boxed(),
        other => panic!("no random parameters of {other}"),
    }
}

fn controlled() -> impl Strategy<Value = Value> {
    (100..20_000_u32, 2..20_u32, 40..3000_u32, any::<bool>()).prop_map(
        |(target, times, mtu, ecn)| {
            json!({
                "target": format!("{target}us"), "interval": format!("{}us", target * times),
                "mtu": format!("{mtu}B"), "ecn": ecn,
            })
        },
    )
}

fn in_turn() -> impl Strategy<Value = Value> {
    (40..3000_u32, 1..16_u32, any::<bool>()).prop_map(|(quantum, flows, hash)| {
        json!({"quantum": format!("{quantum}B"), "flows": flows, "hash": hash})
    })
}

fn queues() -> impl Strategy<Value = Value> {
    let kinds = QueueSpec::ENTRIES.iter().map(|entry| {
        let kind = json!({"kind": entry.name});
        (parameters(entry), limits_of(entry))
            .prop_map(move |(own, limit)| merged(merged(kind.clone(), own), limit))
            .boxed()
    });
    prop::strategy::Union::new(kinds)
}

/// From 100 kbit/s to ten times as much for each further power.
fn rates(powers: u32) -> impl Strategy<Value = String> {
    (10..100_u32, 4..4 + powers).prop_map(|(digits, power)| format!("{digits}e{power}bps"))
}

/// Rates that change within the run, and may be 0 for a while.
fn changing() -> impl Strategy<Value = Value> {
    let rate = prop_oneof![1 => Just("0bps".to_owned()), 4 => rates(3)];
    let rows = prop::collection::btree_map(1..3000_u32, rate, 0..5);
    let end = prop_oneof![Just("hold"), Just("repeat")];
    (rates(3), rows, rates(3), end).prop_map(|(first, rows, last, end)| {
        let row = |at: u32, rate: &String| json!({"at": format!("{at}ms"), "rate": rate});
        let mut values = vec![row(0, &first)];
        values.extend(rows.iter().map(|(at, rate)| row(*at, rate)));
        values.push(row(3000, &last));
        json!({"kind": "steps", "values": values, "end": end})
    })
}

/// A rate, or rates that change.
fn served() -> impl Strategy<Value = Value> {
    prop_oneof![
        2 => rates(3).prop_map(|rate| json!({"rate": rate})),
        1 => changing().prop_map(|rates| json!({"rates": rates})),
    ]
}

fn hops() -> impl Strategy<Value = Value> {
    let losses = prop_oneof![Just(0.0), 0.0..0.05_f64];
    ((served(), served()), 0..20_000_u32, losses, (queues(), queues())).prop_map(
        |((served, back), delay, loss, (queue, queue_back))| {
            let hop = json!({
                "delay": format!("{delay}us"), "queue": queue,
                "channel": {"kind": "iid", "loss_rate": loss},
                "back": merged(back, json!({"queue": queue_back})),
            });
            merged(served, hop)
        },
    )
}

/// A flow of so many packets, or of transfers that arrive or follow each other.
fn amounts() -> impl Strategy<Value = Value> {
    let distribution = |kind: u32| if kind == 0 { "exponential" } else { "uniform" };
    let times = (0..2_u32, 50..500_u32).prop_map(move |(kind, mean)| match distribution(kind) {
        "exponential" => json!({"kind": "exponential", "mean": format!("{mean}ms")}),
        other => json!({"kind": other, "min": "1ms", "max": format!("{}ms", 2 * mean)}),
    });
    let sizes = (100..10_000_u32).prop_map(|mean| {
        json!({"kind": "pareto", "shape": 1.3, "mean": format!("{mean}B"), "max": format!("{}B", 20 * mean)})
    });
    prop_oneof![
        3 => (1..120_u32).prop_map(|packets| json!({"packets": packets})),
        1 => (times, sizes, any::<bool>()).prop_map(|(times, sizes, follow)| {
            let key = if follow { "think" } else { "arrivals" };
            json!({key: times, "sizes": sizes})
        }),
    ]
}

/// Two nodes out of those of `hops` hops.
fn ends(hops: usize) -> impl Strategy<Value = Value> {
    (0..=hops, 1..=hops).prop_map(move |(from, step)| {
        let to = (from + step) % (hops + 1);
        json!({"sender": from.to_string(), "receiver": to.to_string()})
    })
}

fn flows(hops: usize) -> impl Strategy<Value = Value> {
    let own = (prop_oneof!["tahoe", "reno", "newreno", "sack"], any::<bool>(), 1..48_u32);
    (ends(hops), amounts(), own, 0..500_u32).prop_map(|(ends, amount, own, start)| {
        let (variant, ecn, window) = own;
        let tcp = json!({"variant": variant, "ecn": ecn && variant != "tahoe", "window": window});
        merged(merged(ends, amount), json!({"tcp": tcp, "start": format!("{start}ms")}))
    })
}

/// Sources with some number of packets within some number of milliseconds.
fn sources(hops: usize) -> impl Strategy<Value = Value> {
    (ends(hops), 1..200_u32, 1..1000_u32, 40..LONGEST, 0..1000_u32).prop_map(
        |(ends, packets, length, bytes, start)| {
            let rate = f64::from(packets * bytes * 8) / f64::from(length);
            let own = json!({
                "rate": format!("{rate:.3}kbps"), "packet": format!("{bytes}B"),
                "start": format!("{start}ms"), "end": format!("{}ms", start + length),
            });
            merged(ends, own)
        },
    )
}

fn transports() -> impl Strategy<Value = Value> {
    (100..LONGEST, any::<bool>(), 1..11_u32).prop_map(|(packet, delays, initial)| {
        json!({
            "variant": "newreno", "packet": format!("{packet}B"), "ack": "40B", "window": 20,
            "initial_window": initial, "min_rto": "100ms", "max_rto": "2s",
            "delayed_ack": if delays { "100ms" } else { "0s" },
        })
    })
}

/// Bands name flows below `number`.
fn name_existing(hop: &mut Value, number: usize) {
    for place in ["/queue/bands", "/back/queue/bands"] {
        let bands = hop.pointer_mut(place).and_then(Value::as_array_mut);
        for band in bands.into_iter().flatten().filter_map(Value::as_array_mut) {
            band.retain(|flow| flow.as_u64().is_some_and(|flow| flow < number as u64));
        }
    }
}

pub(crate) fn cases() -> impl Strategy<Value = Case> {
    (1..=HOPS).prop_flat_map(|hops| {
        let parts = (
            prop::collection::vec(self::hops(), hops),
            prop::collection::vec(flows(hops), 1..5),
            prop::collection::vec(sources(hops), 0..3),
        );
        (parts, transports(), any::<bool>()).prop_map(|((chain, flows, sources), tcp, plain)| {
            let (mut chain, number) = (chain, flows.len() + sources.len());
            chain.iter_mut().for_each(|hop| name_existing(hop, number));
            let mut document = json!({
                "profile": "rfc", "tcp": tcp, "path": {"hop": chain}, "flow": flows,
                "stop": {"time": "3s"},
            });
            if !sources.is_empty() {
                document["traffic"] = sources.into();
            }
            Case { document, plain }
        })
    })
}
