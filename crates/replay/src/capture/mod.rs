//! Captures: pcap and pcapng files with TCP in them. Whatever is in a file is hostile until it is read:
//! nothing is allocated by what it says, and what cannot be is refused in a line.

mod bytes;
mod ip;
mod link;
mod pcap;
mod pcapng;
mod refusal;
mod tcp;

pub use refusal::Refusal;
pub use tcp::{Flags, MOST_BLOCKS, Options, Segment};

use std::net::{IpAddr, SocketAddr};

/// Most packets of a capture, and most segments that they are cut into: a replay keeps some 300 bytes of each.
pub const MOST_PACKETS: u64 = 2_000_000;

/// A packet as it lies in a file.
#[derive(Clone, Copy, Debug)]
struct Frame<'a> {
    /// Interface by its place in the file.
    interface: u32,
    /// Nanoseconds since 1970.
    time: i64,
    /// LINKTYPE of its interface.
    link: u32,
    /// What was kept of it.
    kept: &'a [u8],
    /// How long it was.
    length: u32,
}

/// A TCP segment and between whom.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Interface by its place in the file.
    pub interface: u32,
    /// Source.
    pub source: SocketAddr,
    /// Destination.
    pub destination: SocketAddr,
    /// The segment.
    pub segment: Segment,
}

/// Calls `each` with the TCP segments of a capture in the order of the file; other packets are passed over.
/// Returns the comment of the first section, if there is one.
///
/// # Errors
/// If the bytes are no capture, or end within a packet.
pub fn read(bytes: &[u8], mut each: impl FnMut(&Seen)) -> Result<Option<&[u8]>, Refusal> {
    let mut packets = 0;
    let mut take = |frame: &Frame<'_>| {
        packets += 1;
        if packets > MOST_PACKETS {
            return Err(Refusal::Packets(MOST_PACKETS));
        }
        if let Some(seen) = segment_of(frame) {
            each(&seen);
        }
        Ok(())
    };
    if pcapng::begins(bytes) {
        return pcapng::read(bytes, &mut take);
    }
    pcap::read(bytes, &mut take).map(|()| None)
}

/// The TCP segment in a frame.
fn segment_of(frame: &Frame<'_>) -> Option<Seen> {
    let (kept, above) = link::strip(frame.link, frame.kept)?;
    let packet = ip::parse(kept, frame.length.saturating_sub(above))?;
    let (ports, segment) = tcp::parse(&packet, frame.time)?;
    let at = |address: IpAddr, port| SocketAddr::new(address, port);
    Some(Seen {
        interface: frame.interface,
        source: at(packet.source, ports.0),
        destination: at(packet.destination, ports.1),
        segment,
    })
}
