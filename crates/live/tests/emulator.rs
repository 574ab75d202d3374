//! One direction of a path in logical time, without a device: the times at which it is asked change nothing.

use airtcp_core::{Cancel, Instant, Stream};
use airtcp_live::emulator::{Fate, IpPacket, OneWayPath, Record, directions, replay};
use airtcp_scenario::{PathScenario, Scenario, points};

/// Two hops with a queue, a gate, a channel, and a link layer that retransmits on the second.
fn scenario(arq: bool) -> PathScenario {
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
    path(&document)
}

fn path(document: &serde_json::Value) -> PathScenario {
    match points(document).expect("a scenario").remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => unreachable!("it has a path"),
    }
}

/// The records of 2000 packets, if the path is asked `often` times between two of them.
fn records(scenario: &PathScenario, often: i64) -> (Vec<Record>, Instant) {
    let [mut direction, _] = directions(scenario, 3, 0).expect("values that agree");
    let (mut arrivals, mut now, mut records) = (Stream::new(1, "arrivals", 0), 0, Vec::new());
    for id in 0..2000 {
        let pause = (arrivals.uniform() * 1.5e6) as i64;
        for part in 1..=often {
            direction.advance(Instant::from_nanos(now + pause * part / (often + 1)));
        }
        now += pause;
        let bits = 8 * (100 + id % 700);
        let arrival = Instant::from_nanos(now);
        direction.push(IpPacket::new(id, arrival, bits));
        take(&mut direction, &mut records);
    }
    let end = Instant::from_nanos(now + 1_000_000_000);
    direction.advance(end);
    take(&mut direction, &mut records);
    records.sort_by_key(|record| (record.id, record.copy));
    (records, end)
}

