//! Events that a run reports to an observer.

use super::packet::Packet;
use super::traffic::Datagram;
use airtcp_core::{Instant, Span};
use airtcp_linux::connection::Connection;
use airtcp_radio::{LinkHistory, LossCause};
use airtcp_tcp::Sender;

/// Event of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The sender sent it, for the first time or again.
    Sent {
        /// True if it was sent before.
        is_retransmission: bool,
    },
    /// The sender has processed this ACK and sent the data that it allows.
    Acked,
    /// The retransmission timer expired for the packet, and the sender has reacted.
    TimedOut,
    /// A timer expiry for the packet is now known to have been spurious.
    Spurious,
    /// The packet was lost on the hop that leads on from this node.
    Lost(LossCause),
    /// The packet arrived at this node, which is not the sender.
    Arrived,
    /// An ACK: the receiver sent it.
    AckSent,
}

/// The sender of a flow, as observers see it.
#[derive(Clone, Copy, Debug)]
pub enum SenderView<'a> {
    /// A sender of profile `ns2`, `rfc` or `bsd`.
    Classic(&'a Sender),
    /// A sender of profile `linux`; none before it connects.
    Linux(Option<&'a Connection>),
}

/// One event.
#[derive(Clone, Copy, Debug)]
pub struct PacketEvent<'a> {
    /// Time of the event.
    pub at: Instant,
    /// Nodes are numbered from the sender, 0, to the receiver.
    pub node: u32,
    /// The sender of the flow.
    pub sender: SenderView<'a>,
    /// The packet concerned.
    pub packet: Packet,
    /// The event.
    pub event: Event,
}

/// Event of a packet of cross-traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatagramEvent {
    /// Time of the event.
    pub at: Instant,
    /// Node at which the packet was sent or arrived, or at the start of the link that lost it.
    pub node: u32,
    /// The number of its source.
    pub source: u32,
    /// Length of the packet on the air.
    pub bits: u64,
    /// The event: it was sent, has arrived, or was lost on a link.
    pub event: Event,
}

/// Loss of a packet of any owner on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossEvent {
    /// Time of the event.
    pub at: Instant,
    /// The number of the link.
    pub link: u32,
    /// Owner of the packet: sources of cross-traffic are numbered after flows.
    pub owner: u32,
    /// Length of the packet on the air.
    pub bits: u64,
    /// Cause of the loss.
    pub cause: LossCause,
}

/// Receiver of a run's events.
pub trait Observer {
    /// False if events are ignored; then losses are not even collected.
    const ENABLED: bool;
    /// Records an event.
    fn on_event(&mut self, moment: PacketEvent<'_>);

    /// Records what happened to a packet of cross-traffic.
    fn on_datagram_event(&mut self, _: DatagramEvent) {}

    /// Records a loss.
    fn on_loss(&mut self, _: LossEvent) {}

    /// Returns whether links keep what happens on them for [`Observer::accept_link_histories`].
    fn wants_link_histories(&self) -> bool {
        false
    }

    /// Takes the records of each link up to `end`, when the run ended.
    fn accept_link_histories(&mut self, _end: Instant, _links: Vec<LinkHistory>) {}

    /// Returns whether memory is exhausted; `_links` gives the bytes of the links' histories.
    fn is_out_of_memory(&self, _links: impl FnOnce() -> usize) -> bool {
        false
    }

    /// Source `source` of cross-traffic sends a packet.
    #[inline]
    fn on_datagram_sent(&mut self, _source: usize, _packet: &Datagram) {}

    /// A packet of source `source` arrives where it was sent to, after `delay`.
    #[inline]
    fn on_datagram_arrived(&mut self, _source: usize, _packet: &Datagram, _delay: Span) {}

    /// Excludes earlier delays from the quantiles.
    #[inline]
    fn forget_delays(&mut self) {}

    /// Reports an event of `sender`'s flow at `node`, if the observer is enabled.
    #[inline]
    fn emit(
        &mut self,
        at: Instant,
        node: usize,
        sender: SenderView<'_>,
        what: impl FnOnce() -> (Packet, Event),
    ) {
        if Self::ENABLED {
            let (packet, event) = what();
            self.on_event(PacketEvent { at, node: node as u32, sender, packet, event });
        }
    }
}

/// Observer that ignores all events.
pub struct NullObserver;

impl Observer for NullObserver {
    const ENABLED: bool = false;
    #[inline]
    fn on_event(&mut self, _: PacketEvent<'_>) {}
}
