//! A reader into which a file is fed piece by piece.

use super::frame::Frame;
use super::ip;
use super::link;
use super::pcap;
use super::pcapng;
use super::refusal::Refusal;
use super::tcp::{self, Segment};
use super::udp::{self, Datagram};
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

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

/// Contents of a packet that are read.
#[derive(Clone, Copy, Debug)]
pub enum Found<'a> {
    /// TCP.
    Segment(Seen),
    /// UDP.
    Datagram(Datagram<'a>),
}

/// Contents of a file beside its segments and datagrams.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// The comment of the first section.
    pub comment: Option<Vec<u8>>,
    /// The place from which on the file is no capture, though it goes on.
    pub damage: Option<Damage>,
    /// Numbers of packets that were not read, by the protocol that they are in.
    pub unread: BTreeMap<&'static str, u64>,
    /// Most bytes that were kept of a packet that was cut.
    pub snap: usize,
    /// Packets of the file, read or not.
    pub packets: u64,
}

/// The place from which on a file is no capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The first byte that cannot be read.
    pub at: u64,
    /// Packets before that byte.
    pub packets: u64,
    /// Bytes from there on.
    pub bytes: u64,
    /// True if these bytes begin like a packet that the end of the file cuts.
    pub cut: bool,
}

/// The format of a file, once its first bytes have told it.
#[derive(Debug)]
enum Format {
    Records(pcap::Records),
    Blocks(pcapng::Blocks),
}

/// Reads a capture.
#[derive(Debug, Default)]
pub struct Reader {
    format: Option<Format>,
    /// Bytes that were fed and not read, as they are no whole record: fewer than 16 MiB and a piece.
    held: Vec<u8>,
    /// Place of the first byte that was not read, and bytes fed.
    at: u64,
    fed: u64,
    rest: Rest,
}

impl Reader {
    /// Makes one for a file of which nothing was fed.
    #[must_use]
    pub fn new() -> Self {
        Reader::default()
    }

    /// The comment of the first section, as far as it was read.
    #[must_use]
    pub fn comment(&self) -> Option<&[u8]> {
        self.rest.comment.as_deref()
    }

    /// Takes the next piece of the file, and calls `each` with what is in it, in the order of the file; other packets
    /// are counted. A refusal by `each` ends the reading.
    ///
    /// # Errors
    /// If the bytes are no capture, or have no packet before they stop to be one.
    pub fn feed(
        &mut self,
        piece: &[u8],
        each: &mut impl FnMut(&Found<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.fed += piece.len() as u64;
        if self.rest.damage.is_some() {
            return Ok(());
        }
        if self.held.is_empty() {
            let read = self.take(piece, false, each)?;
            self.held.extend_from_slice(&piece[read..]);
        } else {
            let mut held = std::mem::take(&mut self.held);
            held.extend_from_slice(piece);
            let read = self.take(&held, false, each)?;
            held.drain(..read);
            self.held = held;
        }
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If it is no capture, or has no packet.
    pub fn finish(
        mut self,
        each: &mut impl FnMut(&Found<'_>) -> Result<(), Refusal>,
    ) -> Result<Rest, Refusal> {
        let held = std::mem::take(&mut self.held);
        if self.rest.damage.is_none() {
            self.take(&held, true, each)?;
        }
        if let Some(damage) = &mut self.rest.damage {
            damage.bytes = self.fed.saturating_sub(damage.at);
        }
        Ok(self.rest)
    }

    /// Reads the whole records among `bytes`; how many bytes these are.
    fn take(
        &mut self,
        bytes: &[u8],
        is_end: bool,
        each: &mut impl FnMut(&Found<'_>) -> Result<(), Refusal>,
    ) -> Result<usize, Refusal> {
        let mut read = 0;
        loop {
            match self.step(&bytes[read..], is_end, each) {
                Ok(0) => return Ok(read),
                Ok(more) => {
                    read += more;
                    self.at += more as u64;
                }
                Err(why) => {
                    self.rest.damage = Some(damage(&why, self.rest.packets).ok_or(why)?);
                    return Ok(bytes.len());
                }
            }
        }
    }

    /// Reads the record that `bytes` begin with; its bytes, 0 if it is not whole.
    fn step(
        &mut self,
        bytes: &[u8],
        is_end: bool,
        each: &mut impl FnMut(&Found<'_>) -> Result<(), Refusal>,
    ) -> Result<usize, Refusal> {
        let Reader { format, at, rest, .. } = self;
        let record = match format {
            None if bytes.len() < pcap::HEADER && !is_end => return Ok(0),
            None if pcapng::begins(bytes) => {
                *format = Some(Format::Blocks(pcapng::Blocks::default()));
                return self.step(bytes, is_end, each);
            }
            None => {
                *format = Some(Format::Records(pcap::Records::open(bytes)?));
                return Ok(pcap::HEADER);
            }
            Some(_) if bytes.is_empty() => return Ok(0),
            Some(Format::Records(records)) => match records.next(bytes, *at)? {
                None if is_end => return Err(records.end(bytes, *at)),
                found => found,
            },
            Some(Format::Blocks(blocks)) => match blocks.next(bytes, *at, &mut rest.comment)? {
                None if is_end => return Err(blocks.end(bytes, *at)),
                found => found,
            },
        };
        let Some(record) = record else { return Ok(0) };
        if let Some(frame) = &record.frame {
            rest.take(frame, each)?;
        }
        Ok(record.bytes)
    }
}

impl Rest {
    fn take(
        &mut self,
        frame: &Frame<'_>,
        each: &mut impl FnMut(&Found<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.packets += 1;
        if (frame.kept.len() as u64) < u64::from(frame.length) {
            self.snap = self.snap.max(frame.kept.len());
        }
        let unread = match found(frame) {
            Ok(found) => {
                each(&found)?;
                match found {
                    Found::Datagram(one) => one.carrier,
                    Found::Segment(_) => None,
                }
            }
            Err(unread) => unread,
        };
        if let Some(name) = unread {
            *self.unread.entry(name).or_default() += 1;
        }
        Ok(())
    }
}

/// The damage that a refusal tells of, if packets stand before it; its bytes follow at the end.
fn damage(why: &Refusal, packets: u64) -> Option<Damage> {
    let (at, cut) = match *why {
        Refusal::Truncated(at) => (at, true),
        Refusal::Length(at) => (at, false),
        _ => return None,
    };
    (packets > 0).then_some(Damage { at, packets, bytes: 0, cut })
}

/// The segment or datagram in a frame. The error names the protocol of the frame, if one could be inside it.
fn found<'a>(frame: &Frame<'a>) -> Result<Found<'a>, Option<&'static str>> {
    let (kept, above) = link::strip(frame.link, frame.kept)?;
    let packet = ip::parse(kept, frame.length.saturating_sub(above))?;
    let time = frame.time.clamp(0, LATEST);
    if packet.protocol == ip::UDP {
        let found = udp::parse(&packet, frame.interface, time).map(Found::Datagram);
        return found.ok_or((packet.kept.len() < 8).then_some(ip::CUT));
    }
    let (ports, segment) =
        tcp::parse(&packet, time).ok_or((packet.kept.len() < 20).then_some(ip::CUT))?;
    let at = |address: IpAddr, port| SocketAddr::new(address, port);
    Ok(Found::Segment(Seen {
        interface: frame.interface,
        source: at(packet.source, ports.0),
        destination: at(packet.destination, ports.1),
        segment,
    }))
}
