//! A compact record of a segment: ten million of them must fit in memory.

use airtcp_capture::{Flags, MAX_SACK_BLOCKS, Segment};

/// A segment of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub time: i64,
    pub seq: u32,
    pub ack: u32,
    pub length: u32,
    stamp: u32,
    echo: u32,
    /// Place of its SACK blocks among those of the connection, from 1; 0: it has none.
    blocks: u32,
    pub id: u16,
    pub headers: u16,
    /// Flags of TCP.
    pub flags: Flags,
    /// Sum of the marks below.
    marks: u8,
}

const IS_OUTGOING: u8 = 1;
const HAS_TIMESTAMPS: u8 = 2;
const HAS_TRUNCATED_OPTIONS: u8 = 4;
const IS_SHORTER_THAN_CLAIMED: u8 = 8;

/// SACK blocks; unused entries are empty.
pub(super) type Blocks = [(u32, u32); MAX_SACK_BLOCKS];

impl Record {
    /// Keeps a segment, and its SACK blocks with those of its connection.
    pub(super) fn from_segment(segment: &Segment, outgoing: bool, all: &mut Vec<Blocks>) -> Self {
        let options = &segment.options;
        let (stamp, echo) = options.timestamps.unwrap_or((0, 0));
        let blocks = match options.sack_count {
            0 => 0,
            _ => {
                all.push(options.sack);
                u32::try_from(all.len()).unwrap_or(0)
            }
        };
        let marks = u8::from(outgoing) * IS_OUTGOING
            + u8::from(options.timestamps.is_some()) * HAS_TIMESTAMPS
            + u8::from(segment.truncated) * HAS_TRUNCATED_OPTIONS
            + u8::from(segment.shorter_than_claimed) * IS_SHORTER_THAN_CLAIMED;
        Record {
            time: segment.time,
            seq: segment.seq,
            ack: segment.ack,
            length: segment.length,
            stamp,
            echo,
            blocks,
            id: segment.id,
            headers: segment.headers,
            flags: segment.flags,
            marks,
        }
    }

    /// True if the end that sent first sent it.
    pub(super) fn is_outgoing(&self) -> bool {
        self.marks & IS_OUTGOING != 0
    }

    /// True if some of its options were not kept.
    pub(super) fn is_cut(&self) -> bool {
        self.marks & HAS_TRUNCATED_OPTIONS != 0
    }

    /// True if the packet is shorter than the length in its IP header.
    pub(super) fn is_short(&self) -> bool {
        self.marks & IS_SHORTER_THAN_CLAIMED != 0
    }

    /// Timestamp and echo.
    pub(super) fn timestamps(&self) -> Option<(u32, u32)> {
        (self.marks & HAS_TIMESTAMPS != 0).then_some((self.stamp, self.echo))
    }

    /// Its SACK blocks.
    pub(super) fn blocks<'a>(&self, all: &'a [Blocks]) -> Option<&'a Blocks> {
        all.get((self.blocks as usize).checked_sub(1)?)
    }

    /// The segment as far as it was kept, without SACK blocks.
    pub(super) fn segment(&self) -> Segment {
        let options =
            airtcp_capture::Options { timestamps: self.timestamps(), ..Default::default() };
        Segment {
            time: self.time,
            seq: self.seq,
            ack: self.ack,
            flags: self.flags,
            window: 0,
            length: self.length,
            headers: self.headers,
            ecn: 0,
            id: self.id,
            ttl: 0,
            options,
            truncated: self.is_cut(),
            shorter_than_claimed: self.is_short(),
        }
    }

    /// True if two records are equal except for their times; `all` has the SACK blocks of both.
    pub(super) fn is_copy(&self, other: &Record, all: &[Blocks]) -> bool {
        let same = Record { time: other.time, blocks: other.blocks, ..*self } == *other;
        same && self.blocks(all) == other.blocks(all)
    }
}
