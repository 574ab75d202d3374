//! IPv4 [RFC 791] and IPv6 [RFC 8200] as far as TCP needs them; payload may be cut off.

use super::bytes::NETWORK;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const TCP: u8 = 6;
/// Extension headers of IPv6 that may stand before TCP: hop-by-hop, routing, destination options.
const EXTENSIONS: [u8; 3] = [0, 43, 60];

/// A packet with TCP in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet<'a> {
    pub source: IpAddr,
    pub destination: IpAddr,
    /// Two bits [RFC 3168 5].
    pub ecn: u8,
    /// The segment as far as it was kept.
    pub kept: &'a [u8],
    /// Its bytes.
    pub length: u32,
}

/// Reads a packet of `length` bytes; `None` if it is no first fragment of TCP over IP.
pub(super) fn parse(kept: &[u8], length: u32) -> Option<Packet<'_>> {
    match kept.first()? >> 4 {
        4 => ipv4(kept, length),
        6 => ipv6(kept, length),
        _ => None,
    }
}

fn ipv4(kept: &[u8], length: u32) -> Option<Packet<'_>> {
    let fixed: &[u8; 20] = kept.first_chunk()?;
    let header = usize::from(fixed[0] & 15) * 4;
    let fragment = NETWORK.short(kept, 6)? & 0x3FFF != 0;
    if header < 20 || fixed[9] != TCP || fragment {
        return None;
    }
    // A packet that offload will cut may say 0.
    let total = match NETWORK.short(kept, 2)? {
        0 => length,
        said => u32::from(said),
    };
    let address = |at: usize| Some(IpAddr::from(Ipv4Addr::from_bits(NETWORK.long(kept, at)?)));
    Some(Packet {
        source: address(12)?,
        destination: address(16)?,
        ecn: fixed[1] & 3,
        kept: kept.get(header..)?,
        length: total.checked_sub(header as u32)?,
    })
}

fn ipv6(kept: &[u8], length: u32) -> Option<Packet<'_>> {
    let fixed: &[u8; 40] = kept.first_chunk()?;
    let address = |at: usize| {
        let octets: [u8; 16] = *fixed[at..].first_chunk()?;
        Some(IpAddr::from(Ipv6Addr::from(octets)))
    };
    let mut payload = match NETWORK.short(kept, 4)? {
        0 => length.checked_sub(40)?,
        said => u32::from(said),
    };
    let (mut next, mut rest) = (fixed[6], &kept[40..]);
    while EXTENSIONS.contains(&next) {
        let more = (usize::from(*rest.get(1)?) + 1) * 8;
        next = rest[0];
        rest = rest.get(more..)?;
        payload = payload.checked_sub(more as u32)?;
    }
    (next == TCP).then_some(Packet {
        source: address(8)?,
        destination: address(24)?,
        ecn: fixed[1] >> 4 & 3,
        kept: rest,
        length: payload,
    })
}
