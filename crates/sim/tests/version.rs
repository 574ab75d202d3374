//! The numbers of a few runs, pinned to the model version: whoever changes them raises it.

use airtcp_core::Cancel;
use airtcp_scenario::points;
use airtcp_sim::{MODEL_VERSION, count_names, run};
use serde_json::{Value, json};

/// Columns that came later than these numbers.
const LATER: [&str; 18] = [
    "probes",
    "probe_bits",
    "in_order_bits",
    "delay_median_ns",
    "delay_p95_ns",
    "delay_median_so_far_ns",
    "delay_p95_so_far_ns",
    "delay_least_ns",
    "acked_bits",
    "lost",
    "channel_met",
    "channel_lost",
    "channel_expected_ppm",
    "copies",
    "unfinished_10k",
    "unfinished_100k",
    "unfinished_1m",
    "unfinished_long",
];

/// FNV-1a over every count of every run, without later columns.
fn digest(documents: &[Value]) -> u64 {
    let mut digest = 0xCBF2_9CE4_8422_2325_u64;
    for point in documents.iter().flat_map(|document| points(document).unwrap()) {
        let counts = run(&point, 1, 0, &Cancel::new()).unwrap().unwrap();
        let names = count_names(&point);
        let named = counts.into_iter().zip(names.iter().cycle());
        for (count, _) in named.filter(|(_, name)| !LATER.contains(name)) {
            digest = (digest ^ count.cast_unsigned()).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
    digest
}

#[test]
fn other_numbers_are_another_version() {
    let slots = json!({
        "profile": "zorzi",
        "tcp": {"variant": ["oldtahoe", "tahoe", "reno", "newreno", "sack"]},
        "channel": {"kind": "rayleigh-two-state", "doppler": 0.01, "loss_rate": [0.01, 0.1]},
        "stop": {"slots": 100_000},
    });
    let path = |profile| {
        json!({
            "profile": profile,
            "tcp": {"variant": ["tahoe", "reno", "newreno", "sack"]},
            "path": {"hop": [
                {"rate": "1.5Mbps", "delay": "10ms", "queue": 20},
                {
                    "rate": "0.8Mbps", "delay": "100ms", "queue": 20,
                    "channel": {"kind": "sojourn", "good": "100packets", "bad": "8bits"},
                    "gate": {"kind": "on-off", "up": "5s", "down": "0.3s"},
                },
            ]},
            "flow": [{"count": 2}],
            "stop": {"time": "100s"},
        })
    };
    let slot_clock = json!({
        "profile": "linux",
        "tcp": {"congestion": ["reno", "cubic"]},
        "path": {"hop": [{
            "rate": "5Mbps", "delay": "20ms", "queue": 30,
            "channel": {"kind": "burst", "loss_rate": 0.05, "mean_burst": 4},
        }]},
        "flow": [{"think": {"kind": "fixed", "value": "500ms"}, "sizes": {"kind": "fixed", "value": "2000B"}}, {}],
        "stop": {"time": "20s"},
    });
    let digest = digest(&[slots, path("ns2"), path("rfc"), slot_clock]);
    assert_eq!((MODEL_VERSION, format!("{digest:016x}").as_str()), (8, "3d3cb8cb6a6e5cc1"));
}
