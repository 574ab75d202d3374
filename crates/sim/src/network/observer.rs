//! The event table: what a run shows to those who look.

use super::packet::Packet;
use airtcp_core::Instant;
use airtcp_radio::Cause;
use airtcp_tcp::{Estimate, Sender};

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<'a> {
    /// The sender sent a data packet, for the first time or again.
    Sent {
        /// The packet.
        packet: &'a Packet,
        /// Whether it was sent before.
        again: bool,
    },
    /// The sender has processed an ACK, and sent what it allows.
    Acked(&'a Packet),
    /// The retransmission timer expired, and the sender has drawn its conclusions.
    TimedOut,
    /// A packet was lost on the hop that leads on from this node.
    Lost {
        /// The packet.
        packet: &'a Packet,
        /// By what.
        cause: Cause,
    },
    /// A packet arrived at this node, which is not the sender.
    Arrived(&'a Packet),
    /// The receiver sent an ACK.
    AckSent(&'a Packet),
}

/// The sender's part in an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment<'a> {
    /// When.
    pub at: Instant,
    /// Which flow.
    pub flow: u32,
    /// Nodes are numbered from the sender, 0, to the receiver.
    pub node: u32,
    /// That flow's sender.
    pub sender: &'a Sender,
}

impl Moment<'_> {
    /// What its timer knows.
    #[must_use]
    pub fn estimate(&self) -> Estimate {
        self.sender.estimate()
    }
}

/// Somebody who looks.
pub trait Observer {
    /// Whether there is anybody: if not, losses are not even collected.
    const LOOKS: bool;
    /// Takes note of an event.
    fn note(&mut self, moment: Moment<'_>, event: Event<'_>);
}

/// Nobody looks.
pub struct Nobody;

impl Observer for Nobody {
    const LOOKS: bool = false;
    #[inline]
    fn note(&mut self, _: Moment<'_>, _: Event<'_>) {}
}
