//! Flows of UDP, fed by hand: python/airtcp/measured has the tests by files.

use airtcp_core::Cancel;
use airtcp_measured::Fate;
use airtcp_measured::capture::{Captures, Numbering};

const NUMBERING: Numbering = Numbering { offset: 0, bytes: 2, is_big_endian: true };

/// A pcap of raw IPv4 with a datagram every microsecond, whose payload is one of these numbers.
fn pcap(numbers: impl Iterator<Item = u16>) -> Vec<u8> {
    let mut file: Vec<u8> = vec![];
    for word in [0xA1B2_C3D4_u32, 0x0004_0002, 0, 0, 65535, 101] {
        file.extend(word.to_le_bytes());
    }
    for (us, number) in numbers.enumerate() {
        for word in [1000, us as u32, 30, 30] {
            file.extend(word.to_le_bytes());
        }
        file.extend([0x45, 0, 0, 30, 0, 7, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        file.extend([0, 80, 0x20, 0, 0, 10, 0, 0]);
        file.extend(number.to_be_bytes());
    }
    file
}

fn captures(numbers: impl Iterator<Item = u16>) -> Captures {
    let mut captures = Captures::new(Some(NUMBERING));
    pcap(numbers).chunks(7).for_each(|piece| captures.feed(piece).unwrap());
    captures.end_file().unwrap();
    captures
}

#[test]
fn numbers_that_are_missing_are_lost_where_they_wrap_too() {
    let sent = (65_530..65_546_u32).filter(|number| number % 5 != 1).map(|number| number as u16);
    let measurements = captures(sent).measure(None, &Cancel::new(), |_, _| {}).unwrap().unwrap();
    let fates: Vec<Fate> = measurements[0].rows.iter().map(|row| row.fate).collect();
    let lost: Vec<usize> = (0..fates.len()).filter(|&at| fates[at] == Fate::Lost).collect();
    assert_eq!((fates.len(), lost), (16, vec![1, 6, 11]));
}

#[test]
fn work_that_is_cancelled_answers_nothing() {
    let cancel = Cancel::new();
    cancel.set();
    assert!(captures(0..100).measure(None, &cancel, |_, _| {}).unwrap().is_none());
}
