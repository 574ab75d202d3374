//! Hybla: the rules of Caini and Firrincieli 2004 and the window that they are to follow, worked by hand.

use crate::rfc::rounds::{RTT, Rounds, avoiding};
use airtcp_core::{Duration, Span};
use airtcp_tcp::{CongestionSpec, Hybla, SenderConfig};

/// A round trip of 100 ms, twice the one that is the measure: rho = 2.
fn config(window: u32, ssthresh: u32) -> SenderConfig {
    let rtt0 = Duration::from_span(Span::from_nanos(50_000_000));
    let growth = CongestionSpec::Hybla(Hybla { rtt0 }).into();
    SenderConfig { growth, ssthresh, ..avoiding("hybla", window) }
}

/// `W(t) = rho 2^(rho t / RTT)` from `W(0) = rho`: 2, 8, 32, 128.
#[test]
fn slow_start_is_that_of_a_connection_with_half_the_round_trip() {
    let mut rounds = Rounds::new(&config(2, u32::MAX));
    assert_eq!(rounds.windows([RTT; 3]), [8.0, 32.0, 128.0]);
}

/// `rho^2` segments per window: from 100 an ACK adds `4 / W`, so after 100 of them the window is about `sqrt(100^2 + 800)`.
#[test]
fn avoidance_adds_the_square_of_rho_per_window() {
    let mut rounds = Rounds::new(&config(100, 100));
    rounds.round();
    let expected = (1..=100).fold(100.0, |window, _| window + 4.0 / window);
    assert!((rounds.cwnd() - expected).abs() < 1e-9, "{} and {expected}", rounds.cwnd());
    assert!((rounds.cwnd() - 10_800_f64.sqrt()).abs() < 0.01, "{}", rounds.cwnd());
}

#[test]
fn below_the_measure_it_is_reno() {
    let mut rounds = Rounds::new(&avoiding("hybla", 10));
    rounds.round_of(20);
    let expected = (1..=10).fold(10.0, |window, _| window + 1.0 / window);
    assert!((rounds.cwnd() - expected).abs() < 1e-9, "{}", rounds.cwnd());
    rounds.lose();
    assert!((rounds.ssthresh() - expected / 2.0).abs() < 1e-3, "{}", rounds.ssthresh());
}

#[test]
fn slow_start_stops_at_the_threshold() {
    let mut rounds = Rounds::new(&config(2, 30));
    assert_eq!(rounds.windows([RTT; 2]), [8.0, 30.0]);
}
