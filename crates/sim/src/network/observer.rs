//! What a run shows to those who look.

use super::packet::Packet;
use airtcp_core::Instant;
use airtcp_radio::Cause;
use airtcp_tcp::Sender;

/// What happened to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The sender sent it, for the first time or again.
    Sent {
        /// Whether it was sent before.
        again: bool,
    },
    /// An ACK: the sender has processed it, and sent what it allows.
    Acked,
    /// The retransmission timer expired for it, and the sender has drawn its conclusions.
    TimedOut,
    /// An expiry of the timer for it is now known to have been spurious.
    Spurious,
    /// It was lost on the hop that leads on from this node.
    Lost(Cause),
    /// It arrived at this node, which is not the sender.
    Arrived,
    /// An ACK: the receiver sent it.
    AckSent,
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment<'a> {
    /// When.
    pub at: Instant,
    /// Nodes are numbered from the sender, 0, to the receiver.
    pub node: u32,
    /// The sender of the flow.
    pub sender: &'a Sender,
    /// The packet concerned.
    pub packet: Packet,
    /// What happened to it.
    pub event: Event,
}

/// Somebody who looks.
pub trait Observer {
    /// Whether there is anybody: if not, losses are not even collected.
    const LOOKS: bool;
    /// Takes note of an event.
    fn note(&mut self, moment: Moment<'_>);

    /// Whether there is no room for more.
    fn is_full(&self) -> bool {
        false
    }

    /// Source `source` of cross-traffic has sent a packet of `bits`.
    #[inline]
    fn datagram_sent(&mut self, _source: usize, _bits: u64) {}

    /// A packet of source `source` has arrived where it was sent to.
    #[inline]
    fn datagram_arrived(&mut self, _source: usize, _bits: u64) {}

    /// Shows an event of `sender`'s flow at `node`, if there is anybody to see it.
    #[inline]
    fn see(
        &mut self,
        at: Instant,
        node: usize,
        sender: &Sender,
        what: impl FnOnce() -> (Packet, Event),
    ) {
        if Self::LOOKS {
            let (packet, event) = what();
            self.note(Moment { at, node: node as u32, sender, packet, event });
        }
    }
}

/// Nobody looks.
pub struct Nobody;

impl Observer for Nobody {
    const LOOKS: bool = false;
    #[inline]
    fn note(&mut self, _: Moment<'_>) {}
}
