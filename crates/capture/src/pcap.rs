//! The classic format [draft-ietf-opsawg-pcap]: a header, then packets.

use super::bytes::ByteOrder;
use super::frame::{FileRecord, Frame};
use super::refusal::Refusal;

/// Bytes of the header of a file.
pub(super) const FILE_HEADER_BYTES: usize = 24;
const RECORD_HEADER_BYTES: usize = 16;
const MICROSECOND_MAGIC: u32 = 0xA1B2_C3D4;
const NANOSECOND_MAGIC: u32 = 0xA1B2_3C4D;
/// Bits of the last field of the header that name the link; above them stands the length of a checksum.
const LINKTYPE_MASK: u32 = 0xFFFF;

/// Most bytes that a program keeps of a packet with TCP (`MAXIMUM_SNAPLEN` of libpcap).
const MAX_PACKET: u32 = 1 << 18;
/// Largest time difference between consecutive records, in seconds.
const SECONDS_PER_DAY: u32 = 86_400;

/// Reader of the records of a pcap file, with the fields of its header.
#[derive(Debug)]
pub(super) struct RecordReader {
    order: ByteOrder,
    /// Nanoseconds per unit of time.
    nanos_per_unit: i64,
    link: u32,
    /// Second of the record before.
    previous_seconds: Option<u32>,
}

impl RecordReader {
    /// Reads the header with which a file begins.
    pub(super) fn open(bytes: &[u8]) -> Result<Self, Refusal> {
        let (order, scale) =
            byte_order_and_scale(bytes).ok_or_else(|| other_format_refusal(bytes))?;
        let link = order.read_u32(bytes, 20).ok_or(Refusal::Truncated(0))? & LINKTYPE_MASK;
        Ok(RecordReader { order, nanos_per_unit: scale, link, previous_seconds: None })
    }

    /// The record at place `at` of the file, with which `bytes` begin; `None` if it is not whole.
    pub(super) fn next<'a>(
        &mut self,
        bytes: &'a [u8],
        at: u64,
    ) -> Result<Option<FileRecord<'a>>, Refusal> {
        let field = |n: usize| self.order.read_u32(bytes, 4 * n);
        let [Some(seconds), Some(part), Some(kept), Some(length)] = [0, 1, 2, 3].map(field) else {
            return Ok(None);
        };
        if !is_plausible_record(kept, length, part, self.nanos_per_unit) {
            return Err(Refusal::Length(at));
        }
        let Some(kept) = bytes[RECORD_HEADER_BYTES..].get(..kept as usize) else { return Ok(None) };
        let time = i64::from(seconds) * 1_000_000_000 + i64::from(part) * self.nanos_per_unit;
        self.previous_seconds = Some(seconds);
        let frame = Frame { interface: 0, time, linktype: self.link, bytes: kept, length };
        Ok(Some(FileRecord { bytes: RECORD_HEADER_BYTES + kept.len(), frame: Some(frame) }))
    }

    /// The refusal of a file that ends within the record at place `at`.
    pub(super) fn end(&self, bytes: &[u8], at: u64) -> Refusal {
        end(at, self.order.read_u32(bytes, 0), self.previous_seconds)
    }
}

/// The refusal of a file that ends within a record of this second, or within bytes that are no record.
fn end(at: u64, seconds: Option<u32>, before: Option<u32>) -> Refusal {
    let is_record = match (seconds, before) {
        (Some(now), Some(before)) => now.abs_diff(before) < SECONDS_PER_DAY,
        _ => true,
    };
    if is_record { Refusal::Truncated(at) } else { Refusal::Length(at) }
}

/// Returns true if a record can have these fields; a reader that goes on behind the last record finds others. Some
/// programs leave out of a packet's length what they keep beside it, but none has packets without a byte.
fn is_plausible_record(kept: u32, length: u32, part: u32, scale: i64) -> bool {
    let sizes = kept > 0 && kept <= MAX_PACKET && length > 0;
    sizes && i64::from(part) * scale < 1_000_000_000
}

/// First bytes of other formats, and the reason why such a file is not read.
const OTHER_FORMATS: [(&[u8], &str); 7] = [
    (
        b"snoop\0\0\0",
        "is a snoop file, which is not read: `editcap FILE OUT.pcapng` makes one that is",
    ),
    (
        b"GMBU",
        "is a file of Microsoft Network Monitor: `editcap FILE OUT.pcapng` makes one that is read",
    ),
    (
        b"TRSNIFF data",
        "is a Sniffer file, which is not read: `editcap FILE OUT.pcapng` makes one that is",
    ),
    (
        &[0x34, 0xCD, 0xB2, 0xA1],
        "is a pcap file as Kuznetzov changed it: `editcap FILE OUT.pcapng` makes one that is read",
    ),
    (
        &[0xA1, 0xB2, 0xCD, 0x34],
        "is a pcap file as Kuznetzov changed it: `editcap FILE OUT.pcapng` makes one that is read",
    ),
    (b"version https://git-lfs", "is a pointer of Git LFS: the capture itself was not fetched"),
    (&[0x1F, 0x8B], "is compressed twice"),
];

/// Reason why a file that begins like no capture is none.
fn other_format_refusal(bytes: &[u8]) -> Refusal {
    let known = OTHER_FORMATS.iter().find(|(begins, _)| bytes.starts_with(begins));
    known.map_or(Refusal::Format, |(_, message)| Refusal::Unusable(message))
}

/// Order of the bytes, and nanoseconds per unit of time.
fn byte_order_and_scale(bytes: &[u8]) -> Option<(ByteOrder, i64)> {
    [ByteOrder { is_big_endian: false }, ByteOrder { is_big_endian: true }].into_iter().find_map(
        |order| match order.read_u32(bytes, 0)? {
            MICROSECOND_MAGIC => Some((order, 1000)),
            NANOSECOND_MAGIC => Some((order, 1)),
            _ => None,
        },
    )
}
