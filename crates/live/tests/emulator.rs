//! A way in logical time, without a device: when it is asked changes nothing.

use airtcp_core::{Instant, Stream};
use airtcp_live::emulator::{Fate, IpPacket, Record, Way, replay, ways};
use airtcp_radio::{Burst, Cause, Channel as _};
use airtcp_scenario::{Scenario, SlotScenario, points};

/// Two hops with a queue, a gate, a channel, and a link layer that retransmits on the second.
fn scenario(arq: bool) -> Scenario {
    let channel = serde_json::json!({"kind": "burst", "loss_rate": 0.2, "mean_burst": 3.0});
    let mut last = serde_json::json!({
        "rate": "8Mbps", "delay": "3ms", "queue": 8, "channel": channel,
        "gate": {"kind": "on-off", "up": "50ms", "down": "10ms"},
    });
    if arq {
        last["arq"] =
            serde_json::json!({"fragment": "100B", "attempts": 3, "feedback_delay": "1ms"});
    }
    let document = serde_json::json!({
        "profile": "rfc", "tcp": {"variant": "newreno"},
        "path": {"hop": [{"rate": "10Mbps", "delay": "2ms", "queue": 20}, last]},
    });
    points(&document).expect("a scenario").remove(0)
}

/// What becomes of 2000 packets, if the way is asked `often` times between two of them.
fn records(scenario: &Scenario, often: i64) -> (Vec<Record>, Instant) {
    // A link on slots of 1 ms is idle in a third of them.
    let (longest, full) = match scenario {
        Scenario::Path(_) => (1.5e6, None),
        Scenario::Slot(link) => (3e6, Some(link.packet_bits())),
    };
    let [mut way, _] = ways(scenario, 3, 0).expect("values that agree");
    let (mut arrivals, mut now, mut found) = (Stream::new(1, "arrivals", 0), 0, Vec::new());
    for id in 0..2000 {
        let pause = (arrivals.uniform() * longest) as i64;
        for part in 1..=often {
            way.advance(Instant::from_nanos(now + pause * part / (often + 1)));
        }
        now += pause;
        let bits = full.unwrap_or(8 * (100 + id % 700));
        let arrival = Instant::from_nanos(now);
        way.push(IpPacket { id, arrival, on_air: None, bits, number: None, bytes: vec![] });
        take(&mut way, &mut found);
    }
    let end = Instant::from_nanos(now + 1_000_000_000);
    way.advance(end);
    take(&mut way, &mut found);
    found.sort_by_key(|record| record.id);
    (found, end)
}

fn take(way: &mut Way, into: &mut Vec<Record>) {
    into.extend(std::iter::from_fn(|| way.take_lost()));
    let passed = std::iter::from_fn(|| way.take_passed());
    into.extend(passed.map(|(at, p)| Record::new(0, &p, at, Fate::Delivered, 0)));
}

#[test]
fn when_a_way_is_asked_changes_nothing() {
    for arq in [false, true] {
        let (seldom, _) = records(&scenario(arq), 0);
        assert_eq!(seldom.len(), 2000);
        assert!(seldom.iter().any(|record| record.fate % 256 > 1), "some are lost");
        for often in [1, 7] {
            assert!(records(&scenario(arq), often).0 == seldom, "asked {often} times");
        }
    }
}

