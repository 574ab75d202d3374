//! The codec: IPv4 [RFC 791] and TCP [RFC 9293 3.1] between bytes and values, and the 32-bit sequence
//! numbers of the wire against the 64-bit counters of `airtcp_tcp`.
//!
//! Bytes that come in are hostile until they have passed [`Packet::parse`]: the parser allocates nothing
//! for them, and refuses malformed ones with a reason. Left out: fragments (this host forbids them),
//! IPv6, urgent data (the pointer is ignored).

mod checksum;
mod ipv4;
mod malformed;
mod options;
mod packet;
mod probe;
mod sequence;
mod tcp;

pub use malformed::Malformed;
pub use options::{MAX_BLOCKS, Options, SackBlocks, Timestamps};
pub use packet::Packet;
pub use probe::{ProbeKind, ProbeOption};
pub use sequence::Sequence;
pub use tcp::{Flags, Header};

/// Bytes of an IPv4 and a TCP header without options.
pub const HEADERS: usize = 40;
