//! Captures: pcap and pcapng files with TCP in them. A file is hostile until it is read: its lengths allocate
//! nothing, and impossible contents are refused in a line.

mod bytes;
mod frame;
mod ip;
mod link;
mod pcap;
mod pcapng;
mod refusal;
mod tcp;

pub use refusal::Refusal;
pub use tcp::{Flags, MOST_BLOCKS, Options, Segment};

use frame::Frame;
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

/// Most packets of a capture, and most segments that they are cut into: a replay keeps some 300 bytes of each.
pub const MOST_PACKETS: u64 = 2_000_000;

/// Latest time in ns since 1970, so that times and their differences can be added: the year 2116.
const LATEST: i64 = 1 << 62;

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

/// Contents of a file beside its segments.
#[derive(Clone, Debug, Default)]
pub struct Rest<'a> {
    /// The comment of the first section.
    pub comment: Option<&'a [u8]>,
    /// The place from which on the file is no capture, though it goes on.
    pub damage: Option<Damage>,
    /// Numbers of packets that were not read, by the protocol that they are in.
    pub unread: BTreeMap<&'static str, u64>,
    /// Most bytes that were kept of a packet that was cut.
    pub snap: usize,
}

/// The place from which on a file is no capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The first byte that cannot be read.
    pub at: usize,
    /// Packets before that byte.
    pub packets: u64,
    /// Bytes from there on.
    pub bytes: usize,
    /// True if these bytes begin like a packet that the end of the file cuts.
    pub cut: bool,
}

/// Calls `each` with the TCP segments of a capture in the order of the file; other packets are counted.
///
/// # Errors
/// If the bytes are no capture, or have no packet before they stop to be one.
pub fn read(bytes: &[u8], mut each: impl FnMut(&Seen)) -> Result<Rest<'_>, Refusal> {
    let (mut packets, mut rest) = (0, Rest::default());
    let mut take = |frame: &Frame<'_>| {
        packets += 1;
        if packets > MOST_PACKETS {
            return Err(Refusal::Packets(MOST_PACKETS));
        }
        if (frame.kept.len() as u64) < u64::from(frame.length) {
            rest.snap = rest.snap.max(frame.kept.len());
        }
        match segment_of(frame) {
            Ok(seen) => each(&seen),
            Err(Some(name)) => *rest.unread.entry(name).or_default() += 1,
            Err(None) => {}
        }
        Ok(())
    };
    let mut comment = None;
    let read = match pcapng::begins(bytes) {
        true => pcapng::read(bytes, &mut comment, &mut take),
        false => pcap::read(bytes, &mut take),
    };
    rest.comment = comment;
    if let Err(why) = read {
        rest.damage = Some(damage(&why, bytes.len(), packets).ok_or(why)?);
    }
    Ok(rest)
}

/// The damage that a refusal tells of, if packets stand before it.
fn damage(why: &Refusal, length: usize, packets: u64) -> Option<Damage> {
    let (at, cut) = match *why {
        Refusal::Truncated(at) => (at, true),
        Refusal::Length(at) => (at, false),
        _ => return None,
    };
    (packets > 0).then_some(Damage { at, packets, bytes: length.saturating_sub(at), cut })
}

/// The TCP segment in a frame. The error names the protocol of the frame, if TCP could be inside it.
fn segment_of(frame: &Frame<'_>) -> Result<Seen, Option<&'static str>> {
    let (kept, above) = link::strip(frame.link, frame.kept)?;
    let packet = ip::parse(kept, frame.length.saturating_sub(above))?;
    let (ports, segment) = tcp::parse(&packet, frame.time.clamp(0, LATEST))
        .ok_or((packet.kept.len() < 20).then_some(ip::CUT))?;
    let at = |address: IpAddr, port| SocketAddr::new(address, port);
    Ok(Seen {
        interface: frame.interface,
        source: at(packet.source, ports.0),
        destination: at(packet.destination, ports.1),
        segment,
    })
}
