//! Packet numbers for forced losses. They count the first TCP connection from the sender's side, as the simulator does:
//! data packets by their first payload byte, ACKs by the last packet received in order. Probes and their answers have
//! no number.

use crate::wire::{Flags, Header, Packet, Sequence};
use std::net::SocketAddrV4;

/// Numbers the packets of one connection.
#[derive(Clone, Debug)]
pub struct Numbering {
    /// Payload of a full packet in bytes.
    unit: u64,
    first: Option<Connection>,
}

#[derive(Clone, Debug)]
struct Connection {
    sender: SocketAddrV4,
    receiver: SocketAddrV4,
    numbers: Sequence,
    /// The counter near which sequence numbers are expected next.
    expected_counter: u64,
}

impl Numbering {
    /// Makes a numbering with `unit` bytes of payload per full packet, at least 1.
    #[must_use]
    pub fn new(unit: u64) -> Self {
        Numbering { unit, first: None }
    }

    /// The number of a packet from the sender's side (`direction` 0) or of the answer to one (1).
    pub fn number(&mut self, direction: usize, packet: &[u8]) -> Option<u64> {
        let packet = Packet::parse(packet).ok()?;
        if direction == 0 { self.data_number(&packet) } else { self.ack_number(&packet) }
    }

    fn data_number(&mut self, packet: &Packet<'_>) -> Option<u64> {
        if packet.header.flags.has(Flags::SYN) && self.first.is_none() {
            self.first = Some(Connection {
                sender: packet.source,
                receiver: packet.destination,
                numbers: Sequence::after(packet.header.seq),
                expected_counter: 0,
            });
            return None;
        }
        let first = self.first.as_mut()?;
        if (packet.source, packet.destination) != (first.sender, first.receiver) {
            return None;
        }
        let offset =
            u64::try_from(first.numbers.counter(packet.header.seq, first.expected_counter)).ok()?;
        first.expected_counter = first.expected_counter.max(offset);
        (!packet.payload.is_empty()).then(|| offset / self.unit)
    }

    fn ack_number(&self, packet: &Packet<'_>) -> Option<u64> {
        let first = self.first.as_ref()?;
        let is_its = (packet.source, packet.destination) == (first.receiver, first.sender);
        let Header { flags, options, .. } = packet.header;
        let is_ack = !flags.has(Flags::SYN) && packet.payload.is_empty() && options.probe.is_none();
        if !is_its || !is_ack {
            return None;
        }
        let next = first.numbers.counter(packet.header.ack, first.expected_counter);
        u64::try_from(next).ok()?.div_ceil(self.unit).checked_sub(1)
    }
}
