//! A capture is the same in whatever pieces it is fed, and damaged ones are no exception.

use airtcp_capture::{CaptureSummary, PacketKind, Reader, Refusal};

/// A pcap of `packets` segments and datagrams of raw IPv4, in turn.
fn pcap(packets: u32) -> Vec<u8> {
    let mut file: Vec<u8> = vec![];
    for word in [0xA1B2_3C4D_u32, 0x0004_0002, 0, 0, 65535, 101] {
        file.extend(word.to_le_bytes());
    }
    for number in 0..packets {
        let packet = packet(number);
        for word in [1000, number, packet.len() as u32, packet.len() as u32 + 100] {
            file.extend(word.to_le_bytes());
        }
        file.extend(packet);
    }
    file
}

/// A segment or a datagram of which 100 bytes more were on the wire.
fn packet(number: u32) -> Vec<u8> {
    let is_udp = number % 2 == 1;
    let header: u16 = if is_udp { 12 } else { 20 };
    let mut bytes = vec![0x45, 0];
    bytes.extend((20 + header + 100).to_be_bytes());
    bytes.extend([0, 7, 0x40, 0, 64, if is_udp { 17 } else { 6 }, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    bytes.extend([0, 80, 0x20, 0]);
    if is_udp {
        bytes.extend([0, 112, 0, 0]);
    }
    bytes.extend(number.to_be_bytes());
    if !is_udp {
        bytes.extend([0, 0, 0, 1, 0x50, 16, 1, 0, 0, 0, 0, 0]);
    }
    bytes
}

/// The packets as a pcapng file of nanoseconds.
fn pcapng(packets: u32) -> Vec<u8> {
    let block = |kind: u32, body: &[u8]| {
        let length = (body.len() as u32 + 12).to_le_bytes();
        [&kind.to_le_bytes()[..], &length, body, &length].concat()
    };
    let words =
        |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    let comment = [&[1, 0, 5, 0][..], b"hello\0\0\0", &[0; 4]].concat();
    let mut file = block(0x0A0D_0D0A, &[words(&[0x1A2B_3C4D, 1, !0, !0]), comment].concat());
    let options = [9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0];
    file.extend(block(1, &[words(&[101, 0]), options.to_vec()].concat()));
    for number in 0..packets {
        let mut packet = packet(number);
        let kept = packet.len() as u32;
        packet.resize(packet.len().next_multiple_of(4), 0);
        let time = 1000 * 1_000_000_000 + u64::from(number);
        let head = words(&[0, (time >> 32) as u32, time as u32, kept, kept + 100]);
        file.extend(block(6, &[head, packet].concat()));
    }
    file
}

/// Reads a file that comes in pieces of `size` bytes.
fn read(bytes: &[u8], size: usize) -> Result<(Vec<String>, CaptureSummary), Refusal> {
    let (mut all, mut reader) = (vec![], Reader::new());
    let mut each = |packet: &PacketKind<'_>| {
        all.push(format!("{packet:?}"));
        Ok(())
    };
    for piece in bytes.chunks(size) {
        reader.feed(piece, &mut each)?;
    }
    let summary = reader.finish(&mut each)?;
    Ok((all, summary))
}

#[test]
fn both_formats_tell_the_same_packets() {
    let [(segments, _), (other, summary)] =
        [pcap(9), pcapng(9)].map(|file| read(&file, 1 << 20).unwrap());
    assert_eq!((segments.len(), summary.packets, summary.damage), (9, 9, None));
    assert_eq!(segments, other);
    assert_eq!(summary.comment.as_deref(), Some(&b"hello"[..]));
    assert!(segments[1].contains("payload: [0, 0, 0, 1]"), "{}", segments[1]);
    assert!(segments[0].contains("length: 100"), "{}", segments[0]);
}

#[test]
fn pieces_of_any_size_tell_what_the_whole_tells() {
    for file in [pcap(5), pcapng(5)] {
        for end in 0..=file.len() {
            let whole = format!("{:?}", read(&file[..end], file.len()));
            for size in [1, 3, 16, 61] {
                assert_eq!(
                    format!("{:?}", read(&file[..end], size)),
                    whole,
                    "{end} bytes by {size}"
                );
            }
        }
    }
}

#[test]
fn the_end_of_a_file_and_what_is_no_packet_are_told_apart() {
    for file in [pcap(5), pcapng(5)] {
        let damage = read(&file[..file.len() - 3], 7).unwrap().1.damage.unwrap();
        assert!(damage.is_truncated && damage.packets == 4, "{damage:?}");
        let damage = read(&[&file[..], &[0xFF; 40]].concat(), 7).unwrap().1.damage.unwrap();
        assert_eq!((damage.is_truncated, damage.packets, damage.bytes), (false, 5, 40));
        assert_eq!(damage.at, file.len() as u64);
    }
}

#[test]
fn a_length_that_is_claimed_is_not_held() {
    let mut file = pcapng(1);
    let last = file.len();
    file.extend([6, 0, 0, 0, 0, 0, 0, 0x7F]);
    let damage = read(&file, 5).unwrap().1.damage.unwrap();
    assert_eq!((damage.at, damage.is_truncated), (last as u64, false));
}
