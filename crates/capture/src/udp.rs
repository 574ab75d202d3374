//! The header of UDP [RFC 768].

use super::bytes::NETWORK;
use super::ip::{IpPacket, udp_tunnel};
use std::net::SocketAddr;

/// A datagram and between whom.
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a> {
    /// Interface by its place in the file.
    pub interface: u32,
    /// Source.
    pub source: SocketAddr,
    /// Destination.
    pub destination: SocketAddr,
    /// Nanoseconds since 1970.
    pub time: i64,
    /// Bytes of the IP packet.
    pub size: u32,
    /// Identification of the IP packet; 0 where it has none.
    pub id: u16,
    /// The payload as far as it was kept.
    pub payload: &'a [u8],
    /// Tunnel protocol of the datagram's ports; the packets in the tunnel are not read.
    pub tunnel: Option<&'static str>,
}

const HEADER: usize = 8;

/// Reads a datagram; `None` if its header was cut or cannot be.
pub(super) fn parse<'a>(packet: &IpPacket<'a>, interface: u32, time: i64) -> Option<Datagram<'a>> {
    let ports = [0, 2].map(|at| NETWORK.read_u16(packet.payload, at));
    // Datagrams that offload will cut, and jumbograms, may say 0 [RFC 2675 4].
    let length = match u32::from(NETWORK.read_u16(packet.payload, 4)?) {
        0 => packet.length,
        length => length.min(packet.length),
    };
    let payload = packet.payload.get(HEADER..)?;
    let length = (length as usize).checked_sub(HEADER)?;
    Some(Datagram {
        interface,
        source: SocketAddr::new(packet.source, ports[0]?),
        destination: SocketAddr::new(packet.destination, ports[1]?),
        time,
        size: packet.header.saturating_add(packet.length),
        id: packet.id,
        payload: &payload[..length.min(payload.len())],
        tunnel: udp_tunnel(ports),
    })
}
