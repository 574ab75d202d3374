//! Small captures that claim to be large: what they would be cut into is counted before it is made.

use airtcp_core::Cancel;
use airtcp_replay::{UserFacts, explain};

/// A pcap of a handshake with an MSS of one byte, and packets of 65 495 bytes of data each, of which headers were kept.
fn capture(packets: u32) -> Vec<u8> {
    let mut file: Vec<u8> = vec![];
    for word in [0xA1B2_3C4D_u32, 0x0004_0002, 0, 0, 65535, 101] {
        file.extend(word.to_le_bytes());
    }
    let mut put = |us: u32, out: bool, seq: u32, ack: u32, flags: u8, options: &[u8], len: u16| {
        let header = 20 + options.len() as u16;
        for word in [1000, us * 1000, 20 + u32::from(header), u32::from(20 + header + len)] {
            file.extend(word.to_le_bytes());
        }
        file.extend([0x45, 0]);
        file.extend((20 + header + len).to_be_bytes());
        file.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
        let (from, to) = if out { (1, 2) } else { (2, 1) };
        file.extend([10, 0, 0, from, 10, 0, 0, to, 0, from, 0, to]);
        file.extend(seq.to_be_bytes());
        file.extend(ack.to_be_bytes());
        file.extend([(header as u8 / 4) << 4, flags, 0xFF, 0xFF, 0, 0, 0, 0]);
        file.extend(options);
    };
    let syn = [2, 4, 0, 1, 1, 1, 1, 1];
    put(0, true, 0, 0, 2, &syn, 0);
    put(40_000, false, 700, 1, 18, &syn, 0);
    put(40_010, true, 1, 701, 16, &[], 0);
    for number in 0..packets {
        put(40_020 + number, true, 1 + number * 65_495, 701, 16, &[], 65_495);
    }
    file
}

#[test]
fn segments_that_few_packets_are_cut_into_are_limited() {
    let bytes = capture(100);
    assert!(bytes.len() < 6000);
    let refusal = explain(&bytes, &UserFacts::default(), &Cancel::new()).unwrap_err();
    assert_eq!(refusal.to_string(), "has more than 2000000 packets");
}
