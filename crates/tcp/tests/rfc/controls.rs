//! Promises of the papers on wireless links: of a path that loses at random, Westwood+ and Veno use more than Reno.

use crate::rfc::path::Path;
use crate::rfc::script::{MSS, ms};
use airtcp_core::{Instant, Span};
use airtcp_tcp::{CongestionSpec, SenderConfig, Variant};

/// Share of a bottleneck of 20 Mbit/s at a round trip of 50 ms, which loses one packet in every 500.
fn share(growth: &str) -> f64 {
    let growth = CongestionSpec::named(growth).expect("it is registered");
    let config = SenderConfig::rfc(Variant::Sack, growth, 1000, MSS, 40);
    let airtime = Span::from_nanos(600_000);
    let mut path = Path::new(&config, ms(50), airtime, 50, Some(500));
    path.run(50_000);
    let (packets, time) = path.delivered_since((0, Instant::START));
    packets as f64 * airtime.seconds() / time
}

#[test]
fn random_losses_cost_the_controls_of_wireless_links_less_than_reno() {
    let [reno, veno, westwood] = ["reno", "veno", "westwood"].map(share);
    assert!(reno < veno && veno < westwood, "{reno}, {veno}, {westwood}");
    assert!(westwood > 1.3 * reno, "{reno}, {westwood}");
}
