//! Segments as they are on the wire, and between whom.

use crate::fast_open::Cookie;
use crate::segment::Segment;

/// Two ends of a connection, seen from the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortPair {
    /// Own port.
    pub local: u16,
    /// Address of the other end.
    pub address: u32,
    /// Port of the other end.
    pub remote: u16,
}

/// A segment on the wire, with the 32-bit numbers of its header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Datagram {
    /// Between whom.
    pub pair: PortPair,
    /// The segment itself.
    pub segment: Segment,
    /// Fast Open cookie that a SYN carries or requests.
    pub cookie: Option<Cookie>,
}
