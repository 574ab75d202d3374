//! Our stack on the wire, over the path of a scenario in logical time, compared with the simulator.
//!
//! Both ends on the wire have a handshake before the data, and a FIN in the last segment. Apart from that the sender
//! and the receiver are the same, and so are the phases and losses of the path, as long as the handshake meets no loss.
//! So everything is equal to the nanosecond, which is a stronger test than any interval.

mod linux;
mod replayed;
mod run;
mod simulator;
mod wire;

use airtcp_scenario::{PathScenario, PathTcp};
use airtcp_tcp::{CongestionSpec, Detection, Reduction, RuleSource, Spurious, Variant};
use run::{Run, Sent, beside_traffic, distant, forced, lahanas, payload, rfc};
use simulator::simulated;
use wire::on_the_wire;

const PROTOCOLS: [&str; 6] =
    ["tahoe", "tahoe-probing", "reno", "reno-probing", "adaptive-probing", "skip-probing"];
/// Variants whose names in the table of reference cells lack "-probing".
const RENAMED: [&str; 2] = ["adaptive-probing", "skip-probing"];
/// Replications per cell. With seed 1 no channel interrupts the handshake of any of them.
const RUNS: u64 = 10;

/// Removes the number that the FIN takes after the last byte.
fn without_fin(run: &mut Run, payload: u64) {
    for (_, sent) in &mut run.sent[1] {
        if let Sent::Ack { next } | Sent::Answer { next, .. } = sent {
            *next = (*next).min(payload);
        }
    }
}

/// Runs both; the wire's.
fn compare(scenario: &PathScenario, replication: u64, message: &str) -> Run {
    let mut wire = on_the_wire(scenario, 1, replication);
    without_fin(&mut wire, payload(scenario));
    assert_equal(&wire, &simulated(scenario, 1, replication), message);
    wire
}

fn assert_equal(wire: &Run, simulated: &Run, message: &str) {
    for end in [0, 1] {
        for (i, pair) in wire.sent[end].iter().zip(&simulated.sent[end]).enumerate() {
            assert_eq!(pair.0, pair.1, "{message}: segment {i} of end {end}");
        }
        assert_eq!(wire.sent[end].len(), simulated.sent[end].len(), "{message}: end {end}");
    }
    assert_eq!(wire.end, simulated.end, "{message}");
}

#[test]
fn without_errors_a_transfer_takes_12_797_seconds() {
    for protocol in PROTOCOLS {
        let scenario = lahanas(protocol, 0.0);
        let run = on_the_wire(&scenario, 1, 0);
        assert_eq!(format!("{:.3}", run.time().seconds()), "12.797", "{protocol}");
        let overhead = 100.0 * run.overhead(payload(&scenario));
        assert_eq!(format!("{overhead:.4}"), "1.4107", "{protocol}");
        assert_eq!(run.probes(), 0, "{protocol}");
    }
}

#[test]
fn every_segment_of_both_ends_is_that_of_the_simulator() {
    for protocol in PROTOCOLS {
        for loss_rate in [0.0, 0.33, 0.99] {
            let scenario = lahanas(protocol, loss_rate);
            let runs = (0..RUNS).map(|replication| {
                let message = format!("{protocol}, {loss_rate}, replication {replication}");
                compare(&scenario, replication, &message)
            });
            let runs: Vec<Run> = runs.collect();
            let probes = runs.iter().any(|run| run.probes() > 0);
            assert_eq!(probes, loss_rate > 0.0 && protocol.ends_with("probing"), "{protocol}");
            if let Some((mean, sd)) = reference(protocol, 100.0 * loss_rate) {
                let time = runs.iter().map(|run| run.time().seconds()).sum::<f64>() / RUNS as f64;
                let margin = 3.0 * sd * (1.0 / RUNS as f64 + 1.0 / 200.0).sqrt() + 0.03 * mean;
                assert!((time - mean).abs() <= margin, "{protocol}, {loss_rate}: {time} s, {mean}");
            }
        }
    }
}

