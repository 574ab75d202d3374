//! What travels between the two ends.

use airtcp_core::Payload;
use serde::Serialize;

/// Most blocks that fit beside no other option [RFC 2018, section 3].
pub(crate) const MOST_BLOCKS: usize = 4;

/// A run of received data above the cumulative ACK: `[start, end)` in sequence numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Block {
    /// First sequence number.
    pub start: u64,
    /// First sequence number after it.
    pub end: u64,
}

/// The SACK option of an ACK: blocks, the most recent first. They are kept relative to the
/// cumulative ACK, in half the room: no window spans more than 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sack {
    len: u32,
    offsets: [(u32, u32); MOST_BLOCKS],
}

impl Sack {
    /// Adds the part of a block above the cumulative ACK `next`, if there is any and room for it.
    pub fn push(&mut self, next: u64, block: Block) {
        let offset = |at: u64| u32::try_from(at - next).expect("a window spans 32 bits");
        if block.end <= next {
            return;
        }
        if let Some(slot) = self.offsets.get_mut(self.len as usize) {
            *slot = (offset(block.start.max(next)), offset(block.end));
            self.len += 1;
        }
    }

    /// The blocks of an ACK that expects `next`.
    #[inline]
    pub fn blocks(&self, next: u64) -> impl Iterator<Item = Block> {
        let offsets = self.offsets.into_iter().take(self.len());
        offsets.map(move |(start, end)| Block {
            start: next + u64::from(start),
            end: next + u64::from(end),
        })
    }

    /// Number of blocks.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// A data packet or an acknowledgement. Sequence numbers count from 0, in packets or in bytes as the
/// sender's configuration says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Segment {
    /// Data `[seq, seq + len)`.
    Data {
        /// First sequence number.
        seq: u64,
        /// How many of them.
        len: u32,
        /// Length on the air.
        bits: u64,
        /// When it was sent (TSval), 0 without timestamps [RFC 7323].
        stamp: u32,
    },
    /// Everything below `next` has arrived: `next` is expected.
    Ack {
        /// The next sequence number expected.
        next: u64,
        /// Length on the air.
        bits: u64,
        /// What has arrived beyond it.
        sack: Sack,
        /// The time that it echoes (TSecr), 0 without timestamps [RFC 7323].
        echo: u32,
    },
}

/// A data packet as its sender hands it over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// First sequence number.
    pub seq: u64,
    /// How many of them.
    pub len: u32,
    /// Length on the air.
    pub bits: u64,
    /// Whether it begins with data that was sent before.
    pub again: bool,
    /// When it was sent (TSval), 0 without timestamps [RFC 7323].
    pub stamp: u32,
}

/// An acknowledgement as its receiver hands it over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// The next sequence number expected.
    pub next: u64,
    /// Length on the air.
    pub bits: u64,
    /// What has arrived beyond it.
    pub sack: Sack,
    /// The time that it echoes (TSecr), 0 without timestamps [RFC 7323].
    pub echo: u32,
}

impl From<Data> for Segment {
    #[inline]
    fn from(Data { seq, len, bits, stamp, .. }: Data) -> Self {
        Segment::Data { seq, len, bits, stamp }
    }
}

impl From<Ack> for Segment {
    #[inline]
    fn from(Ack { next, bits, sack, echo }: Ack) -> Self {
        Segment::Ack { next, bits, sack, echo }
    }
}

impl Payload for Segment {
    #[inline]
    fn bits(&self) -> u64 {
        match *self {
            Segment::Data { bits, .. } | Segment::Ack { bits, .. } => bits,
        }
    }
}
