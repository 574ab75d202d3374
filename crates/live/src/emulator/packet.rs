//! An IP packet on its way, with what is noted on it.

use airtcp_core::{Instant, Payload};

/// A packet on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IpPacket {
    /// Counted from 0 in its direction.
    pub id: u64,
    /// When it was read from the device: its arrival at the first hop.
    pub arrival: Instant,
    /// Start and end of its transmission on the last hop that it came to; under a link layer that retransmits
    /// from the start of the first fragment to the end of the one that decided its fate.
    pub on_air: Option<(Instant, Instant)>,
    /// Length on the air, with what lower layers add.
    pub bits: u64,
    /// The number by which a forced loss names it.
    pub number: Option<u64>,
    /// As read; empty in a replay.
    pub bytes: Vec<u8>,
}

impl Payload for IpPacket {
    fn bits(&self) -> u64 {
        self.bits
    }

    fn number(&self) -> Option<u64> {
        self.number
    }

    fn on_air(&mut self, start: Instant, end: Instant) {
        self.on_air = Some((start, end));
    }
}
