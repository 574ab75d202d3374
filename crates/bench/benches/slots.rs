//! Transmission slots per second of the real sender over the slot loop.

use airtcp_core::Cancel;
use airtcp_sim::slot::run;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn slots(c: &mut Criterion) {
    let never = Cancel::new();
    let mut group = c.benchmark_group("slots");
    for (name, variant, loss) in
        [("newreno", "newreno", 0.01), ("tahoe", "tahoe", 0.01), ("newreno-lossy", "newreno", 0.1)]
    {
        let document = serde_json::json!({
            "profile": "zorzi",
            "tcp": {"variant": variant, "window": 24},
            "channel": {"kind": "iid", "loss_rate": loss},
            "stop": {"slots": 1_000_000, "replications": 1},
        });
        let scenario = airtcp_scenario::points(&document).unwrap().remove(0);
        let scenario = scenario.slot().expect("a profile on slots");
        let sent = run(scenario, 1, 0, &never).unwrap().unwrap()[0].transmissions;
        group.throughput(Throughput::Elements(sent));
        group.bench_function(name, |b| b.iter(|| run(scenario, 1, 0, &never).unwrap()));
    }
    group.finish();
}

criterion_group!(benches, slots);
criterion_main!(benches);