/// Mean and standard deviation of the time of 200 runs in an independent implementation, for On phases of
/// 1 s. A mean of other runs lies within three standard errors (confidence 99.7 %) and 3 % [lahanas
/// reading, section 4].
fn reference(protocol: &str, percent: f64) -> Option<(f64, f64)> {
    let table = include_str!("../../../../python/airtcp/data/lahanas_reference.csv");
    let name = if RENAMED.contains(&protocol) { &protocol[..protocol.len() - 8] } else { protocol };
    let rows = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let mut cells = rows.filter(|row| row.len() > 6 && row[0] == "1" && row[2] == name);
    let row = cells.find(|row| row[3].parse() == Ok(percent))?;
    Some((row[5].parse().expect("a mean"), row[6].parse().expect("a deviation")))
}

#[test]
fn the_rules_of_the_rfcs_are_the_same_on_the_wire() {
    for variant in Variant::with_rules_of(RuleSource::Rfc) {
        // Controls that go by marks are refused: our own TCP of the RFCs has no ECN on a wire.
        for growth in CongestionSpec::every().filter(|growth| !growth.counts_marks()) {
            for &spurious in Spurious::ALL {
                if spurious != Spurious::None && variant.capabilities().probes {
                    continue;
                }
                let scenario = rfc(variant.name(), growth.name(), spurious.name());
                for replication in 0..3 {
                    let message = format!("{variant:?}, {growth:?}, {spurious:?}, {replication}");
                    compare(&scenario, replication, &message);
                }
            }
        }
    }
}

/// The packets are counted on the wire as in the simulator; probes and their answers are not.
#[test]
fn forced_losses_are_the_same_on_the_wire() {
    for variant in Variant::with_rules_of(RuleSource::Rfc) {
        let scenario = forced(variant.name());
        let run = compare(&scenario, 0, &format!("{variant:?}"));
        let firsts = payload(&scenario) / scenario.first_tcp().numbers_per_packet();
        assert!(run.sent[0].len() as u64 >= firsts + 8, "{variant:?}: all were sent again");
    }
}

/// The timers of such a detection are the sender's own, so that the stack has them too.
#[test]
fn a_detection_by_times_is_the_same_on_the_wire() {
    for reduction in Reduction::every() {
        let mut scenario = forced("sack");
        let PathTcp::Rfc(tcp) = &mut scenario.tcp else { panic!("{scenario:?}") };
        tcp.detection = Detection::named("rack-tlp");
        tcp.reduction = Some(reduction);
        let run = compare(&scenario, 0, &format!("{reduction:?}"));
        let firsts = payload(&scenario) / scenario.first_tcp().numbers_per_packet();
        assert!(run.sent[0].len() as u64 >= firsts + 8, "all were sent again");
    }
}

/// Cross-traffic is drawn as in the simulator, shares its queues with the transfer, and goes no farther than it should.
#[test]
fn cross_traffic_is_the_same_on_the_wire() {
    for variant in Variant::with_rules_of(RuleSource::Rfc) {
        let scenario = beside_traffic(variant.name());
        for replication in 0..3 {
            let run = compare(&scenario, replication, &format!("{variant:?}, {replication}"));
            let firsts = payload(&scenario) / scenario.first_tcp().numbers_per_packet();
            assert!(
                run.sent[0].len() as u64 > firsts,
                "{variant:?}: some were lost to full queues"
            );
            let mut alone = scenario.clone();
            alone.traffic.clear();
            let alone = compare(&alone, replication, &format!("{variant:?}, alone"));
            assert!(run.time() > alone.time(), "{variant:?}, {replication}");
        }
    }
}

/// Round trips that are longer than the probe timer, also by no more than the airtime of a packet: the time is
/// no more than twice that of the slower variant which does not probe.
#[test]
fn probing_over_long_round_trips_is_the_same_on_the_wire() {
    for profile in ["rfc", "bsd"] {
        for round_trip in [100, 990, 1200, 3000, 10_000] {
            let time = |protocol| {
                let message = format!("{protocol}, {profile}, {round_trip} ms");
                let run = compare(&distant(profile, protocol, round_trip), 0, &message);
                (run.time().seconds(), run.probes())
            };
            let plain = time("tahoe").0.max(time("reno").0);
            for protocol in PROTOCOLS.into_iter().filter(|name| name.ends_with("probing")) {
                let (probing, probes) = time(protocol);
                assert_eq!(probes > 0, round_trip > 100, "{protocol}, {profile}, {round_trip} ms");
                assert!(
                    probing <= 2.0 * plain,
                    "{protocol}, {profile}, {round_trip} ms: {probing} s, {plain} s"
                );
            }
        }
    }
}
