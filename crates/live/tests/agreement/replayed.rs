//! Captures of our own Linux sender on the wire, in logical time, replayed: the replay explains every packet, and where
//! congestion controls differ, it finds the right one without being told.

use crate::agreement::linux::{scenario, seen};
use airtcp_core::{Cancel, Instant};
use airtcp_replay::{Explanation, UserFacts, explain};
use serde_json::{Value, json};

const CONTROLS: [&str; 3] = ["reno", "cubic", "bbr"];
const SIZE: u64 = 300 * 1448;

/// Makes a pcap file of raw IPv4 packets with times in nanoseconds.
fn pcap(packets: &[(Instant, Vec<u8>)]) -> Vec<u8> {
    let mut file: Vec<u8> = vec![];
    for word in [0xA1B2_3C4D_u32, 0x0004_0002, 0, 0, 65_535, 101] {
        file.extend(word.to_le_bytes());
    }
    for (at, packet) in packets {
        let (seconds, ns) = (at.nanos() / 1_000_000_000, at.nanos() % 1_000_000_000);
        let length = packet.len() as i64;
        for word in [1_700_000_000 + seconds, ns, length, length] {
            file.extend((word as u32).to_le_bytes());
        }
        file.extend(packet);
    }
    file
}

fn replayed(tcp: &Value, hop: &Value, replication: u64, size: u64) -> Explanation {
    let capture = pcap(&seen(&scenario(tcp, hop), replication, size));
    let facts = UserFacts { differences: 1, ..UserFacts::default() };
    explain(&capture, &facts, &Cancel::new()).expect("a capture")
}

/// Links on which losses, short queues and outages tell congestion controls apart.
fn links() -> [Value; 5] {
    let lossy = |loss_rate: f64| json!({"kind": "iid", "loss_rate": loss_rate});
    let bursts = json!({"kind": "gilbert-elliott", "p": 0.015, "r": 0.25, "h": 0.3});
    [
        json!({"channel": lossy(0.02)}),
        json!({"channel": lossy(0.05), "back": {"channel": lossy(0.02)}}),
        json!({"rate": "2Mbps", "delay": "60ms", "queue": 15}),
        json!({"rate": "5Mbps", "delay": "5ms", "channel": bursts}),
        json!({"rate": "1500kbps", "gate": {"kind": "on-off", "up": "0.6s", "down": "0.1s"}}),
    ]
}

/// The congestion controls that explain as much of the capture as the one that sent it.
fn named(explained: &Explanation) -> Vec<&str> {
    let best = &explained.tried_controls[0];
    let equal = explained.tried_controls.iter().filter(|control| {
        (control.before_first_difference, control.explained)
            == (best.before_first_difference, best.explained)
    });
    equal.map(|control| control.control.as_str()).collect()
}

/// Plays `replications` of each link and control, with timestamps or without; returns how many are explained whole, how
/// many have their control named, alone or among equals, and how many there are.
fn shares(replications: u64, stamps: &[bool]) -> (usize, usize, usize) {
    let (mut whole, mut right, mut all) = (0, 0, 0);
    for (link, hop) in links().iter().enumerate() {
        for control in CONTROLS {
            for &timestamps in stamps {
                let tcp = json!({"congestion": control, "timestamps": timestamps});
                for replication in 0..replications {
                    let explained = replayed(&tcp, hop, replication, SIZE);
                    assert_eq!(explained.verdict.artefacts, [], "{tcp}, {hop}, {replication}");
                    let names = named(&explained);
                    let (agrees, is_right) = (explained.verdict.agrees(), names.contains(&control));
                    println!("link {link}, {tcp}, {replication}: {names:?}, whole: {agrees}");
                    whole += usize::from(agrees);
                    right += usize::from(is_right);
                    all += 1;
                }
            }
        }
    }
    (whole, right, all)
}

/// At least 95 % are asked for; without timestamps, clocks that are set forward are harder to tell from outages.
#[test]
fn our_own_sender_is_explained_and_its_control_named() {
    let (whole, right, all) = shares(1, &[true]);
    assert!(whole * 20 >= all * 19, "{whole} of {all} explained");
    assert!(right * 20 >= all * 19, "{right} of {all} named");
}

#[test]
#[ignore = "four times as many, for docs/evidence/replay.md"]
fn the_same_of_many() {
    let (whole, right, all) = shares(2, &[true, false]);
    println!("{whole} explained, {right} named of {all}");
}

/// Buffers of this sender keep 320 bytes for headers; the kernel that recorded the library kept 256.
#[test]
fn a_send_buffer_that_grows_twice_as_fast_is_inferred() {
    for control in ["reno", "cubic"] {
        let tcp = json!({"congestion": control});
        let explained = replayed(&tcp, &json!({"queue": 1000}), 0, 450 * 1448);
        let difference = explained.verdict.differences.first();
        assert!(
            explained.verdict.agrees(),
            "{control}: {}",
            difference.expect("there is one").text()
        );
        assert!(
            explained
                .verdict
                .assumptions
                .iter()
                .any(|line| line.contains("keep 320 bytes for headers"))
        );
    }
}
