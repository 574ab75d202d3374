//! A queue in motion: what it is asked, and what it answers.

use crate::link::losses::Cause;
use airtcp_core::Instant;

/// A packet that waits, as its queue sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// When it came to the queue.
    pub since: Instant,
    /// Its length on the air.
    pub bits: u64,
    /// Whose it is, counted from 0 ([`airtcp_core::Payload::owner`]).
    pub owner: u32,
    /// Where the transmitter keeps the packet.
    pub(crate) place: u32,
    /// Whether it can carry a mark in place of being dropped ([`airtcp_core::Payload::takes_marks`]).
    pub takes_marks: bool,
    /// Whether it leaves with a mark, which the queue sets before it offers the packet.
    pub is_marked: bool,
}

/// What a queue has for a transmitter that is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// This packet is sent now.
    Send(Ticket),
    /// Something waits, but nothing is to be sent before this instant, which is later than now. The queue is asked again
    /// then, or after the next packet has come.
    Wait(Instant),
    /// Nothing waits.
    Empty,
}

/// Packets that a queue has dropped.
#[derive(Debug, Default)]
pub struct Drops(Vec<(Ticket, Cause)>);

impl Drops {
    /// Drops `ticket`.
    #[inline]
    pub fn push(&mut self, ticket: Ticket, cause: Cause) {
        self.0.push((ticket, cause));
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the packet kept at `place` is among them.
    #[inline]
    pub(crate) fn includes(&self, place: u32) -> bool {
        self.0.iter().any(|(ticket, _)| ticket.place == place)
    }

    /// Those that were dropped since, in their order.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (Ticket, Cause)> {
        self.0.drain(..)
    }
}

/// A queue in motion. Every ticket that was enqueued is offered once or dropped once.
pub trait Queue: std::fmt::Debug + Send {
    /// The packet of `ticket` comes, at `ticket.since`, which never runs back. `is_free` says that nothing is in transmission
    /// or waits: the packet is the next one to be sent, at once or when a gate, a slot or an opportunity allows.
    fn enqueue(&mut self, ticket: Ticket, is_free: bool, drops: &mut Drops);

    /// The transmitter is free at `now`, which never runs back.
    fn dequeue(&mut self, now: Instant, drops: &mut Drops) -> Offer;

    /// The link goes down: everything that waits is dropped with [`Cause::Gate`], in the order in which it came.
    fn cut(&mut self, drops: &mut Drops);

    /// Whether `dequeue` may drop packets. The driver is then woken for every packet that leaves the queue, so that it learns
    /// of losses as they happen, and not with the next arrival.
    fn drops_late(&self) -> bool {
        false
    }
}
