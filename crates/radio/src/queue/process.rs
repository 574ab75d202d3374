//! A queue in motion: what it is asked, and what it answers.

use super::backlog::{Backlog, Id};
use airtcp_core::Instant;

/// Answer of a queue to a transmitter that is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// This packet is sent now.
    Send(Id),
    /// Something waits, but nothing is to be sent before this instant, which is later than now. The queue is asked again
    /// then, or after the next packet has come.
    Wait(Instant),
    /// Nothing waits.
    Empty,
}

/// In which order packets are offered, those that are not dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The order of arrival.
    #[default]
    Arrival,
    /// Packets of one owner as they came; owners may overtake each other.
    Owner,
    /// In any order.
    Any,
}

/// Promises of a queue. Its driver goes by them, and so do the laws to which all queues are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promises {
    /// In which order packets are offered.
    pub order: Order,
    /// True if it may have the transmitter wait while it holds packets. If not, it is work conserving.
    pub waits: bool,
    /// True if `dequeue` may drop packets. The driver is then woken for every packet that leaves the queue, so that it learns
    /// of losses as they happen, and not with the next arrival.
    pub drops_late: bool,
    /// True if the only packet that it drops is the one that comes, and the only one that it marks: what becomes of a packet
    /// is then known as it comes. Only with the order of arrival, and of a queue that neither waits nor drops late.
    pub only_refuses: bool,
}

/// A queue in motion. Every packet that was enqueued is offered once or dropped once; until then `backlog` has what there is to
/// know of it.
pub trait Queue: std::fmt::Debug + Send {
    /// The packet `id` comes at `backlog[id].since`, which never runs back. `is_free` says that nothing is in transmission or
    /// waits: the packet is the next one to be sent, at once or when a gate, a slot or an opportunity allows.
    fn enqueue(&mut self, id: Id, is_free: bool, backlog: &mut Backlog);

    /// On the time of ns, before a packet comes: the transmitter has been idle for so many seconds, as doubles have it, of which
    /// whole nanoseconds fall short; none: it is busy.
    fn has_idled(&mut self, _seconds: Option<f64>) {}

    /// The transmitter is free at `now`, which never runs back.
    fn dequeue(&mut self, now: Instant, backlog: &mut Backlog) -> Offer;

    /// The link goes down: everything that waits is dropped with [`Cause::Gate`](crate::Cause::Gate), in the order in which
    /// it came.
    fn cut(&mut self, backlog: &mut Backlog);

    /// Promises of the queue; by default to keep the order of arrival, to be work conserving, and to drop packets only
    /// as others come.
    fn promises(&self) -> Promises {
        Promises::default()
    }
}
