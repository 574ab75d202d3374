//! The losses of a chain on the slot clock are those asked for, whatever packets are sent when: by constant-rate
//! packets over the hop that a scenario builds. Fixed seeds; 2 %, or four standard errors where those are more.

use airtcp_core::{Instant, Payload, PollResult, Stage};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::{ChannelSpec, Line, TwoState};
use airtcp_scenario::points;
use serde_json::{Value, json};

const FULL: u64 = 1500;
/// Airtime of a full packet at 10 Mbit/s, which is a slot.
const SLOT: i64 = 1_200_000;
const PACKETS: i64 = 1_000_000;

#[derive(Clone, Copy)]
struct Packet {
    number: i64,
    bytes: u64,
}

impl Payload for Packet {
    fn bits(&self) -> u64 {
        8 * self.bytes
    }
}

fn line(channel: &Value) -> Line<Packet> {
    let document = json!({
        "profile": "rfc",
        "tcp": {"variant": "reno", "packet": "1500B"},
        "path": {"hop": [{"rate": "10Mbps", "delay": "1ms", "queue": 100, "channel": channel}]},
    });
    let point = points(&document).unwrap().remove(0);
    let (mut forward, _) = point.path().unwrap().hops(11, 0).unwrap();
    Line::new(forward.remove(0))
}

/// The packets of `bytes`, one every `interval` from `first` on, that are lost.
fn fates(channel: &Value, bytes: u64, first: i64, interval: i64) -> Vec<bool> {
    let mut line = line(channel);
    let mut lost = vec![true; PACKETS as usize];
    let at = |number: i64| Instant::from_nanos(first + number * interval);
    for number in 0..PACKETS {
        deliver(&mut line, at(number), &mut lost);
        line.push(at(number), Packet { number, bytes });
    }
    deliver(&mut line, at(2 * PACKETS), &mut lost);
    lost
}

fn deliver(line: &mut Line<Packet>, now: Instant, lost: &mut [bool]) {
    while let PollResult::Out(packet) = line.poll(now) {
        lost[packet.number as usize] = false;
    }
}

fn share(lost: &[bool]) -> f64 {
    lost.iter().filter(|lost| **lost).count() as f64 / lost.len() as f64
}

fn summary(channel: &Value) -> TwoState {
    let spec: ChannelSpec = serde_json::from_value(channel.clone()).unwrap();
    spec.two_state().unwrap().unwrap()
}

/// Relative standard error of the share of losses, where neighbours are `steps` slots apart.
fn error(chain: TwoState, steps: f64) -> f64 {
    let correlation = libm::pow((1.0 - chain.p_gb - chain.p_bg).max(0.0), steps);
    let p = chain.loss_rate();
    ((1.0 - p) / p / PACKETS as f64 * (1.0 + correlation) / (1.0 - correlation)).sqrt()
}

fn assert_near(found: f64, asked: f64, standard_error: f64, what: &str) {
    let tolerance = (4.0 * standard_error).max(0.02);
    assert!((found / asked - 1.0).abs() < tolerance, "{what}: {found}, asked {asked}");
}

const BURSTS: [f64; 3] = [1.0, 4.0, 16.0];

#[test]
fn a_packet_is_lost_with_the_rate_that_was_asked_for_whatever_its_size() {
    for burst in BURSTS {
        let channel = json!({"kind": "burst", "loss_rate": 0.1, "mean_burst": burst});
        for bytes in [40, 576, FULL] {
            // Seven packets every 12 slots, at other instants of a slot each time.
            let interval = 2_057_143;
            let lost = fates(&channel, bytes, 400_001, interval);
            let error = error(summary(&channel), interval as f64 / SLOT as f64);
            assert_near(share(&lost), 0.1, error, &format!("bursts of {burst}, {bytes} bytes"));
        }
    }
}

#[test]
fn every_chain_on_slots_has_its_own_rate() {
    for channel in [
        json!({"kind": "two-state", "p_gb": 0.1, "p_bg": 0.6}),
        json!({"kind": "rayleigh-two-state", "doppler": 0.4, "loss_rate": 0.05}),
        json!({"kind": "gilbert-elliott", "p": 0.1, "r": 0.5}),
        json!({"kind": "series", "of": [{"kind": "two-state", "p_gb": 0.1, "p_bg": 0.6}]}),
    ] {
        let chain = summary(&channel);
        let lost = fates(&channel, FULL, 400_001, 2_057_143);
        assert_near(share(&lost), chain.loss_rate(), error(chain, 1.7), &channel.to_string());
    }
    let hidden = json!({"kind": "gilbert-elliott", "p": 0.1, "r": 0.5, "h": 0.4, "k": 0.99});
    let asked = (0.1 * 0.6 + 0.5 * 0.01) / 0.6;
    let lost = fates(&hidden, FULL, 400_001, 2_057_143);
    assert_near(share(&lost), asked, 0.01, "hidden");
}

/// Full packets that follow each other at any phase of the slots meet each slot once.
#[test]
fn full_packets_back_to_back_are_lost_in_the_bursts_that_were_asked_for() {
    for burst in BURSTS {
        let channel = json!({"kind": "burst", "loss_rate": 0.1, "mean_burst": burst});
        let lost = fates(&channel, FULL, 400_001, SLOT);
        let begins = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        let runs = share(&lost) * PACKETS as f64 / begins;
        assert_near(runs, burst, 1.0 / begins.sqrt(), &format!("bursts of {burst}"));
        let error = error(summary(&channel), 1.0);
        assert_near(share(&lost), 0.1, error, &format!("share at bursts of {burst}"));
    }
}

/// The rule of `sojourn` and `on-off`: where any part is bad, a packet is lost [elaarag, section 3].
#[test]
fn sojourns_in_time_are_met_by_every_part_of_a_packet() {
    let channel = json!({"kind": "sojourn", "good": "12ms", "bad": "2.4ms"});
    let lost = fates(&channel, FULL, 400_001, 2_057_143);
    let spared = 12.0 / 14.4 * libm::exp(-1.2 / 12.0);
    assert_near(share(&lost), 1.0 - spared, 0.005, "sojourn");
}
