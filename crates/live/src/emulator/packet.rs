//! An IP packet on its way, with what is noted on it.

use airtcp_core::{Ecn, Instant, Payload};

/// A packet on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IpPacket {
    /// Counted from 0 in its direction.
    pub id: u64,
    /// Which of its copies this is: 0, and 2^h more if hop h of its direction made it.
    pub copy: u64,
    /// The hop that it came to last, from 0 in its direction; the path counts.
    pub hop: usize,
    /// When it was read from the device: its arrival at the first hop.
    pub arrival: Instant,
    /// Start and end of its transmission on the last hop that it came to; under a link layer that retransmits
    /// from the start of the first fragment to the end of the one that decided its fate.
    pub on_air: Option<(Instant, Instant)>,
    /// Length on the air, with what lower layers add.
    pub bits: u64,
    /// The number by which a forced loss names it.
    pub number: Option<u64>,
    /// Addresses, protocol and ports in one number.
    pub connection: u32,
    /// The two bits of ECN as it came [RFC 3168, section 5].
    pub ecn: u8,
    /// Whether a queue has marked it.
    pub is_marked: bool,
    /// As read; empty in a replay.
    pub bytes: Vec<u8>,
}

impl IpPacket {
    /// A packet as it comes to the path, without a number and without its bytes.
    #[must_use]
    pub fn new(id: u64, arrival: Instant, bits: u64) -> Self {
        IpPacket {
            id,
            copy: 0,
            hop: 0,
            arrival,
            on_air: None,
            bits,
            number: None,
            connection: 0,
            ecn: 0,
            is_marked: false,
            bytes: Vec::new(),
        }
    }
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

    fn ecn(&self) -> Ecn {
        if self.is_marked { Ecn::Ce } else { Ecn::from_bits(self.ecn) }
    }

    fn mark(&mut self) {
        self.is_marked = true;
    }

    fn connection(&self) -> u32 {
        self.connection
    }

    fn twin(&self) -> Self {
        IpPacket { copy: self.copy | 1 << self.hop, ..self.clone() }
    }
}
