//! What travels between the two ends.

use airtcp_core::Payload;
use serde::Serialize;

/// A data packet or an acknowledgement. Sequence numbers count packets from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Segment {
    /// Packet `seq`, `bits` long.
    Data {
        /// Number of the packet.
        seq: u64,
        /// Length on the air.
        bits: u64,
    },
    /// Everything below `next` has arrived: `next` is expected.
    Ack {
        /// The next expected packet.
        next: u64,
        /// Length on the air.
        bits: u64,
    },
}

impl Payload for Segment {
    fn bits(&self) -> u64 {
        match *self {
            Segment::Data { bits, .. } | Segment::Ack { bits, .. } => bits,
        }
    }
}
