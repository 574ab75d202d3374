//! An IP packet on its way, with the notes that the emulator keeps on it.

use airtcp_core::{Ecn, Instant, Payload};

/// A packet on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IpPacket {
    /// Number of the packet, counted from 0 in its direction.
    pub id: u64,
    /// Number of this copy: 0 for the original, and 2^h more if hop h of its direction made it.
    pub copy: u64,
    /// The hop that the packet arrived to last, from 0 in its direction; the path keeps this up to date.
    pub hop: usize,
    /// The time at which the driver read the packet from the device: its arrival at the first hop.
    pub arrival: Instant,
    /// Start and end of the packet's transmission on the last hop that it came to; under a link layer that
    /// retransmits, from the start of the first fragment to the end of the fragment that decided the packet's
    /// fate.
    pub on_air: Option<(Instant, Instant)>,
    /// Length on the air in bits, with the headers that lower layers add.
    pub bits: u64,
    /// Packet number for forced losses.
    pub number: Option<u64>,
    /// Hash of addresses, protocol and ports.
    pub connection: u32,
    /// The two ECN bits as the packet arrived [RFC 3168, section 5].
    pub ecn: u8,
    /// True if a queue has marked the packet.
    pub is_marked: bool,
    /// The bytes of the packet as read; empty in a replay.
    pub bytes: Vec<u8>,
}

impl IpPacket {
    /// Makes a packet as it comes to the path, without a number and without its bytes.
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

    fn on_transmission(&mut self, start: Instant, end: Instant) {
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

    fn duplicate(&self) -> Self {
        IpPacket { copy: self.copy | 1 << self.hop, ..self.clone() }
    }
}