fn take(direction: &mut OneWayPath, into: &mut Vec<Record>) {
    into.extend(std::iter::from_fn(|| direction.take_lost()));
    let passed = std::iter::from_fn(|| direction.take_delivered());
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

/// The records of packets of 200 bytes that come together, over one hop of 8 Mbit/s: start, end and `at` in
/// microseconds, and the fate.
fn timed(hop: &serde_json::Value, count: u64) -> Vec<[i64; 4]> {
    let document = serde_json::json!({
        "profile": "rfc", "tcp": {"variant": "newreno"}, "path": {"hop": [hop]},
    });
    let [mut direction, _] = directions(&path(&document), 1, 0).expect("values that agree");
    for id in 0..count {
        let arrival = Instant::START;
        direction.push(IpPacket::new(id, arrival, 1600));
    }
    direction.advance(Instant::from_nanos(1_000_000_000));
    let mut records = Vec::new();
    take(&mut direction, &mut records);
    records.sort_by_key(|record| record.id);
    let micros = |nanos: i64| if nanos < 0 { nanos } else { nanos / 1000 };
    records.iter().map(|r| [micros(r.start), micros(r.end), micros(r.at), r.fate]).collect()
}

#[test]
fn arq_is_on_the_air_from_the_first_fragment_to_the_one_that_decides() {
    // Fragments of 100 us. The second one of the first packet is lost once, the first one of the second packet
    // twice, which ends it: NAKs come 1 ms after the end of what they are about.
    let hop = serde_json::json!({
        "rate": "8Mbps", "delay": "3ms",
        "channel": {"kind": "trace", "lost": [0, 1, 1, 0, 0, 1], "repeat": false},
        "arq": {"fragment": "100B", "attempts": 2, "feedback_delay": "1ms"},
    });
    let gave_up = Fate::Lost(airtcp_radio::LossCause::Arq).code() as i64;
    let wanted = [[0, 1300, 4300, 0], [200, 1400, 4400, gave_up]];
    assert_eq!(timed(&hop, 2), wanted);
}

#[test]
fn what_an_outage_destroys_before_it_is_sent_was_never_on_the_air() {
    let hop = serde_json::json!({
        "rate": "8Mbps", "delay": "3ms",
        "gate": {"kind": "schedule", "toggles": ["0.3ms", "1ms"]},
    });
    let gate = Fate::Lost(airtcp_radio::LossCause::Gate).code() as i64;
    let wanted = [[0, 200, 300, gate], [200, 400, 300, gate], [-1, -1, 300, gate]];
    assert_eq!(timed(&hop, 3), wanted);
}

#[test]
fn a_queue_shorter_than_a_packet_takes_one_that_need_not_queue() {
    let hop = serde_json::json!({
        "rate": "12.032Mbps", "delay": "3ms", "queue": "1B", "opportunities": [1],
    });
    let queue = Fate::Lost(airtcp_radio::LossCause::Queue).code() as i64;
    assert_eq!(timed(&hop, 2), [[1000, 1000, 4000, 0], [-1, -1, 0, queue]]);
}

#[test]
fn a_busy_period_begins_with_a_recorded_train() {
    let hop = serde_json::json!({
        "rate": "12.032Mbps", "delay": "3ms", "opportunities": [1],
        "trains": [{"at": "0ms", "delay": "5ms", "opportunities": [2, 9]}],
    });
    // Of 1504 bytes there are seven packets of 200 and a half.
    let wanted = [[2000, 2000, 7000, 0], [2000, 9000, 14_000, 0], [9000, 9000, 14_000, 0]];
    assert_eq!(timed(&hop, 9)[6..], wanted);
}

#[test]
fn a_replay_can_be_left() {
    let document = serde_json::json!({
        "profile": "rfc", "tcp": {"variant": "newreno"}, "path": {"hop": [{
            "rate": "8Mbps", "delay": "3ms",
            "channel": {"kind": "sojourn", "good": "1us", "bad": "1us"},
        }]},
    });
    let arrival = Instant::from_nanos(100 * 86_400 * 1_000_000_000);
    let late = IpPacket::new(0, arrival, 1600);
    let log = [Record::new(0, &late, arrival, Fate::OnTheWay, 0)];
    let (scenario, cancel) = (path(&document), Cancel::new());
    cancel.set();
    let left = replay(&scenario, (1, 0), &log, Instant::NEVER, &cancel);
    assert_eq!(left.expect("values that agree").packets, 1);
    // A hundred days would be passed through, microsecond by microsecond.
    let [mut direction, _] = directions(&scenario, 1, 0).expect("values that agree");
    direction.watch_cancel(&cancel);
    direction.push(late);
    direction.advance(Instant::NEVER);
}

#[test]
fn a_log_replays_and_a_changed_one_does_not() {
    let scenario = scenario(false);
    let (mut log, end) = records(&scenario, 2);
    let same = replay(&scenario, (3, 0), &log, end, &Cancel::new()).expect("values that agree");
    assert_eq!((same.packets, same.differences.len()), (2000, 0));
    let other = replay(&scenario, (4, 0), &log, end, &Cancel::new()).expect("values that agree");
    assert!(other.differences.len() > 100, "another seed has other fates");
    log[1000].arrival += 1;
    let changed = replay(&scenario, (3, 0), &log, end, &Cancel::new()).expect("values that agree");
    assert!(changed.differences.iter().all(|d| d.logged.id >= 1000));
    log[700].at -= 1;
    let changed = replay(&scenario, (3, 0), &log, end, &Cancel::new()).expect("values that agree");
    assert_eq!(changed.differences[0].logged.id, 700);
}

/// A path with a queue that drops at its head, with jitter and with packets that overtake.
#[test]
fn a_way_with_a_queue_that_decides_is_replayed() {
    let jitter = serde_json::json!({"kind": "exponential", "mean": "2ms"});
    let document = serde_json::json!({
        "profile": "rfc", "tcp": {"variant": "newreno"}, "path": {"hop": [{
            "rate": "3Mbps", "delay": "3ms", "queue": {"kind": "head-drop", "packets": 4},
            "jitter": jitter, "reorder": true,
            "channel": {"kind": "burst", "loss_rate": 0.1, "mean_burst": 3.0},
        }]},
    });
    let scenario = path(&document);
    let (log, end) = records(&scenario, 0);
    let queue = Fate::Lost(airtcp_radio::LossCause::Queue).code() as i64;
    assert!(log.iter().filter(|record| record.fate == queue).count() > 50);
    let overtaken =
        |pair: &[Record]| pair[0].fate == 0 && pair[1].fate == 0 && pair[0].at > pair[1].at;
    assert!(log.windows(2).filter(|pair| overtaken(pair)).count() > 100);
    assert!(records(&scenario, 7).0 == log, "asked seven times between two packets");
    let same = replay(&scenario, (3, 0), &log, end, &Cancel::new()).expect("values that agree");
    assert_eq!((same.packets, same.differences.len()), (2000, 0));
}

/// netem's delays, reordering and chain of states, and bit errors behind them.
#[test]
fn a_way_in_the_words_of_netem_is_replayed() {
    let hop = |channel: serde_json::Value| {
        serde_json::json!({
            "rate": "8mbit", "delay": "3msec", "channel": channel,
            "jitter": {"kind": "normal", "mean": "4ms", "deviation": "2ms", "correlation": 0.25},
            "reorder": {"probability": 0.25, "correlation": 0.5}, "duplicate": 0.02,
        })
    };
    let states = serde_json::json!({"kind": "states", "loss": [0, 0, 1, 1], "clock": "2ms", "transition":
        [[0.97, 0, 0.02, 0.01], [0, 0.4, 0.6, 0], [0.3, 0.2, 0.5, 0], [1, 0, 0, 0]]});
    let bits = serde_json::json!({"kind": "bit-errors", "bit_error_rate": 1e-5});
    let scenario = path(&serde_json::json!({
        "profile": "rfc", "tcp": {"variant": "newreno"}, "path": {"hop": [hop(states), hop(bits)]},
    }));
    let (log, end) = records(&scenario, 0);
    let lost = Fate::Lost(airtcp_radio::LossCause::Channel).code() as i64;
    assert!(log.iter().filter(|record| record.fate == lost).count() > 50);
    assert!(log.windows(2).filter(|pair| pair[0].at > pair[1].at).count() > 100);
    assert!(records(&scenario, 7).0 == log, "asked seven times between two packets");
    let same = replay(&scenario, (3, 0), &log, end, &Cancel::new()).expect("values that agree");
    assert_eq!((same.packets, same.differences.len()), (2000, 0));
}

/// Two hops that duplicate, the first one behind a channel that loses, with jitter and overtaking.
fn duplicating() -> PathScenario {
    let jitter = serde_json::json!({"kind": "exponential", "mean": "2ms"});
    let hop = |channel| {
        serde_json::json!({
            "rate": "8Mbps", "delay": "3ms", "queue": 4, "jitter": jitter, "reorder": true,
            "duplicate": 0.1, "channel": {"kind": "iid", "loss_rate": channel},
        })
    };
    path(&serde_json::json!({
        "profile": "rfc", "tcp": {"variant": "newreno"}, "path": {"hop": [hop(0.1), hop(0.2)]},
    }))
}

/// Each copy is identified by the hops that made it; one that is not logged, or that nobody made, is a difference.
#[test]
fn copies_are_replayed_each_for_itself() {
    let scenario = duplicating();
    let (log, end) = records(&scenario, 0);
    for (copy, least) in [(0, 1900), (1, 100), (2, 100), (3, 5)] {
        let made = log.iter().filter(|record| record.copy == copy).count();
        assert!(made >= least, "{made} of copy {copy}");
    }
    let keys: std::collections::BTreeSet<_> = log.iter().map(|r| (r.id, r.copy)).collect();
    assert_eq!(keys.len(), log.len());
    assert!(records(&scenario, 7).0 == log, "asked seven times between two packets");
    let replayed = |log: &[Record]| {
        let replay =
            replay(&scenario, (3, 0), log, end, &Cancel::new()).expect("values that agree");
        assert_eq!((replay.packets, replay.packets + replay.copies), (2000, log.len()));
        replay.differences
    };
    assert_eq!(replayed(&log), []);
    let second = log.iter().position(|r| r.copy == 2 && r.fate == 0).expect("there is one");
    let mut without = log.clone();
    let left_out = without.remove(second);
    let [difference] = replayed(&without)[..] else { panic!("one copy is missing") };
    assert_eq!(
        (difference.replayed, difference.logged.fate),
        (left_out, Fate::OnTheWay.code() as i64)
    );
    let mut with = log.clone();
    let first = with.iter().position(|r| log.iter().filter(|l| l.id == r.id).count() == 1);
    let made_up = Record { copy: 1, ..with[first.expect("there is one")] };
    with.push(made_up);
    let [difference] = replayed(&with)[..] else { panic!("one copy is too many") };
    assert_eq!(
        (difference.logged, difference.replayed.fate),
        (made_up, Fate::OnTheWay.code() as i64)
    );
    let mut changed = log.clone();
    changed[second].at += 1;
    assert_eq!(replayed(&changed)[0].logged, changed[second]);
}

/// Some copies come to their end before `end`, some after it: the replay then equals the log.
#[test]
fn a_log_that_ends_while_copies_are_on_the_way_is_replayed() {
    let scenario = duplicating();
    for end in (1..60).map(|ms| Instant::from_nanos(19_500_000 + 500_000 * ms)) {
        let [mut direction, _] = directions(&scenario, 3, 0).expect("values that agree");
        let packet =
            |id: i64| IpPacket::new(id.cast_unsigned(), Instant::from_nanos(500_000 * id), 4000);
        (0..40).for_each(|id| direction.push(packet(id)));
        direction.advance(end);
        let mut log = Vec::new();
        take(&mut direction, &mut log);
        let ended: Vec<i64> = log.iter().map(|record| record.id).collect();
        let rest = (0..40).filter(|id| !ended.contains(id));
        log.extend(rest.map(|id| Record::new(0, &packet(id), end, Fate::OnTheWay, 0)));
        let found = replay(&scenario, (3, 0), &log, end, &Cancel::new());
        assert_eq!(found.expect("values that agree").differences, [], "{end:?}");
    }
}

/// Two hops beside cross-traffic on and off over the first one, and all the time over both, both ways.
fn beside(traffic: &serde_json::Value) -> PathScenario {
    path(&serde_json::json!({
        "profile": "rfc", "tcp": {"variant": "newreno"},
        "path": {"hop": [
            {"rate": "10Mbps", "delay": "2ms", "queue": 10},
            {"rate": "8Mbps", "delay": "3ms", "queue": 10, "duplicate": 0.1},
        ]},
        "traffic": traffic,
    }))
}

fn busy() -> PathScenario {
    let distribution = serde_json::json!({"kind": "exponential", "mean": "20ms"});
    beside(&serde_json::json!([
        {"sender": "0", "receiver": "1", "rate": "12Mbps", "packet": "1000B", "on": distribution, "off": distribution},
        {"rate": "1Mbps", "packet": "500B", "start": "100ms", "count": 2},
        {"sender": "2", "receiver": "0", "rate": "20Mbps", "packet": "500B"},
    ]))
}

#[test]
fn cross_traffic_is_replayed_and_is_in_no_record() {
    let (log, end) = records(&busy(), 0);
    let lost = |log: &[Record]| log.iter().filter(|record| record.fate % 256 == 1).count();
    assert!(lost(&log) > 100, "{} lost to full queues", lost(&log));
    let mut without = busy();
    without.traffic.clear();
    assert_eq!(lost(&records(&without, 0).0), 0, "none without it");
    assert_eq!(log.iter().filter(|record| record.copy == 0).count(), 2000);
    assert!(records(&busy(), 7).0 == log, "asked seven times between two packets");
    let replayed = replay(&busy(), (3, 0), &log, end, &Cancel::new()).expect("values that agree");
    assert_eq!((replayed.packets, replayed.differences.len()), (2000, 0));
    let replayed = replay(&without, (3, 0), &log, end, &Cancel::new()).expect("values that agree");
    assert!(replayed.differences.len() > 100);
}

/// A log that claims a century: its packets have come to their ends, and cross-traffic alone is not replayed.
#[test]
fn a_replay_ends_with_the_last_packet() {
    let (log, _) = records(&busy(), 0);
    let century = Instant::from_nanos(100 * 365 * 86_400 * 1_000_000_000);
    let replay = replay(&busy(), (3, 0), &log, century, &Cancel::new()).expect("values that agree");
    assert_eq!(replay.differences, []);
}

#[test]
fn more_cross_traffic_than_can_be_sent_in_real_time_is_refused() {
    let refused = |traffic: serde_json::Value| {
        directions(&beside(&traffic), 1, 0).map_err(|error| error.field).err()
    };
    let distribution = |mean: &str| serde_json::json!({"kind": "fixed", "value": mean});
    let constant = |rate: &str| serde_json::json!([{"rate": rate, "packet": "100B", "count": 10}]);
    // Ten of 12 500 packets a second each, over two hops: 250 000.
    assert_eq!(refused(constant("10Mbps")), Some("traffic".to_owned()));
    assert_eq!(refused(constant("8Mbps")), None);
    // Bursts begin with a packet.
    let bursts = |off| {
        let off = distribution(off);
        serde_json::json!([{"rate": "1kbps", "packet": "100B", "on": distribution("1us"), "off": off}])
    };
    assert_eq!(refused(bursts("1us")), Some("traffic".to_owned()));
    assert_eq!(refused(bursts("99us")), None);
}

#[test]
fn more_hops_that_duplicate_than_a_record_can_tell_are_refused() {
    let plain = serde_json::json!({"rate": "3Mbps", "delay": "3ms"});
    for (at, hop, place) in [
        (62, serde_json::json!({"duplicate": 0.1}), "path.hop[62].duplicate"),
        (0, serde_json::json!({"back": {"duplicate": 0.1}}), "path.hop[0].back.duplicate"),
    ] {
        let mut hops = vec![plain.clone(); 63];
        hops[at].as_object_mut().unwrap().extend(hop.as_object().unwrap().clone());
        let document = serde_json::json!({
            "profile": "rfc", "tcp": {"variant": "newreno"}, "path": {"hop": hops},
        });
        let refusal = directions(&path(&document), 1, 0).expect_err("it duplicates");
        assert_eq!(refusal.field, place);
        hops.remove(62 - at);
        let document = serde_json::json!({
            "profile": "rfc", "tcp": {"variant": "newreno"}, "path": {"hop": hops},
        });
        directions(&path(&document), 1, 0).expect("one hop less");
    }
}
