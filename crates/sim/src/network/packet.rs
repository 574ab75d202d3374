//! A segment on its way, with what the simulator notes on it.

use airtcp_core::{Instant, Payload};
use airtcp_tcp::Segment;

/// A segment of one of the flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packet {
    /// Whose it is.
    pub flow: u32,
    /// Sequence numbers per full packet of that flow.
    pub mss: u32,
    /// When the data was first sent: of a data packet; of an ACK: of the new data that called for it,
    /// [`Instant::NEVER`] if there was none.
    pub born: Instant,
    /// What travels.
    pub segment: Segment,
}

impl Packet {
    /// Number of the data packet; of an ACK: of the last one received in order, -1 if there is none.
    #[must_use]
    #[inline]
    pub fn ordinal(&self) -> i64 {
        let mss = u64::from(self.mss);
        match self.segment {
            Segment::Data { seq, .. } => (seq / mss).cast_signed(),
            Segment::Ack { next, .. } => next.div_ceil(mss).cast_signed() - 1,
        }
    }
}

impl Payload for Packet {
    #[inline]
    fn bits(&self) -> u64 {
        self.segment.bits()
    }

    #[inline]
    fn number(&self) -> Option<u64> {
        u64::try_from(self.ordinal()).ok()
    }
}
