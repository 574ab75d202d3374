//! A TCP packet: addresses, header and payload.

use super::ipv4::{self, Addresses, Label};
use super::malformed::Malformed;
use super::tcp::{self, Header};
use std::net::SocketAddrV4;

/// A segment between two sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// The socket that sends the segment.
    pub source: SocketAddrV4,
    /// The socket that the segment is for.
    pub destination: SocketAddrV4,
    /// The TCP header.
    pub header: Header,
    /// The data of the segment.
    pub payload: &'a [u8],
}

impl<'a> Packet<'a> {
    /// Reads a packet as a TUN device hands it over.
    ///
    /// # Errors
    /// If it is not a whole TCP segment over IPv4 with right checksums.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let (addresses, segment) = ipv4::parse(bytes)?;
        let (from, to, header, payload) = tcp::parse(segment)?;
        if sum(addresses, segment) != 0 {
            return Err(Malformed::Checksum);
        }
        Ok(Packet {
            source: SocketAddrV4::new(addresses.source, from),
            destination: SocketAddrV4::new(addresses.destination, to),
            header,
            payload,
        })
    }

    /// The packet in bytes, under an `identification` of IPv4.
    ///
    /// # Panics
    /// If it is longer than IPv4 can carry.
    #[must_use]
    pub fn write(&self, identification: u16) -> Vec<u8> {
        self.write_marked(identification, 0)
    }

    /// The packet in bytes, with `tos` (DSCP and ECN) in its IPv4 header.
    ///
    /// # Panics
    ///
    /// As [`Packet::write`].
    #[must_use]
    pub fn write_marked(&self, identification: u16, tos: u8) -> Vec<u8> {
        let mut segment =
            Vec::with_capacity(tcp::LENGTH + super::options::MAX_OPTION_BYTES + self.payload.len());
        tcp::write(self.source.port(), self.destination.port(), &self.header, &mut segment);
        segment.extend(self.payload);
        let addresses =
            Addresses { source: *self.source.ip(), destination: *self.destination.ip() };
        let sum = sum(addresses, &segment);
        tcp::write_checksum(&mut segment, sum);
        let length = u16::try_from(segment.len()).ok().filter(|l| *l <= MAX_BYTES);
        let length = length.expect("a packet has at most 65535 bytes");
        let mut bytes = Vec::with_capacity(ipv4::LENGTH + segment.len());
        ipv4::write(addresses, Label { identification, tos }, length, &mut bytes);
        bytes.extend(segment);
        bytes
    }

    /// DSCP and ECN of a packet that [`Packet::parse`] has read.
    #[must_use]
    pub fn tos(bytes: &[u8]) -> u8 {
        bytes[1]
    }

    /// Number of sequence numbers that the segment takes: its data, SYN and FIN.
    #[must_use]
    pub fn length(&self) -> u32 {
        let flags = self.header.flags;
        let control = u32::from(flags.has(tcp::Flags::SYN)) + u32::from(flags.has(tcp::Flags::FIN));
        self.payload.len() as u32 + control
    }
}

/// Most bytes of a segment.
const MAX_BYTES: u16 = u16::MAX - ipv4::LENGTH as u16;

/// The checksum of a segment.
fn sum(addresses: Addresses, segment: &[u8]) -> u16 {
    // A segment that came in is never longer than its IPv4 packet; one to go out is checked later.
    addresses.pseudo_header(segment.len() as u16).add(segment).finish()
}
