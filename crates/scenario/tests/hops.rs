//! The hops that a packet-level scenario builds.

use airtcp_core::{Instant, Payload, PollResult, Span, Stage};
use airtcp_radio::{Channel, Discipline, Fate, Hop, HopConfig, Process, Transmission};
use airtcp_scenario::{PathScenario, points};
use serde_json::{Value, json};

#[derive(Clone, Copy)]
struct Packet(u64);

impl Payload for Packet {
    fn bits(&self) -> u64 {
        self.0
    }
}

fn scenario(hops: &Value) -> PathScenario {
    let document = json!({
        "profile": "ns2",
        "tcp": {"variant": "reno", "packet": "1024B"},
        "path": {"hop": hops},
    });
    points(&document).unwrap()[0].path().unwrap().clone()
}

fn fates(channel: &mut Process, step: i64, n: i64) -> Vec<bool> {
    let burst = |i: i64| {
        let start = Instant::from_nanos(step * i);
        Transmission { start, end: start + Span::from_nanos(step), bits: 8192 }
    };
    (0..n).map(|i| channel.fate_of(burst(i)) == Fate::Erased).collect()
}

fn outages(hop: &mut HopConfig) -> Vec<Instant> {
    let gate = hop.gate.as_mut().expect("there is a gate");
    let at = |seconds: i64| Instant::from_nanos(seconds * 1_000_000_000);
    (0..100).map(|seconds| gate.current_outage(at(seconds)).down).collect()
}

#[test]
fn the_way_back_is_met_last_hop_first_and_defaults_to_the_way_forward() {
    let point = scenario(&json!([
        {"rate": "1.5Mbps", "delay": "10ms", "queue": 50, "drop": [[3, 1]]},
        {"rate": "0.8Mbps", "delay": "100ms", "queue": "64kB",
         "delays": [{"at": "1s", "delay": "2s"}], "back": {"rate": "64kbps", "queue": 9}},
    ]));
    let (forward, back) = point.hops(1, 0).unwrap();
    let key = |hop: &HopConfig| (hop.rate.to_string(), hop.delay.nanos(), hop.queue);
    let millis = |n: i64| n * 1_000_000;
    assert_eq!(key(&forward[0]), ("1.5Mbps".into(), millis(10), Discipline::DropTail(50)));
    assert_eq!(
        key(&forward[1]),
        ("800kbps".into(), millis(100), Discipline::DropTailBits(512_000))
    );
    assert_eq!(key(&back[0]), ("64kbps".into(), millis(100), Discipline::DropTail(9)));
    assert_eq!(key(&back[1]), ("1.5Mbps".into(), millis(10), Discipline::DropTail(50)));
    assert_eq!(forward[0].drop, [(3, 1)]);
    assert!(back[1].drop.is_empty() && back[0].delays.is_empty());
    let change = (Instant::from_nanos(millis(1000)), Span::from_nanos(millis(2000)));
    assert_eq!(forward[1].delays, [change]);
}

#[test]
fn both_directions_see_the_same_outages_and_every_hop_its_own() {
    let gate = json!({"kind": "on-off", "up": "2s", "down": "0.3s"});
    let hop = json!({"rate": "1Mbps", "delay": "1ms", "gate": gate});
    let (mut forward, mut back) = scenario(&json!([hop, hop])).hops(1, 0).unwrap();
    let first = outages(&mut forward[0]);
    assert_eq!(first, outages(&mut back[1]));
    assert_ne!(first, outages(&mut forward[1]));
    assert_eq!(first, outages(&mut scenario(&json!([hop])).hops(1, 0).unwrap().0[0]));
    assert_ne!(first, outages(&mut scenario(&json!([hop])).hops(1, 1).unwrap().0[0]));
}

#[test]
fn spikes_of_one_direction_leave_the_other_alone_and_are_the_same_spikes() {
    let distribution = |mean: &str| json!({"kind": "exponential", "mean": mean});
    let spikes = |direction: &str| {
        json!([{"rate": "1Mbps", "delay": "1ms", "gate": {
            "kind": "spikes", "interval": distribution("9s"), "duration": distribution("2s"), "direction": direction,
        }}])
    };
    let built = |direction| scenario(&spikes(direction)).hops(1, 0).unwrap();
    let (mut forward, mut back) = built("both");
    let both = outages(&mut forward[0]);
    assert_eq!(both, outages(&mut back[0]));
    let (mut forward, back) = built("forward");
    assert_eq!((outages(&mut forward[0]), back[0].gate.is_none()), (both.clone(), true));
    let (forward, mut back) = built("back");
    assert_eq!((outages(&mut back[0]), forward[0].gate.is_none()), (both, true));
}

#[test]
fn a_slot_is_the_airtime_of_a_full_packet_of_the_direction() {
    let trace = json!({"kind": "trace", "lost": [0, 1], "clock": "slot"});
    let point = scenario(&json!([
        {"rate": "8Mbps", "delay": "0s", "channel": trace, "back": {"channel": trace}},
    ]));
    let (mut forward, mut back) = point.hops(1, 0).unwrap();
    let step = |n: i64| n * 1000;
    assert_eq!(fates(&mut forward[0].channel, step(1024), 4), [false, true, false, true]);
    assert_eq!(fates(&mut back[0].channel, step(40), 4), [false, true, false, true]);
}

#[test]
fn the_directions_have_streams_of_their_own() {
    let iid = json!({"kind": "iid", "loss_rate": 0.5});
    let hop = json!({"rate": "8Mbps", "delay": "0s", "channel": iid, "back": {"channel": iid}});
    let (mut forward, mut back) = scenario(&json!([hop, hop])).hops(1, 0).unwrap();
    let [a, b] = [0, 1].map(|i| fates(&mut forward[i].channel, 7, 100));
    let c = fates(&mut back[1].channel, 7, 100);
    assert!(a != b && a != c && b != c);
}

/// The clean path of the paper: 5000 packets of 1024 bytes over 1.5 and 0.8 Mbit/s [elaarag reading, section 2].
#[test]
fn hops_in_a_row_carry_packets_at_the_rate_of_the_slowest() {
    let point = scenario(&json!([
        {"rate": "1.5Mbps", "delay": "10ms"}, {"rate": "0.8Mbps", "delay": "100ms"},
    ]));
    let (forward, _) = point.hops(1, 0).unwrap();
    let mut hops: Vec<Hop<Packet>> = forward.into_iter().map(Hop::new).collect();
    for _ in 0..100 {
        hops[0].push(Instant::START, Packet(8192));
    }
    let mut last = Instant::START;
    while let Some(i) =
        (0..2).filter(|i| hops[*i].due().0 < Instant::NEVER).min_by_key(|i| hops[*i].due())
    {
        let now = hops[i].due().0;
        if let PollResult::Out(packet) = hops[i].poll(now) {
            last = now;
            if i == 0 {
                hops[1].push(now, packet);
            }
        }
    }
    // 8192 bits at 1.5 Mbit/s, 10 ms, 100 times 10.24 ms, 100 ms.
    assert_eq!(last.nanos(), 5_461_333 + 10_000_000 + 1_024_000_000 + 100_000_000);
}
