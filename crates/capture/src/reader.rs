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
const MAX_TIME: i64 = 1 << 62;

/// A TCP segment and between whom.
#[derive(Clone, Copy, Debug)]
pub struct CapturedSegment {
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
pub enum PacketKind<'a> {
    /// TCP.
    Segment(CapturedSegment),
    /// UDP.
    Datagram(Datagram<'a>),
}

/// Contents of a file beside its segments and datagrams.
#[derive(Clone, Debug, Default)]
pub struct CaptureSummary {
    /// The comment of the first section.
    pub comment: Option<Vec<u8>>,
    /// Offset from which the file is no valid capture, if it continues beyond it.
    pub damage: Option<Damage>,
    /// Numbers of packets that were not read, by the protocol that they are in.
    pub unread: BTreeMap<&'static str, u64>,
    /// Most bytes that were kept of a packet that was cut.
    pub snap_length: usize,
    /// Packets of the file, read or not.
    pub packets: u64,
}

/// Offset from which a file is no valid capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The first byte that cannot be read.
    pub at: u64,
    /// Packets before that byte.
    pub packets: u64,
    /// Bytes from there on.
    pub bytes: u64,
    /// True if these bytes begin like a packet that the end of the file cuts.
    pub is_truncated: bool,
}

/// The format of a file, once its first bytes have shown it.
#[derive(Debug)]
enum Format {
    Records(pcap::RecordReader),
    Blocks(pcapng::BlockReader),
}

/// Reads a capture.
#[derive(Debug, Default)]
pub struct Reader {
    format: Option<Format>,
    /// Bytes that were fed and not read, as they are no whole record: fewer than 16 MiB and a piece.
    unparsed: Vec<u8>,
    /// Place of the first byte that was not read, and bytes fed.
    offset: u64,
    bytes_fed: u64,
    summary: CaptureSummary,
}

impl Reader {
    /// Creates a reader for a new file.
    #[must_use]
    pub fn new() -> Self {
        Reader::default()
    }

    /// The comment of the first section, as far as it was read.
    #[must_use]
    pub fn comment(&self) -> Option<&[u8]> {
        self.summary.comment.as_deref()
    }

