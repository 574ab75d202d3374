//! The link of a scenario on slots as the emulator has it: a packet is subject to the slot in which it is
//! sent, as in the simulation on slots under the same seed.

use airtcp_core::{Cancel, Instant, Stream};
use airtcp_live::emulator::{Fate, IpPacket, OneWayPath, Record, directions, replay};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::{Channel as _, LossCause, Transmission};
use airtcp_scenario::{Scenario, SlotScenario, points};

const SEED: u64 = 3;

/// A link on slots of 1 ms with packets of 125 bytes.
fn on_slots(channel: &serde_json::Value, more: &serde_json::Value) -> SlotScenario {
    let mut document = serde_json::json!({
        "profile": "zorzi", "tcp": {"variant": "newreno", "window": 8}, "channel": channel,
        "link": {"rate": "1Mbps", "packet": "125B"},
    });
    for (key, value) in more.as_object().expect("tables") {
        document[key] = value.clone();
    }
    match points(&document).expect("a scenario").remove(0) {
        Scenario::Slot(scenario) => scenario,
        Scenario::Path(_) => unreachable!("it has slots"),
    }
}

/// Says for each of the first slots if a packet in it is lost, as the simulation on slots asks its channel.
fn lost_in_slots(scenario: &SlotScenario, slots: i64) -> Vec<bool> {
    let stream = Stream::new(SEED, "flow0/down/channel", 0); // as `airtcp_sim::slot::run` names it
    let built = scenario.channel.build(scenario.slot(), stream);
    let mut channel = built.expect("values that agree");
    let slot = scenario.slot().nanos();
    let burst = |n: i64| {
        let (start, end) = (Instant::from_nanos(n * slot), Instant::from_nanos((n + 1) * slot));
        Transmission { start, end, bits: scenario.link.packet.bits() }
    };
    (0..slots).map(|n| channel.fate_of(burst(n)) == airtcp_radio::Fate::Erased).collect()
}

/// The records of 2000 full packets that arrive at any time, a third of the slots idle.
fn records(scenario: &SlotScenario) -> (Vec<Record>, Instant) {
    let path = scenario.to_path().expect("packets of real programs");
    let [mut direction, _] = directions(&path, SEED, 0).expect("values that agree");
    let (mut arrivals, mut now, mut records) = (Stream::new(1, "arrivals", 0), 0, Vec::new());
    for id in 0..2000 {
        now += (arrivals.uniform() * 3e6) as i64;
        direction.push(full(scenario, id, now));
    }
    let end = Instant::from_nanos(now + 1_000_000_000);
    direction.advance(end);
    take(&mut direction, &mut records);
    (records, end)
}

fn full(scenario: &SlotScenario, id: u64, arrival: i64) -> IpPacket {
    let (arrival, bits) = (Instant::from_nanos(arrival), scenario.packet_bits());
    IpPacket::new(id, arrival, bits)
}

fn is_lost(record: &Record) -> bool {
    record.fate != Fate::Delivered.code() as i64
}

fn take(direction: &mut OneWayPath, into: &mut Vec<Record>) {
    into.extend(std::iter::from_fn(|| direction.take_lost()));
    let passed = std::iter::from_fn(|| direction.take_delivered());
    into.extend(passed.map(|(at, p)| Record::new(0, &p, at, Fate::Delivered, 0)));
    into.sort_by_key(|record| record.id);
}

#[test]
fn a_packet_meets_the_slot_that_it_is_sent_in() {
    let channels = [
        serde_json::json!({"kind": "iid", "loss_rate": 0.1}),
        serde_json::json!({"kind": "two-state", "p_gb": 0.05, "p_bg": 0.3}),
        serde_json::json!({"kind": "rayleigh-two-state", "doppler": 0.05, "loss_rate": 0.2}),
        serde_json::json!({"kind": "trace", "lost": [0, 1, 1, 0, 0, 0, 1], "clock": "slot"}),
        serde_json::json!({"kind": "rayleigh", "snr": "10dB", "doppler": "20Hz"}),
    ];
    for channel in channels {
        let scenario = on_slots(&channel, &serde_json::json!({}));
        let (records, _) = records(&scenario);
        let slot = scenario.slot().nanos();
        let expected = lost_in_slots(&scenario, records.last().unwrap().end / slot + 1);
        for record in &records {
            assert_eq!((record.start % slot, record.end - record.start), (0, slot));
            assert_eq!(is_lost(record), expected[(record.start / slot) as usize], "{channel}");
        }
        let losses = records.iter().filter(|record| is_lost(record)).count();
        assert!((50..1500).contains(&losses), "{channel}: {losses} of {}", records.len());
        assert!(expected.len() > 2500, "some slots are idle");
    }
}

#[test]
fn a_saturated_link_loses_what_the_simulation_on_slots_loses() {
    // On a clock of packets only a link that is never idle has the same path; so does one that hides the
    // chain behind losses of its own.
    let channels = [
        serde_json::json!({"kind": "gilbert-elliott", "p": 0.05, "r": 0.25, "h": 0.2}),
        serde_json::json!({"kind": "burst", "loss_rate": 0.1, "mean_burst": 3.0, "clock": "packet"}),
    ];
    for channel in channels {
        let scenario = on_slots(&channel, &serde_json::json!({}));
        let path = scenario.to_path().expect("packets of real programs");
        let [mut direction, _] = directions(&path, SEED, 0).expect("values that agree");
        (0..2000).for_each(|id| direction.push(full(&scenario, id, 0)));
        direction.advance(Instant::from_nanos(2_000_000_000));
        let mut records = Vec::new();
        take(&mut direction, &mut records);
        let lost: Vec<bool> = records.iter().map(is_lost).collect();
        assert_eq!(lost, lost_in_slots(&scenario, 2000), "{channel}");
        assert!(lost.iter().filter(|lost| **lost).count() > 100);
    }
}

#[test]
fn acknowledgements_take_no_time_but_their_delay() {
    let more = serde_json::json!({"ack": {"delay": 3, "loss_rate": 0.25}});
    let scenario = on_slots(&serde_json::json!({"kind": "iid", "loss_rate": 0.1}), &more);
    let path = scenario.to_path().expect("packets of real programs");
    let [_, mut direction] = directions(&path, SEED, 0).expect("values that agree");
    (0..1000).for_each(|id| direction.push(full(&scenario, id, id.cast_signed() * 1_234_567)));
    direction.advance(Instant::from_nanos(2_000_000_000));
    let mut records = Vec::new();
    take(&mut direction, &mut records);
    let took = |record: &Record| record.at - record.arrival;
    assert!(records.iter().all(|record| took(record) == 3_000_000), "three slots");
    let lost = records.iter().filter(|record| is_lost(record)).count();
    assert!((182..318).contains(&lost), "{lost}: beyond five standard deviations");
}

#[test]
fn a_log_replays_with_a_link_layer_too() {
    let link = serde_json::json!({"link": {
        "rate": "1Mbps", "packet": "25B",
        "arq": {"packet": "125B", "attempts": 3, "feedback_delay": 4},
    }});
    let scenario = on_slots(&serde_json::json!({"kind": "iid", "loss_rate": 0.2}), &link);
    let path = scenario.to_path().expect("packets of real programs");
    let (log, end) = records(&scenario);
    let same = replay(&path, (SEED, 0), &log, end, &Cancel::new()).expect("values that agree");
    assert_eq!((same.packets, same.differences.len()), (2000, 0));
    let given_up = Fate::Lost(LossCause::Arq).code() as i64;
    assert!(log.iter().any(|record| record.fate == given_up));
}
