//! Our stack on the wire, over the path of a scenario in logical time, against the simulator.
//!
//! Both ends on the wire have a handshake before the data, and a FIN in the last segment. Apart from that
//! the sender and the receiver are the same, and so are the phases and losses of the path, as long as the
//! handshake meets no loss. So everything is equal to the nanosecond, which says more than any interval.

mod run;
mod simulator;
mod wire;

use airtcp_scenario::PathScenario;
use airtcp_tcp::{Detection, GrowthLaw, Source, Variant};
use run::{Run, Said, lahanas, payload, rfc};
use simulator::simulated;
use wire::on_the_wire;

const PROTOCOLS: [&str; 6] =
    ["tahoe", "tahoe-probing", "reno", "reno-probing", "adaptive-probing", "skip-probing"];

/// The FIN takes a number behind the last byte.
fn without_fin(run: &mut Run, payload: u64) {
    for (_, said) in &mut run.said[1] {
        if let Said::Ack { next } | Said::Answer { next, .. } = said {
            *next = (*next).min(payload);
        }
    }
}

/// Runs both; the wire's.
fn compare(scenario: &PathScenario, replication: u64, what: &str) -> Run {
    let mut wire = on_the_wire(scenario, 1, replication);
    without_fin(&mut wire, payload(scenario));
    assert_equal(&wire, &simulated(scenario, 1, replication), what);
    wire
}

fn assert_equal(wire: &Run, simulated: &Run, what: &str) {
    for end in [0, 1] {
        for (i, pair) in wire.said[end].iter().zip(&simulated.said[end]).enumerate() {
            assert_eq!(pair.0, pair.1, "{what}: segment {i} of end {end}");
        }
        assert_eq!(wire.said[end].len(), simulated.said[end].len(), "{what}: end {end}");
    }
    assert_eq!(wire.end, simulated.end, "{what}");
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
            for replication in 0..10 {
                let what = format!("{protocol}, {loss_rate}, replication {replication}");
                let wire = compare(&scenario, replication, &what);
                let probes = loss_rate > 0.0 && protocol.ends_with("probing");
                assert_eq!(wire.probes() > 0, probes, "{what}");
            }
        }
    }
}

#[test]
fn the_rules_of_the_rfcs_are_the_same_on_the_wire() {
    for variant in Variant::of(Source::Rfc) {
        for &growth in GrowthLaw::ALL {
            for &spurious in Detection::ALL {
                if spurious != Detection::None && variant.probes() {
                    continue;
                }
                let scenario = rfc(variant.name(), growth.name(), spurious.name());
                for replication in 0..3 {
                    let what = format!("{variant:?}, {growth:?}, {spurious:?}, {replication}");
                    compare(&scenario, replication, &what);
                }
            }
        }
    }
}
