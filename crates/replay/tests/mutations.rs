//! Captures with bytes changed end in a refusal or a verdict: no panic, no replay without end.

use airtcp_core::Cancel;
use airtcp_replay::{Asked, explain};

/// A pcap of a handshake, 12 segments of data, ACKs with SACK, and a repetition.
fn capture() -> Vec<u8> {
    let mut file: Vec<u8> = vec![];
    for word in [0xA1B2_3C4D_u32, 0x0004_0002, 0, 0, 65535, 101] {
        file.extend(word.to_le_bytes());
    }
    let mut put = |us: u32, out: bool, seq: u32, ack: u32, flags: u8, options: &[u8], len: u16| {
        let header = 20 + options.len();
        let total = 20 + header as u16 + len;
        for word in [1000, us * 1000, 20 + header as u32, u32::from(total)] {
            file.extend(word.to_le_bytes());
        }
        file.extend([0x45, 0]);
        file.extend(total.to_be_bytes());
        file.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
        let (from, to) = if out { (1, 2) } else { (2, 1) };
        file.extend([10, 0, 0, from, 10, 0, 0, to, 0, from, 0, to]);
        file.extend(seq.to_be_bytes());
        file.extend(ack.to_be_bytes());
        file.extend([(header as u8 / 4) << 4, flags, 0xFF, 0xFF, 0, 0, 0, 0]);
        file.extend(options);
    };
    let syn = [2, 4, 5, 180, 1, 1, 4, 2];
    put(0, true, u32::MAX - 5000, 0, 2, &syn, 0);
    put(40_000, false, 700, u32::MAX - 4999, 18, &syn, 0);
    put(40_010, true, u32::MAX - 4999, 701, 16, &[], 0);
    let at = |number: u32| (u32::MAX - 4999).wrapping_add(number * 1460);
    for number in 0..10 {
        put(40_020 + number, true, at(number), 701, 16, &[], 1460);
    }
    put(81_000, false, 701, at(1), 16, &[], 0);
    put(81_010, true, at(10), 701, 16, &[], 1460);
    put(81_011, true, at(11), 701, 16, &[], 1460);
    for (turn, number) in (3..10).enumerate() {
        let mut sack = vec![1, 1, 5, 10];
        sack.extend(at(2).to_be_bytes());
        sack.extend(at(number).to_be_bytes());
        put(82_000 + turn as u32 * 500, false, 701, at(1), 16, &sack, 0);
    }
    put(83_000, true, at(1), 701, 16, &[], 1460);
    file
}

#[test]
fn a_capture_without_description_whose_numbers_wrap_is_replayed() {
    let found = explain(&capture(), &Asked::default(), &Cancel::new()).unwrap();
    assert!(!found.described && found.verdict.inferred);
    assert_eq!(found.verdict.segments, 13);
    assert!(found.verdict.explained >= 12, "{:?}", found.verdict.differences);
    assert!(found.verdict.assumed.iter().any(|what| what.contains("always had data")));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "how many mutations is asked from outside")]
fn mutations_end_in_a_refusal_or_a_verdict() {
    let full = std::env::var("AIRTCP_MUTATIONS").ok().and_then(|said| said.parse().ok());
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut draw = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let (original, mut refused, mut judged) = (capture(), 0, 0);
    for _ in 0..full.unwrap_or(300) {
        let mut bytes = original.clone();
        for _ in 0..=draw(6) {
            let at = draw(bytes.len());
            match draw(5) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] ^= 1 << draw(8),
                2 => bytes[at] = [0, 1, 0x7F, 0x80, 0xFF][draw(5)],
                3 => drop(bytes.remove(at)),
                _ => bytes.insert(at, draw(256) as u8),
            }
            if bytes.is_empty() {
                bytes.push(0);
            }
        }
        let asked = Asked {
            control: Some(["reno", "cubic", "bbr"][draw(3)].to_owned()),
            ..Asked::default()
        };
        match explain(&bytes, &asked, &Cancel::new()) {
            Ok(_) => judged += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 0 && judged > 0, "refused {refused}, judged {judged}");
}
