//! Runs: reproducible, independent of threads, cancellable; common random numbers across variants.

use airtcp_core::Cancel;
use airtcp_scenario::{Scenario, SlotScenario};
use airtcp_sim::slot::{SlotCounts, run};
use serde_json::{Value, json};

fn points(tcp: &Value, channel: &Value, slots: u64) -> Vec<Scenario> {
    let document = json!({
        "profile": "zorzi", "tcp": tcp, "channel": channel, "stop": {"slots": slots},
    });
    airtcp_scenario::points(&document).unwrap()
}

fn slots_of(scenario: &Scenario) -> &SlotScenario {
    scenario.slot().expect("a profile on slots")
}

fn fading(variants: &Value, slots: u64) -> Vec<Scenario> {
    let channel = json!({"kind": "rayleigh-two-state", "doppler": 0.01, "loss_rate": [0.01, 0.1]});
    points(&json!({"variant": variants}), &channel, slots)
}

fn outcome(scenario: &Scenario) -> SlotCounts {
    run(slots_of(scenario), 1, 0, &Cancel::new()).unwrap().unwrap()[0]
}

#[test]
fn a_loss_free_link_carries_a_packet_in_every_slot() {
    let scenarios =
        points(&json!({"variant": "tahoe"}), &json!({"kind": "iid", "loss_rate": 0}), 5000);
    let o = outcome(&scenarios[0]);
    assert_eq!((o.transmissions, o.timeouts, o.fast_retransmits), (5000, 0, 0));
    // The packet of the last slot arrives as the run ends.
    assert_eq!((o.deliveries, o.in_order), (5000, 5000));
}

#[test]
fn a_dead_link_times_out_every_hundred_slots() {
    let scenarios =
        points(&json!({"variant": "reno"}), &json!({"kind": "iid", "loss_rate": 1}), 10_000);
    let o = outcome(&scenarios[0]);
    assert_eq!((o.transmissions, o.timeouts, o.deliveries), (100, 99, 0));
}

#[test]
fn counts_add_up() {
    for scenario in fading(&json!(["oldtahoe", "tahoe", "reno", "newreno"]), 100_000) {
        let o = outcome(&scenario);
        assert!(o.in_order <= o.deliveries && o.deliveries + o.duplicates <= o.transmissions);
        assert!(o.transmissions <= o.slots);
    }
}

#[test]
fn a_cancelled_run_has_no_outcome() {
    let scenario = &fading(&json!("tahoe"), 1_000_000_000)[0];
    let cancel = Cancel::new();
    cancel.set();
    assert_eq!(run(slots_of(scenario), 1, 0, &cancel).unwrap(), None);
}

#[test]
fn seeds_and_replications_differ() {
    let scenario = &fading(&json!("tahoe"), 50_000)[1];
    let of =
        |seed, replication| run(slots_of(scenario), seed, replication, &Cancel::new()).unwrap();
    assert_ne!(of(1, 0), of(1, 1));
    assert_ne!(of(1, 0), of(2, 0));
    assert_eq!(of(3, 5), of(3, 5));
}

/// Two variants meet the same fading: where neither ever loses, they do the same; and a window of one
/// packet leaves no room for the variants to differ at all.
#[test]
fn variants_meet_the_same_channel() {
    let channel = json!({"kind": "rayleigh-two-state", "doppler": 0.01, "loss_rate": 0.1});
    let tcp = json!({"variant": ["oldtahoe", "tahoe", "reno", "newreno"], "window": 1});
    let outcomes: Vec<SlotCounts> = points(&tcp, &channel, 50_000).iter().map(outcome).collect();
    assert!(outcomes.iter().all(|o| *o == outcomes[0]), "{outcomes:?}");
    assert!(outcomes[0].timeouts > 0);
}

#[test]
fn a_lost_ack_is_made_good_by_the_next() {
    let document = json!({
        "profile": "zorzi",
        "tcp": {"variant": "newreno", "inflation": [false, true]},
        "channel": {"kind": "iid", "loss_rate": 0.01},
        "ack": {"delay": 2, "loss_rate": 0.01},
        "stop": {"slots": 100_000},
    });
    for scenario in airtcp_scenario::points(&document).unwrap() {
        let o = outcome(&scenario);
        // Half of what the loss rate alone would leave: a stall would show as far less.
        assert!(o.deliveries > 49_500 && o.in_order + 24 >= o.deliveries, "{o:?}");
    }
}

/// A link that is up for millions of slots, so that the window opens, and then down for millions, while next to no NAK
/// arrives.
#[test]
fn more_fragments_than_a_run_may_hold_are_told() {
    let document = json!({
        "profile": "zorzi",
        "tcp": {"variant": "reno", "window": 100_000, "timeout": 1_000_000_000},
        "link": {"arq": {
            "fragments": 1000, "attempts": 1_000_000, "feedback_delay": 1_000_000, "feedback_loss": 0.9999,
        }},
        "channel": {"kind": "two-state", "p_gb": 2e-8, "p_bg": 3e-8},
        "stop": {"slots": 1_000_000_000},
    });
    let scenario = &airtcp_scenario::points(&document).unwrap()[0];
    let refused = run(slots_of(scenario), 3, 0, &Cancel::new()).unwrap_err();
    assert_eq!(refused.field, "link.arq");
    let limit = "more than 10000000 packets and fragments to be sent again";
    assert!(refused.message.starts_with(limit), "{}", refused.message);
}