    /// Takes the next piece of the file, and calls `each` with what is in it, in the order of the file; other packets
    /// are counted. A refusal by `each` ends the reading.
    ///
    /// # Errors
    /// If the bytes are no capture, or have no packet before they stop to be one.
    pub fn feed(
        &mut self,
        piece: &[u8],
        each: &mut impl FnMut(&PacketKind<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.bytes_fed += piece.len() as u64;
        if self.summary.damage.is_some() {
            return Ok(());
        }
        if self.unparsed.is_empty() {
            let read = self.take_records(piece, false, each)?;
            self.unparsed.extend_from_slice(&piece[read..]);
        } else {
            let mut held = std::mem::take(&mut self.unparsed);
            held.extend_from_slice(piece);
            let read = self.take_records(&held, false, each)?;
            held.drain(..read);
            self.unparsed = held;
        }
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If it is no capture, or has no packet.
    pub fn finish(
        mut self,
        each: &mut impl FnMut(&PacketKind<'_>) -> Result<(), Refusal>,
    ) -> Result<CaptureSummary, Refusal> {
        let held = std::mem::take(&mut self.unparsed);
        if self.summary.damage.is_none() {
            self.take_records(&held, true, each)?;
        }
        if let Some(damage) = &mut self.summary.damage {
            damage.bytes = self.bytes_fed.saturating_sub(damage.at);
        }
        Ok(self.summary)
    }

    /// Reads the whole records among `bytes`; how many bytes these are.
    fn take_records(
        &mut self,
        bytes: &[u8],
        is_end: bool,
        each: &mut impl FnMut(&PacketKind<'_>) -> Result<(), Refusal>,
    ) -> Result<usize, Refusal> {
        let mut read = 0;
        loop {
            match self.parse_record(&bytes[read..], is_end, each) {
                Ok(0) => return Ok(read),
                Ok(more) => {
                    read += more;
                    self.offset += more as u64;
                }
                Err(why) => {
                    self.summary.damage =
                        Some(damage_from_refusal(&why, self.summary.packets).ok_or(why)?);
                    return Ok(bytes.len());
                }
            }
        }
    }

    /// Reads the record that `bytes` begin with; its bytes, 0 if it is not whole.
    fn parse_record(
        &mut self,
        bytes: &[u8],
        is_end: bool,
        each: &mut impl FnMut(&PacketKind<'_>) -> Result<(), Refusal>,
    ) -> Result<usize, Refusal> {
        let Reader { format, offset: at, summary, .. } = self;
        let record = match format {
            None if bytes.len() < pcap::FILE_HEADER_BYTES && !is_end => return Ok(0),
            None if pcapng::is_pcapng(bytes) => {
                *format = Some(Format::Blocks(pcapng::BlockReader::default()));
                return self.parse_record(bytes, is_end, each);
            }
            None => {
                *format = Some(Format::Records(pcap::RecordReader::open(bytes)?));
                return Ok(pcap::FILE_HEADER_BYTES);
            }
            Some(_) if bytes.is_empty() => return Ok(0),
            Some(Format::Records(records)) => match records.next(bytes, *at)? {
                None if is_end => return Err(records.end(bytes, *at)),
                found => found,
            },
            Some(Format::Blocks(blocks)) => match blocks.next(bytes, *at, &mut summary.comment)? {
                None if is_end => return Err(blocks.end(bytes, *at)),
                found => found,
            },
        };
        let Some(record) = record else { return Ok(0) };
        if let Some(frame) = &record.frame {
            summary.take(frame, each)?;
        }
        Ok(record.bytes)
    }
}

impl CaptureSummary {
    fn take(
        &mut self,
        frame: &Frame<'_>,
        each: &mut impl FnMut(&PacketKind<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.packets += 1;
        if (frame.bytes.len() as u64) < u64::from(frame.length) {
            self.snap_length = self.snap_length.max(frame.bytes.len());
        }
        let unread = match classify(frame) {
            Ok(found) => {
                each(&found)?;
                match found {
                    PacketKind::Datagram(datagram) => datagram.tunnel,
                    PacketKind::Segment(_) => None,
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

/// The damage described by a refusal, if packets precede it; its bytes are filled in at the end.
fn damage_from_refusal(why: &Refusal, packets: u64) -> Option<Damage> {
    let (at, cut) = match *why {
        Refusal::Truncated(at) => (at, true),
        Refusal::Length(at) => (at, false),
        _ => return None,
    };
    (packets > 0).then_some(Damage { at, packets, bytes: 0, is_truncated: cut })
}

/// The segment or datagram in a frame. The error names the protocol of the frame, if one could be inside it.
fn classify<'a>(frame: &Frame<'a>) -> Result<PacketKind<'a>, Option<&'static str>> {
    let (kept, above) = link::strip_link_header(frame.linktype, frame.bytes)?;
    let packet = ip::parse(kept, frame.length.saturating_sub(above))?;
    let time = frame.time.clamp(0, MAX_TIME);
    if packet.protocol == ip::UDP {
        let found = udp::parse(&packet, frame.interface, time).map(PacketKind::Datagram);
        return found.ok_or((packet.payload.len() < 8).then_some(ip::CUT_HEADERS));
    }
    let (ports, segment) =
        tcp::parse(&packet, time).ok_or((packet.payload.len() < 20).then_some(ip::CUT_HEADERS))?;
    let at = |address: IpAddr, port| SocketAddr::new(address, port);
    Ok(PacketKind::Segment(CapturedSegment {
        interface: frame.interface,
        source: at(packet.source, ports.0),
        destination: at(packet.destination, ports.1),
        segment,
    }))
}