/// A link on slots of 1 ms with packets of 125 bytes.
fn on_slots(channel: &serde_json::Value, more: &serde_json::Value) -> SlotScenario {
    let mut document = serde_json::json!({
        "profile": "zorzi", "tcp": {"variant": "newreno"}, "channel": channel,
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

/// Whether a packet in each of the first slots is lost, as the simulation on slots asks.
fn lost_in_slots(scenario: &SlotScenario, slots: i64) -> Vec<bool> {
    let mut channel = scenario.data_channel(3, 0).expect("values that agree");
    let slot = scenario.slot().nanos();
    let burst = |n: i64| {
        let (start, end) = (Instant::from_nanos(n * slot), Instant::from_nanos((n + 1) * slot));
        Burst { start, end, bits: scenario.link.packet.bits() }
    };
    (0..slots).map(|n| channel.fate(burst(n)) == airtcp_radio::Fate::Erased).collect()
}

#[test]
fn a_packet_meets_the_slot_that_it_is_sent_in() {
    let lost = Fate::Lost(Cause::Channel).code() as i64;
    let channels = [
        serde_json::json!({"kind": "iid", "loss_rate": 0.1}),
        serde_json::json!({"kind": "two-state", "p_gb": 0.05, "p_bg": 0.3}),
        serde_json::json!({"kind": "rayleigh-two-state", "doppler": 0.05, "loss_rate": 0.2}),
        serde_json::json!({"kind": "trace", "lost": [0, 1, 1, 0, 0, 0, 1], "clock": "slot"}),
        serde_json::json!({"kind": "rayleigh", "snr": "10dB", "doppler": "20Hz"}),
    ];
    for channel in channels {
        let scenario = on_slots(&channel, &serde_json::json!({}));
        let (found, _) = records(&Scenario::Slot(scenario.clone()), 1);
        let slot = scenario.slot().nanos();
        let expected = lost_in_slots(&scenario, found.last().unwrap().end / slot + 1);
        for record in &found {
            assert_eq!((record.start % slot, record.end - record.start), (0, slot));
            assert_eq!(record.fate == lost, expected[(record.start / slot) as usize], "{channel}");
        }
        let losses = found.iter().filter(|record| record.fate == lost).count();
        assert!((50..1500).contains(&losses), "{channel}: {losses} of {}", found.len());
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
        let [mut way, _] = ways(&Scenario::Slot(scenario.clone()), 3, 0).expect("they agree");
        for id in 0..2000 {
            let arrival = Instant::START;
            way.push(IpPacket {
                id,
                arrival,
                on_air: None,
                bits: 1000,
                number: None,
                bytes: vec![],
            });
        }
        way.advance(Instant::from_nanos(2_000_000_000));
        let mut found = Vec::new();
        take(&mut way, &mut found);
        found.sort_by_key(|record| record.id);
        let lost: Vec<bool> =
            found.iter().map(|r| r.fate != Fate::Delivered.code() as i64).collect();
        assert_eq!(lost, lost_in_slots(&scenario, 2000), "{channel}");
        assert!(lost.iter().filter(|lost| **lost).count() > 100);
    }
}

#[test]
fn acknowledgements_on_slots_take_no_time_but_their_delay() {
    let more = serde_json::json!({"ack": {"delay": 3, "loss_rate": 0.25}, "tcp": {"variant": "tahoe", "window": 8}});
    let scenario = on_slots(&serde_json::json!({"kind": "iid", "loss_rate": 0.1}), &more);
    let [_, mut way] = ways(&Scenario::Slot(scenario), 3, 0).expect("values that agree");
    for id in 0..1000_u64 {
        let arrival = Instant::from_nanos(id.cast_signed() * 1_234_567);
        way.push(IpPacket { id, arrival, on_air: None, bits: 320, number: None, bytes: vec![] });
    }
    way.advance(Instant::from_nanos(2_000_000_000));
    let mut found = Vec::new();
    take(&mut way, &mut found);
    let took = |record: &Record| record.at - record.arrival;
    assert!(found.iter().all(|record| took(record) == 3_000_001), "a nanosecond on the air");
    let lost = found.iter().filter(|r| r.fate != Fate::Delivered.code() as i64).count();
    assert!((200..300).contains(&lost), "{lost}: five standard deviations are 68");
}

#[test]
fn a_log_on_slots_replays_with_a_link_layer_too() {
    let arq = serde_json::json!({"link": {
        "rate": "1Mbps", "packet": "25B",
        "arq": {"packet": "125B", "attempts": 3, "feedback_delay": 4},
    }, "tcp": {"variant": "tahoe", "window": 8}});
    let scenario =
        Scenario::Slot(on_slots(&serde_json::json!({"kind": "iid", "loss_rate": 0.2}), &arq));
    let (log, end) = records(&scenario, 3);
    assert!(records(&scenario, 0).0 == log, "when it is asked changes nothing");
    let same = replay(&scenario, (3, 0), &log, end).expect("values that agree");
    assert_eq!((same.packets, same.differences.len()), (2000, 0));
    let given_up = Fate::Lost(Cause::Arq).code() as i64;
    assert!(log.iter().any(|record| record.fate == given_up));
}

#[test]
fn a_log_replays_and_a_changed_one_does_not() {
    let scenario = scenario(false);
    let (mut log, end) = records(&scenario, 2);
    let same = replay(&scenario, (3, 0), &log, end).expect("values that agree");
    assert_eq!((same.packets, same.differences.len()), (2000, 0));
    let other = replay(&scenario, (4, 0), &log, end).expect("values that agree");
    assert!(other.differences.len() > 100, "another seed has other fates");
    log[1000].arrival += 1;
    let changed = replay(&scenario, (3, 0), &log, end).expect("values that agree");
    assert!(changed.differences.iter().all(|d| d.logged.id >= 1000));
    log[700].at -= 1;
    let changed = replay(&scenario, (3, 0), &log, end).expect("values that agree");
    assert_eq!(changed.differences[0].logged.id, 700);
}
