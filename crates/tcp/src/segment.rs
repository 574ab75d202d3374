//! What travels between the two ends.

use airtcp_core::Payload;
use serde::Serialize;

/// SACK blocks of one ACK, the most recent first.
pub(crate) type Blocks = [Block];

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

/// The SACK option of an ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sack {
    len: u8,
    blocks: [Block; MOST_BLOCKS],
}

impl Sack {
    /// Adds a block; false if there is no room.
    pub fn push(&mut self, block: Block) -> bool {
        let Some(slot) = self.blocks.get_mut(usize::from(self.len)) else { return false };
        *slot = block;
        self.len += 1;
        true
    }

    /// The blocks.
    #[must_use]
    #[inline]
    pub fn blocks(&self) -> &Blocks {
        &self.blocks[..usize::from(self.len)]
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
    },
    /// Everything below `next` has arrived: `next` is expected.
    Ack {
        /// The next sequence number expected.
        next: u64,
        /// Length on the air.
        bits: u64,
        /// What has arrived beyond it.
        sack: Sack,
    },
}

impl Payload for Segment {
    #[inline]
    fn bits(&self) -> u64 {
        match *self {
            Segment::Data { bits, .. } | Segment::Ack { bits, .. } => bits,
        }
    }
}
