//! Interface between a queue and the transmitter that drives it.

use super::backlog::{Backlog, PacketId};
use airtcp_core::Instant;

/// Answer of a queue to a free transmitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dequeued {
    /// This packet is sent now.
    Send(PacketId),
    /// Packets wait, but none may be sent before this instant, which is later than now. The queue is asked again then, or
    /// after the next arrival.
    Wait(Instant),
    /// Nothing waits.
    Empty,
}

/// Order in which the packets that are not dropped leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The order of arrival.
    #[default]
    Arrival,
    /// Packets of one flow leave as they came; flows may overtake each other.
    Owner,
    /// Packets may leave in any order.
    Any,
}

/// Guarantees of a queue. Its driver relies on them, and property tests check them for every queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guarantees {
    /// Order in which packets leave.
    pub order: Order,
    /// True if the transmitter may have to wait while the queue holds packets; otherwise the queue is work conserving.
    pub may_wait: bool,
    /// True if `dequeue` may drop packets. The driver is then woken for every packet that leaves the queue, so that losses are
    /// reported as they happen, and not with the next arrival.
    pub drops_on_dequeue: bool,
    /// True if only an arriving packet is ever dropped or marked, so that the fate of a packet is known on arrival. Requires the
    /// order of arrival, and a queue that neither waits nor drops late.
    pub only_drops_on_arrival: bool,
}

/// State of a queue in a run. Every packet that was enqueued leaves once or is dropped once; until then its properties stand in
/// `backlog`.
pub trait Queue: std::fmt::Debug + Send {
    /// Packet `id` arrives at `backlog[id].since`, which never decreases. `is_free` is true if nothing is in
    /// transmission or waits, so that the packet is sent next: at once, or when a gate, a slot or an opportunity
    /// allows it.
    fn enqueue(&mut self, id: PacketId, is_free: bool, backlog: &mut Backlog);

    /// Called before an arrival on the clock of ns: seconds for which the transmitter has been idle, as a double
    /// because nanoseconds are too coarse; `None` while it is busy.
    fn has_idled(&mut self, _seconds: Option<f64>) {}

    /// The transmitter is free at `now`, which never runs back.
    fn dequeue(&mut self, now: Instant, backlog: &mut Backlog) -> Dequeued;

    /// The link goes down: everything that waits is dropped with [`LossCause::Gate`](crate::LossCause::Gate), in the order in which
    /// it came.
    fn cut(&mut self, backlog: &mut Backlog);

    /// Guarantees of the queue; by default it keeps the order of arrival, is work conserving, and drops packets only as others
    /// arrive.
    fn guarantees(&self) -> Guarantees {
        Guarantees::default()
    }
}
