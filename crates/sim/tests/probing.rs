//! Progress of the variants that probe: whatever the round trip, a transfer ends, and takes about as long as with
//! variants that do not probe.

use airtcp_core::Cancel;
use airtcp_scenario::{PathScenario, Scenario, points};
use airtcp_sim::network::{FlowCounts, run};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

const PLAIN: [&str; 2] = ["tahoe", "reno"];
const PROBING: [&str; 4] = ["tahoe-probing", "reno-probing", "adaptive-probing", "skip-probing"];

fn scenario(document: &Value) -> PathScenario {
    match points(document).unwrap_or_else(|e| panic!("{e}: {document}")).remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => panic!("a profile with a path"),
    }
}

/// `packets` by the rules of `profile` with what `tcp` adds, over one hop and back.
#[derive(Clone, Debug)]
struct Transfer {
    profile: &'static str,
    tcp: Value,
    /// Rate in bit/s.
    rate: u32,
    /// Time of propagation, there and back, in microseconds.
    round_trip: u32,
    /// Loss rate of packets, and of ACKs independently.
    loss_rate: f64,
    packets: u64,
}

impl Transfer {
    fn play(&self, variant: &str, replication: u64) -> FlowCounts {
        let channel = json!({"kind": "iid", "loss_rate": self.loss_rate});
        let mut tcp = self.tcp.clone();
        tcp["variant"] = variant.into();
        let hop = json!({
            "rate": format!("{}bps", self.rate),
            "delay": format!("{}ns", 500 * u64::from(self.round_trip)),
            "queue": 1000,
            "channel": channel,
            "back": {"channel": channel},
        });
        let document = json!({
            "profile": self.profile,
            "tcp": tcp,
            "path": {"hop": [hop]},
            "flow": [{"packets": self.packets, "milestone": self.packets}],
            "stop": {"time": "100000s"},
        });
        run(&scenario(&document), 1, replication, &Cancel::new()).unwrap().unwrap().remove(0)
    }

    /// Seconds until the last packet is acknowledged, on average over the replications.
    fn time(&self, variant: &str, replications: u64) -> f64 {
        let seconds = |replication| {
            let counts = self.play(variant, replication);
            let all = counts.milestone.unwrap_or_else(|| {
                panic!(
                    "{variant} delivers {} with {} probes: {self:?}",
                    counts.acked, counts.probes
                )
            });
            all.seconds()
        };
        (0..replications).map(seconds).sum::<f64>() / replications as f64
    }

    /// Mean time of a transfer with the slower one of Tahoe and Reno.
    fn plain_time(&self, replications: u64) -> f64 {
        PLAIN.map(|variant| self.time(variant, replications)).into_iter().fold(0.0, f64::max)
    }

    /// Every variant that probes takes at most `factor` times as long, and `more` seconds.
    fn check(&self, replications: u64, factor: f64, more: f64) {
        let plain = self.plain_time(replications);
        for variant in PROBING {
            let time = self.time(variant, replications);
            assert!(time <= factor * plain + more, "{variant}: {time} s, not {plain}: {self:?}");
        }
    }
}

fn profiles() -> Vec<(&'static str, Value)> {
    let eager = json!({"initial_rto": "200ms", "min_rto": "200ms"});
    vec![("rfc", json!({})), ("rfc", eager), ("ns2", json!({})), ("bsd", json!({}))]
}

fn hundred(profile: (&'static str, Value), rate: u32, round_trip: u32) -> Transfer {
    let (profile, tcp) = profile;
    Transfer { profile, tcp, rate, round_trip, loss_rate: 0.0, packets: 100 }
}

/// Round trips from 1 ms to 10 s, eight per decade, in microseconds.
fn round_trips() -> impl Iterator<Item = u32> {
    let eighths = [100, 133, 178, 237, 316, 422, 562, 750];
    let decades = [10, 100, 1000, 10_000].into_iter();
    decades.flat_map(move |decade| eighths.map(|n| decade * n)).chain([10_000_000])
}

#[test]
fn a_hundred_packets_take_at_most_twice_as_long_over_any_round_trip() {
    for profile in profiles() {
        for round_trip in round_trips() {
            hundred(profile.clone(), 1_000_000, round_trip).check(1, 2.0, 0.0);
        }
    }
}

/// The answer to a probe comes before the timer expires, but a packet of data takes 12 ms more on the air, and
/// its ACK comes after that.
#[test]
fn nor_where_data_alone_takes_longer_than_the_timer() {
    for round_trip in (940_000..=1_000_000).step_by(2000) {
        hundred(("rfc", json!({})), 1_000_000, round_trip).check(1, 2.0, 0.0);
    }
}

/// Means of 6 replications.
#[test]
fn nor_where_packets_and_acks_are_lost() {
    for profile in profiles() {
        for round_trip in round_trips().step_by(4) {
            let transfer = hundred(profile.clone(), 1_000_000, round_trip);
            Transfer { loss_rate: 0.02, ..transfer }.check(6, 2.0, 0.0);
        }
    }
}

/// A cycle or two teach the timer the round trip. (BSD's forgets its margin again, on a clock of half seconds.)
#[test]
fn nothing_is_taken_for_lost_once_the_timer_knows_the_round_trip() {
    for profile in profiles().into_iter().filter(|(name, _)| *name != "bsd") {
        for round_trip in round_trips() {
            let short = hundred(profile.clone(), 1_000_000, round_trip);
            let long = Transfer { packets: 400, ..short.clone() };
            for variant in PROBING {
                let cycles = [&short, &long].map(|transfer| transfer.play(variant, 0).timeouts);
                assert!(cycles[0] <= 2 && cycles[0] == cycles[1], "{variant} {cycles:?}: {long:?}");
            }
        }
    }
}

fn transfer() -> impl Strategy<Value = Transfer> {
    let profile = proptest::sample::select(profiles());
    let octaves = |least: u32, n: u32| (least..2 * least, 0..n).prop_map(|(x, k)| x << k);
    let round_trip = octaves(1000, 14).prop_map(|x| x.min(10_000_000));
    let losses = prop_oneof![2 => Just(0.0), 1 => 0.0..0.3];
    (profile, octaves(20_000, 9), round_trip, losses, 1..200_u64).prop_map(
        |(profile, rate, round_trip, loss_rate, packets)| Transfer {
            loss_rate,
            packets,
            ..hundred(profile, rate, round_trip)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        // PROPTEST_CASES asks for more.
        cases: ProptestConfig::default().cases.max(256),
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Short ones may wait for two cycles of two round trips each, which is what BSD's timer needs to know a
    /// round trip.
    #[test]
    fn a_finite_transfer_ends(transfer in transfer()) {
        if transfer.loss_rate > 0.0 {
            PROBING.iter().for_each(|variant| _ = transfer.time(variant, 1));
        } else {
            let packet = 12_000.0 / f64::from(transfer.rate);
            let round_trip = f64::from(transfer.round_trip) / 1e6 + packet;
            transfer.check(1, 2.0, 4.0 * round_trip);
        }
    }
}
