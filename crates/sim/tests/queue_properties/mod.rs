//! Properties of queues, and of the counts of flows, in whole networks, in both directions. `AIRTCP_PROPERTIES=100000` asks for so many random scenarios.

mod broken;
mod claim;
mod conservation;
mod flows;
mod ledger;
mod outside;
#[path = "../../../radio/tests/transmitter/queues.rs"]
#[allow(dead_code, reason = "the broken ones are judged there")]
mod queues;
mod scenarios;
mod trial;

use airtcp_core::Cancel;
use airtcp_sim::network::run;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Random scenarios of an ordinary test.
const FEW: u32 = 400;

#[expect(clippy::disallowed_methods, reason = "how many is asked for from outside")]
fn settings() -> ProptestConfig {
    let asked = std::env::var("AIRTCP_PROPERTIES").ok().and_then(|text| text.parse().ok());
    let rng_seed = match ProptestConfig::default().rng_seed {
        RngSeed::Random => RngSeed::Fixed(1),
        given => given,
    };
    let cases = asked.unwrap_or(FEW);
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn queues_keep_their_properties_in_any_scenario(case in scenarios::cases()) {
        prop_assert_eq!(case.play(None), vec![]);
    }

    #[test]
    fn delays_keep_their_order_in_any_scenario(case in scenarios::cases()) {
        for flow in run(&case.scenario(), 1, 0, &Cancel::new()).unwrap().unwrap() {
            let least = flow.least_delay.or(flow.delay_so_far.median);
            for quantiles in [flow.delay, flow.delay_so_far] {
                prop_assert!(quantiles.median.is_none() || least <= quantiles.median, "{:?}", flow);
                prop_assert!(quantiles.median <= quantiles.p95, "{:?}", flow);
            }
            prop_assert!(flow.losses.packets <= flow.sent, "{:?}", flow);
        }
    }
}
