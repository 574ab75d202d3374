//! Segments that travel between the two ends.

use airtcp_core::{Ecn, Payload};
use serde::Serialize;
use std::num::NonZeroU32;

/// Most blocks that fit beside no other option [RFC 2018, section 3].
pub(crate) const MAX_BLOCKS: usize = 4;

/// A run of received data above the cumulative ACK: `[start, end)` in sequence numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Block {
    /// First sequence number.
    pub start: u64,
    /// First sequence number after it.
    pub end: u64,
}

/// The SACK option of an ACK: blocks, the most recent first. They are kept relative to the
/// cumulative ACK, in half the memory: no window spans more than 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sack {
    len: u32,
    offsets: [(u32, u32); MAX_BLOCKS],
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

    /// Returns whether there are none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// One of the two probes of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum ProbeKind {
    /// PROBE1.
    First,
    /// PROBE2.
    Second,
}

/// Kind and number of a probe, packed into one number, which its answer must repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ProbeId(NonZeroU32);

impl ProbeId {
    /// The probe of a kind with a number from 1 to 2^31 - 1.
    ///
    /// # Panics
    /// If the number is 0.
    #[must_use]
    pub fn new(kind: ProbeKind, number: u32) -> Self {
        let packed = number << 1 | u32::from(kind == ProbeKind::Second);
        ProbeId(NonZeroU32::new(packed).filter(|_| number > 0).expect("numbered from 1"))
    }

    /// Kind of the probe.
    #[must_use]
    pub fn kind(self) -> ProbeKind {
        if self.0.get() & 1 == 1 { ProbeKind::Second } else { ProbeKind::First }
    }

    /// Number of the probe.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0.get() >> 1
    }
}

/// Length of the option of a probe and of its answer [lahanas reading, section 1].
pub const PROBE_OPTION_BYTES: u32 = 8;

/// A segment. Sequence numbers count from 0, in packets or in bytes as the
/// sender's configuration says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Segment {
    /// Data `[seq, seq + len)`.
    Data {
        /// First sequence number.
        seq: u64,
        /// Count of sequence numbers.
        len: u32,
        /// Length on the air.
        bits: u64,
        /// Timestamp (TSval), 0 without timestamps [RFC 7323].
        stamp: u32,
    },
    /// Everything below `next` has arrived: `next` is expected.
    Ack {
        /// The next sequence number expected.
        next: u64,
        /// Length on the air.
        bits: u64,
        /// SACK blocks: data that arrived beyond it.
        sack: Sack,
        /// The time that it echoes (TSecr), 0 without timestamps [RFC 7323].
        echo: u32,
    },
    /// A header without data that asks for an answer.
    Probe {
        /// The next sequence number that its sender would send.
        seq: u64,
        /// Kind and number of the probe.
        id: ProbeId,
        /// Length on the air.
        bits: u64,
    },
    /// The answer to a probe. It acknowledges like an ACK but never counts as a duplicate.
    ProbeAck {
        /// The next sequence number expected.
        next: u64,
        /// Kind and number of the probe that it answers.
        id: ProbeId,
        /// Length on the air.
        bits: u64,
    },
}

/// A data packet as its sender hands it over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// First sequence number.
    pub seq: u64,
    /// Count of sequence numbers.
    pub len: u32,
    /// Length on the air.
    pub bits: u64,
    /// True if it begins with data that was sent before.
    pub is_retransmission: bool,
    /// Timestamp (TSval), 0 without timestamps [RFC 7323].
    pub stamp: u32,
    /// ECN field: a packet with ECT may be marked instead of dropped [RFC 3168].
    pub ecn: Ecn,
    /// True if CWR (window reduced) is set.
    pub cwr: bool,
}

/// An acknowledgement as its receiver hands it over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// The next sequence number expected.
    pub next: u64,
    /// Length on the air.
    pub bits: u64,
    /// SACK blocks: data that arrived beyond it.
    pub sack: Sack,
    /// The time that it echoes (TSecr), 0 without timestamps [RFC 7323].
    pub echo: u32,
    /// True if it echoes a mark (ECE) [RFC 3168].
    pub marked: bool,
}

/// A probe as its sender hands it over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The next sequence number that its sender would send.
    pub seq: u64,
    /// Kind and number of the probe.
    pub id: ProbeId,
    /// Length on the air.
    pub bits: u64,
}

/// The answer to a probe as its receiver hands it over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeAck {
    /// The next sequence number expected.
    pub next: u64,
    /// Kind and number of the probe that it answers.
    pub id: ProbeId,
    /// Length on the air.
    pub bits: u64,
}

impl From<Data> for Segment {
    #[inline]
    fn from(Data { seq, len, bits, stamp, .. }: Data) -> Self {
        Segment::Data { seq, len, bits, stamp }
    }
}

impl From<Ack> for Segment {
    #[inline]
    fn from(Ack { next, bits, sack, echo, .. }: Ack) -> Self {
        Segment::Ack { next, bits, sack, echo }
    }
}

impl From<Probe> for Segment {
    fn from(Probe { seq, id, bits }: Probe) -> Self {
        Segment::Probe { seq, id, bits }
    }
}

impl From<ProbeAck> for Segment {
    fn from(ProbeAck { next, id, bits }: ProbeAck) -> Self {
        Segment::ProbeAck { next, id, bits }
    }
}

impl Payload for Segment {
    #[inline]
    fn bits(&self) -> u64 {
        match *self {
            Segment::Data { bits, .. }
            | Segment::Ack { bits, .. }
            | Segment::Probe { bits, .. }
            | Segment::ProbeAck { bits, .. } => bits,
        }
    }
}
