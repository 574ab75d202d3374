//! IPv4 [RFC 791] and IPv6 [RFC 8200] as far as TCP and UDP need them; payload may be cut off.

use super::bytes::NETWORK;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Protocols that are read.
pub(super) const TCP: u8 = 6;
pub(super) const UDP: u8 = 17;
/// Extension headers of IPv6 that may stand before TCP: hop-by-hop, routing, destination options; and that of a fragment,
/// which may be the whole packet [RFC 6946].
const IPV6_EXTENSIONS: [u8; 3] = [0, 43, 60];
const IPV6_FRAGMENT: u8 = 44;
/// Bits of the fragment word that are set if there are other fragments.
const NON_FIRST_FRAGMENT: u16 = 0xFFF9;

/// An IP packet that carries TCP or UDP.
#[derive(Clone, Copy, Debug)]
pub(super) struct IpPacket<'a> {
    pub source: IpAddr,
    pub destination: IpAddr,
    /// Two bits [RFC 3168 5].
    pub ecn: u8,
    /// Identification; 0 in IPv6.
    pub id: u16,
    /// Hops that the packet may still go.
    pub ttl: u8,
    /// `TCP` or `UDP`.
    pub protocol: u8,
    /// The segment or datagram as far as it was kept.
    pub payload: &'a [u8],
    /// Length in bytes.
    pub length: u32,
    /// Bytes of IP headers before it, extensions included.
    pub header: u32,
    /// True if the packet is shorter than the length in its header.
    pub shorter_than_claimed: bool,
}

/// Reads a packet of `length` bytes. The error names the protocol instead of TCP and UDP, if they could be inside it.
pub(super) fn parse(kept: &[u8], length: u32) -> Result<IpPacket<'_>, Option<&'static str>> {
    let found = match kept.first().ok_or(Some(CUT_HEADERS))? >> 4 {
        4 => ipv4(kept, length),
        6 => ipv6(kept, length),
        _ => return Err(None),
    };
    found.ok_or_else(|| tunnel_name(kept))
}

/// Name for packets whose headers were truncated.
pub(super) const CUT_HEADERS: &str = "a snap length that cuts headers";
/// Protocols, and ports of UDP, that carry packets [the registries of IANA].
const TUNNEL_PROTOCOLS: [(u8, &str); 8] = [
    (4, "IP in IP"),
    (41, "IPv6 in IP"),
    (47, "GRE"),
    (50, "ESP (IPsec)"),
    (51, "AH (IPsec)"),
    (44, "IP fragments"),
    (115, "L2TP"),
    (137, "MPLS in IP"),
];
const UDP_TUNNELS: [(u16, &str); 6] = [
    (4789, "VXLAN"),
    (6081, "GENEVE"),
    (2152, "GTP-U"),
    (1701, "L2TP"),
    (3544, "Teredo"),
    (51820, "WireGuard"),
];

/// Tunnel protocol of a packet that is not read.
fn tunnel_name(kept: &[u8]) -> Option<&'static str> {
    let is_four = kept[0] >> 4 == 4;
    let upper = match is_four {
        true => kept.get(9).map(|&protocol| (protocol, usize::from(kept[0] & 15) * 4)),
        false => skip_extensions(kept),
    };
    let Some((protocol, header)) = upper else { return Some(CUT_HEADERS) };
    if protocol == TCP {
        let is_part = is_four && NETWORK.read_u16(kept, 6).is_some_and(|field| field & 0x3FFF != 0);
        return Some(if is_part { "IP fragments" } else { CUT_HEADERS });
    }
    if protocol == UDP {
        return udp_tunnel([0, 2].map(|at| NETWORK.read_u16(kept, header + at)));
    }
    TUNNEL_PROTOCOLS.iter().find(|(number, _)| *number == protocol).map(|(_, name)| *name)
}

/// Tunnel protocol of datagrams between these ports.
pub(super) fn udp_tunnel(ports: [Option<u16>; 2]) -> Option<&'static str> {
    UDP_TUNNELS.iter().find(|(port, _)| ports.contains(&Some(*port))).map(|(_, name)| *name)
}

fn ipv4(kept: &[u8], length: u32) -> Option<IpPacket<'_>> {
    let fixed: &[u8; 20] = kept.first_chunk()?;
    let header = usize::from(fixed[0] & 15) * 4;
    let fragment = NETWORK.read_u16(kept, 6)? & 0x3FFF != 0;
    if header < 20 || ![TCP, UDP].contains(&fixed[9]) || fragment {
        return None;
    }
    // A packet that offload will cut may say 0.
    let total = match NETWORK.read_u16(kept, 2)? {
        0 => length,
        field => u32::from(field),
    };
    let address = |at: usize| Some(IpAddr::from(Ipv4Addr::from_bits(NETWORK.read_u32(kept, at)?)));
    Some(IpPacket {
        source: address(12)?,
        destination: address(16)?,
        ecn: fixed[1] & 3,
        id: NETWORK.read_u16(kept, 4)?,
        ttl: fixed[8],
        protocol: fixed[9],
        header: header as u32,
        payload: kept.get(header..)?,
        length: total.checked_sub(header as u32)?,
        shorter_than_claimed: total > length,
    })
}

fn ipv6(kept: &[u8], length: u32) -> Option<IpPacket<'_>> {
    let fixed: &[u8; 40] = kept.first_chunk()?;
    let address = |at: usize| {
        let octets: [u8; 16] = *fixed[at..].first_chunk()?;
        Some(IpAddr::from(Ipv6Addr::from(octets)))
    };
    let (next, begins) = skip_extensions(kept)?;
    let payload = match NETWORK.read_u16(kept, 4)? {
        0 => length.checked_sub(40)?,
        field => u32::from(field),
    };
    let payload = payload.checked_sub(begins as u32 - 40)?;
    let field = 40 + u32::from(NETWORK.read_u16(kept, 4)?);
    [TCP, UDP].contains(&next).then_some(IpPacket {
        source: address(8)?,
        destination: address(24)?,
        ecn: fixed[1] >> 4 & 3,
        id: 0,
        ttl: fixed[7],
        protocol: next,
        header: begins as u32,
        payload: kept.get(begins..)?,
        length: payload,
        shorter_than_claimed: field > length,
    })
}

/// The protocol behind the extension headers of IPv6, and where it begins.
fn skip_extensions(kept: &[u8]) -> Option<(u8, usize)> {
    let (mut next, mut at) = (*kept.get(6)?, 40);
    loop {
        let length = match next {
            IPV6_FRAGMENT if NETWORK.read_u16(kept, at + 2)? & NON_FIRST_FRAGMENT == 0 => 8,
            _ if IPV6_EXTENSIONS.contains(&next) => (usize::from(*kept.get(at + 1)?) + 1) * 8,
            _ => return Some((next, at)),
        };
        (next, at) = (*kept.get(at)?, at + length);
    }
}
