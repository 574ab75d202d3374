//! The header of TCP [RFC 9293 3.1] and the options that matter to a sender.

use super::bytes::NETWORK;
use super::ip::IpPacket;

/// Most SACK blocks of a segment [RFC 2018 3].
pub const MAX_SACK_BLOCKS: usize = 4;

/// The control bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u8);

impl Flags {
    /// No more data.
    pub const FIN: Flags = Flags(1);
    /// Synchronise.
    pub const SYN: Flags = Flags(2);
    /// Reset.
    pub const RST: Flags = Flags(4);
    /// Push.
    pub const PSH: Flags = Flags(8);
    /// The acknowledgement counts.
    pub const ACK: Flags = Flags(16);
    /// ECN echo [RFC 3168].
    pub const ECE: Flags = Flags(64);
    /// Congestion window reduced [RFC 3168].
    pub const CWR: Flags = Flags(128);

    /// Returns true if all flags of `other` are set.
    #[must_use]
    pub const fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Options of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Largest segment.
    pub mss: Option<u16>,
    /// Window scale.
    pub scale: Option<u8>,
    /// SACK permitted.
    pub sack_permitted: bool,
    /// Timestamp and echo.
    pub timestamps: Option<(u32, u32)>,
    /// SACK blocks; the first `sack_count` entries are valid.
    pub sack: [(u32, u32); MAX_SACK_BLOCKS],
    /// Number of SACK blocks.
    pub sack_count: u8,
    /// Kinds of the first options, except those without a meaning, in order; 0 behind the last.
    pub kinds: [u8; 8],
}

/// A segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Nanoseconds since 1970.
    pub time: i64,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgement.
    pub ack: u32,
    /// Control bits.
    pub flags: Flags,
    /// Window field.
    pub window: u16,
    /// Bytes of data.
    pub length: u32,
    /// Bytes of the headers of IP and TCP.
    pub headers: u16,
    /// ECN field of the IP header.
    pub ecn: u8,
    /// Identification of the IP packet; 0 where it has none.
    pub id: u16,
    /// Hops that the packet may still go.
    pub ttl: u8,
    /// Options, as far as they were kept.
    pub options: Options,
    /// True if some options were not kept.
    pub truncated: bool,
    /// True if the packet is shorter than the length in its IP header.
    pub shorter_than_claimed: bool,
}

impl Segment {
    /// The number after its last one.
    #[must_use]
    pub fn end_seq(&self) -> u32 {
        let flags =
            u32::from(self.flags.contains(Flags::SYN)) + u32::from(self.flags.contains(Flags::FIN));
        self.seq.wrapping_add(self.length).wrapping_add(flags)
    }
}

/// Ports, and the segment; `None` if its header was cut before the options or cannot be.
pub(super) fn parse(packet: &IpPacket<'_>, time: i64) -> Option<((u16, u16), Segment)> {
    let kept = packet.payload;
    let fixed: &[u8; 20] = kept.first_chunk()?;
    let header = usize::from(fixed[12] >> 4) * 4;
    let options = kept.get(20..header.min(kept.len()))?;
    let ports = (NETWORK.read_u16(kept, 0)?, NETWORK.read_u16(kept, 2)?);
    let segment = Segment {
        time,
        seq: NETWORK.read_u32(kept, 4)?,
        ack: NETWORK.read_u32(kept, 8)?,
        flags: Flags(fixed[13]),
        window: NETWORK.read_u16(kept, 14)?,
        length: packet.length.checked_sub(header as u32)?,
        headers: u16::try_from(packet.header).ok()?.checked_add(header as u16)?,
        ecn: packet.ecn,
        id: packet.id,
        ttl: packet.ttl,
        options: parse_options(options),
        truncated: kept.len() < header,
        shorter_than_claimed: packet.shorter_than_claimed,
    };
    Some((ports, segment))
}

/// Option kind of SACK blocks; if truncated, complete blocks count.
const SACK: u8 = 5;

/// Reads options; an impossible length ends them.
fn parse_options(mut bytes: &[u8]) -> Options {
    let (mut found, mut place) = (Options::default(), 0);
    while let Some((&kind, rest)) = bytes.split_first() {
        bytes = rest;
        match kind {
            0 => break,
            1 => continue,
            _ => {}
        }
        if let Some(free) = found.kinds.get_mut(place) {
            (*free, place) = (kind, place + 1);
        }
        let Some((&length, rest)) = bytes.split_first() else { break };
        let Some(length) = usize::from(length).checked_sub(2) else { break };
        let Some((body, rest)) = rest.split_at_checked(length) else {
            if kind == SACK {
                read_option(&mut found, kind, &rest[..rest.len() / 8 * 8]);
            }
            break;
        };
        read_option(&mut found, kind, body);
        bytes = rest;
    }
    found
}

fn read_option(options: &mut Options, kind: u8, body: &[u8]) {
    let long = |at: usize| NETWORK.read_u32(body, at).unwrap_or(0);
    match (kind, body.len()) {
        (2, 2) => options.mss = NETWORK.read_u16(body, 0),
        (3, 1) => options.scale = Some(body[0]),
        (4, 0) => options.sack_permitted = true,
        (SACK, length) if length.is_multiple_of(8) => {
            let blocks = (length / 8).min(MAX_SACK_BLOCKS);
            (0..blocks).for_each(|i| options.sack[i] = (long(8 * i), long(8 * i + 4)));
            options.sack_count = blocks as u8;
        }
        (8, 8) => options.timestamps = Some((long(0), long(4))),
        _ => {}
    }
}
