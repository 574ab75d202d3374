//! Packets per second on a path, with metrics on: the scenarios of bench/peers.

use airtcp_core::Cancel;
use airtcp_scenario::{Scenario, points};
use airtcp_sim::network::{run, trace};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};

fn lossy(variant: &str) -> Value {
    json!({
        "profile": "ns2",
        "tcp": {"variant": variant, "window": 24, "packet": "1360B"},
        "path": {"hop": [{
            "rate": "1.5Mbps", "delay": "1ms", "queue": 50,
            "channel": {"kind": "iid", "loss_rate": 0.01},
        }]},
        "stop": {"time": "2000s"},
    })
}

fn clean(flows: u32) -> Value {
    json!({
        "profile": "ns2",
        "tcp": {"variant": "reno", "window": 50, "packet": "1024B"},
        "path": {"hop": [
            {"rate": format!("{}kbps", 1500 * flows), "delay": "10ms", "queue": 50 * flows},
            {"rate": format!("{}kbps", 800 * flows), "delay": "100ms", "queue": 50 * flows},
        ]},
        "flow": [{"count": flows}],
        "stop": {"time": format!("{}s", 4000 / flows)},
    })
}

fn linux(control: &str) -> Value {
    json!({
        "profile": "linux",
        "tcp": {"congestion": control},
        "path": {"hop": [{
            "rate": "50Mbps", "delay": "20ms", "queue": 200,
            "channel": {"kind": "iid", "loss_rate": 0.01},
        }]},
        "stop": {"time": if control == "bbr" { "150s" } else { "1000s" }},
    })
}

fn packets(c: &mut Criterion) {
    let never = Cancel::new();
    let mut group = c.benchmark_group("packets");
    group.sample_size(20);
    let cases = [
        ("lossy", lossy("newreno")),
        ("lossy-sack", lossy("sack")),
        ("clean", clean(1)),
        ("clean-100-flows", clean(100)),
        ("linux-cubic", linux("cubic")),
        ("linux-bbr", linux("bbr")),
    ];
    for (name, document) in cases {
        let Scenario::Path(scenario) = points(&document).unwrap().remove(0) else {
            unreachable!("a profile with a path")
        };
        let sent: u64 = run(&scenario, 1, 0, &never).unwrap().unwrap().iter().map(|f| f.sent).sum();
        group.throughput(Throughput::Elements(sent));
        group.bench_function(name, |b| b.iter(|| run(&scenario, 1, 0, &never).unwrap()));
        group.bench_function(format!("{name}-traced"), |b| {
            b.iter(|| trace(&scenario, 1, 0, &never).unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, packets);
criterion_main!(benches);
