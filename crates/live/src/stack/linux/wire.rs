//! Segments of `airtcp_linux` as packets, and back.

use crate::wire::{Flags, Header, Options, Packet, SackBlocks, Timestamps};
use airtcp_linux::host::{Datagram, PortPair};
use airtcp_linux::receiver::Blocks;
use airtcp_linux::segment::{self, Ecn, Segment};
use std::net::{Ipv4Addr, SocketAddrV4};

/// The packet of `datagram`, one segment from `local`, under an `identification` of IPv4.
pub(super) fn encode(
    local: Ipv4Addr,
    datagram: &Datagram,
    payload: &[u8],
    identification: u16,
) -> Vec<u8> {
    let Datagram { pair, segment, .. } = datagram;
    let header = Header {
        seq: segment.seq as u32,
        ack: segment.ack as u32,
        flags: Flags::from_bits(segment.flags.0),
        window: segment.window,
        options: options(segment),
    };
    let source = SocketAddrV4::new(local, pair.local);
    let destination = SocketAddrV4::new(Ipv4Addr::from_bits(pair.address), pair.remote);
    let packet = Packet { source, destination, header, payload };
    packet.write_marked(identification, segment.tos & !3 | segment.ecn.bits())
}

fn options(segment: &Segment) -> Options {
    let mut sack = SackBlocks::default();
    segment.sack.iter().for_each(|(left, right)| sack.push(*left as u32, *right as u32));
    let stamps = |s: segment::Timestamps| Timestamps { value: s.value, echo: s.echo };
    Options {
        mss: segment.mss,
        scale: segment.scale,
        sack_permitted: segment.sack_permitted,
        timestamps: segment.timestamps.map(stamps),
        sack,
        ..Options::default()
    }
}

/// Translates a packet into a segment of `airtcp_linux`; `tos` is that byte of its IPv4 header.
pub(super) fn decode(packet: &Packet<'_>, tos: u8) -> Datagram {
    let Header { seq, ack, flags, window, options } = packet.header;
    let mut sack = Blocks::default();
    options.sack.as_slice().iter().for_each(|(a, b)| sack.push(((*a).into(), (*b).into())));
    let stamps = |s: Timestamps| segment::Timestamps { value: s.value, echo: s.echo };
    let len = packet.payload.len() as u32;
    let segment = Segment {
        seq: seq.into(),
        ack: ack.into(),
        flags: segment::Flags(flags.bits()),
        window,
        mss: options.mss,
        scale: options.scale,
        sack_permitted: options.sack_permitted,
        timestamps: options.timestamps.map(stamps),
        sack,
        ecn: Ecn::from_bits(tos),
        tos,
        len,
        size: len,
        ..Segment::default()
    };
    Datagram { pair: pair(packet), segment, cookie: None }
}

fn pair(packet: &Packet<'_>) -> PortPair {
    let (local, remote) = (packet.destination.port(), packet.source.port());
    PortPair { local, address: packet.source.ip().to_bits(), remote }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_read_as_it_was_written() {
        let segment = Segment {
            seq: 4_000_000_000,
            ack: 77,
            flags: segment::Flags(0xD8),
            window: 500,
            timestamps: Some(segment::Timestamps { value: 3, echo: 4 }),
            sack: Blocks::from_slice(&[(5, 6), (1, 2)]),
            ecn: Ecn::Ect0,
            tos: 0xB8,
            len: 3,
            size: 3,
            ..Segment::default()
        };
        let (here, there) = (Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2));
        let pair = PortPair { local: 5, address: there.to_bits(), remote: 6 };
        let bytes = encode(here, &Datagram { pair, segment, cookie: None }, b"abc", 1);
        let packet = Packet::parse(&bytes).expect("well-formed");
        let read = decode(&packet, Packet::tos(&bytes));
        let turned = PortPair { local: 6, address: here.to_bits(), remote: 5 };
        let expected = Segment { tos: 0xBA, ..segment };
        assert_eq!((read.pair, read.segment, packet.payload), (turned, expected, &b"abc"[..]));
    }
}
