//! Reasons for which bytes are not an IPv4 packet with TCP in it.

use std::fmt;

/// Reason for which bytes are not a packet for this host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// The bytes end before the headers do.
    Truncated,
    /// The version is not 4.
    NotIpv4,
    /// The protocol is not TCP.
    NotTcp,
    /// The packet is a fragment.
    Fragment,
    /// A length is impossible.
    Length,
    /// The checksum of the IPv4 header is wrong.
    HeaderChecksum,
    /// The checksum of the segment is wrong.
    Checksum,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Malformed::Truncated => "the packet ends before its headers do",
            Malformed::NotIpv4 => "the packet is not IPv4",
            Malformed::NotTcp => "the packet is not TCP",
            Malformed::Fragment => "the packet is a fragment",
            Malformed::Length => "a header is shorter than it can be",
            Malformed::HeaderChecksum => "the checksum of the IPv4 header is wrong",
            Malformed::Checksum => "the checksum of the segment is wrong",
        })
    }
}

impl std::error::Error for Malformed {}
