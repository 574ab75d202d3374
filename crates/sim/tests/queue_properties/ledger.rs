//! A plain model beside a queue: a list of what waits, which goes by what the queue answers, and says which property that breaks.

use crate::queue_properties::claim::Claim;
use airtcp_core::Instant;
use airtcp_radio::queue::{Backlog, Dequeued, Guarantees, Order, PacketId, Queue, WaitingPacket};
use std::sync::{Arc, Mutex};

/// A property, and how it is broken.
pub(crate) type Fault = (&'static str, String);

/// A packet that waits.
#[derive(Debug)]
struct Packet {
    id: PacketId,
    ticket: WaitingPacket,
    /// True if the packet found the transmitter free.
    was_next: bool,
}

/// Packets that wait, in the order of arrival, and sums of the bits that came, were sent and were dropped.
#[derive(Debug)]
pub(crate) struct Ledger {
    claim: Claim,
    waiting: Vec<Packet>,
    pub(crate) came: u64,
    pub(crate) sent: u64,
    pub(crate) dropped: u64,
    pub(crate) faults: Vec<Fault>,
}

impl Ledger {
    /// Number of packets that wait, and their bits.
    pub(crate) fn waiting(&self) -> (u64, u64) {
        let bits = self.waiting.iter().map(|packet| packet.ticket.bits).sum();
        (self.waiting.len() as u64, bits)
    }

    fn is_within_limit(&self) -> bool {
        let (packets, bits) = self.waiting();
        self.claim.limit.holds(packets, bits) || packets == 1 && self.waiting[0].was_next
    }

    /// Notes the first fault against each property.
    fn hold(
        &mut self,
        distribution: &'static str,
        holds: bool,
        otherwise: impl FnOnce(&Self) -> String,
    ) {
        if !holds && self.faults.iter().all(|fault| fault.0 != distribution) {
            let fault = otherwise(self);
            self.faults.push((distribution, fault));
        }
    }

    /// Removes the packets that the queue has just dropped, and returns how many they are.
    fn drop_some(&mut self, backlog: &Backlog) -> usize {
        let (before, dropped) = (self.waiting.len(), &mut self.dropped);
        self.waiting.retain(|packet| {
            let drops = backlog.has_just_dropped(packet.id);
            *dropped += if drops { packet.ticket.bits } else { 0 };
            !drops
        });
        before - self.waiting.len()
    }

    fn enqueued(&mut self, id: PacketId, was_next: bool, backlog: &Backlog) {
        let ticket = backlog[id];
        self.came += ticket.bits;
        self.waiting.push(Packet { id, ticket, was_next });
        let tokens = self.claim.tokens.map_or(f64::INFINITY, |tokens| tokens.burst);
        let fits = self.is_within_limit() && ticket.bits as f64 <= tokens;
        let drops = self.drop_some(backlog);
        let holds = drops == 0 || !fits || !self.claim.drops_only_excess;
        self.hold("drops only excess", holds, |all| format!("{ticket:?} {:?}", all.claim));
        self.hold("limit", self.is_within_limit(), |all| format!("{all:?}"));
    }

    fn dequeued(&mut self, now: Instant, answer: Dequeued, backlog: &Backlog) {
        let guarantees = self.claim.guarantees;
        let drops = self.drop_some(backlog);
        self.hold("drops late", drops == 0 || guarantees.drops_on_dequeue, |_| format!("{now:?}"));
        match answer {
            Dequeued::Send(id) => self.sends(id, backlog),
            Dequeued::Wait(until) => {
                let holds = guarantees.may_wait && now < until && !self.waiting.is_empty();
                self.hold("works", holds, |all| format!("{now:?} {until:?} {:?}", all.waiting));
            }
            Dequeued::Empty => {
                let holds = self.waiting.is_empty();
                self.hold("works", holds, |all| format!("{now:?} {:?}", all.waiting));
            }
        }
    }

    fn sends(&mut self, id: PacketId, backlog: &Backlog) {
        let Some(place) = self.waiting.iter().position(|packet| packet.id == id) else {
            return self.hold("conserves", false, |all| format!("{id:?} of {all:?}"));
        };
        let ticket = self.waiting[place].ticket;
        let first = match self.claim.guarantees.order {
            Order::Arrival => 0,
            Order::Owner => {
                let is_its = |packet: &Packet| packet.ticket.owner == ticket.owner;
                self.waiting.iter().position(is_its).expect("it is there")
            }
            Order::Any => place,
        };
        self.hold("order", place == first, |all| format!("{ticket:?} {:?}", all.waiting));
        let may = ticket.ecn.takes_marks() && self.claim.marks;
        self.hold("marks", may || !backlog[id].is_marked, |_| format!("{ticket:?}"));
        self.sent += ticket.bits;
        self.waiting.remove(place);
    }
}

/// The ledger of a queue, which can be read also after the run.
#[derive(Clone, Debug)]
pub(crate) struct Book(Arc<Mutex<Ledger>>);

impl Book {
    pub(crate) fn read<T>(&self, read: impl FnOnce(&mut Ledger) -> T) -> T {
        read(&mut self.0.lock().expect("nobody panics while he writes"))
    }
}

/// `queue`, which claims so much, and its book.
pub(crate) fn watched(queue: Box<dyn Queue>, claim: Claim) -> (Box<dyn Queue>, Book) {
    let (waiting, faults) = (Vec::new(), Vec::new());
    let ledger = Ledger { claim, waiting, came: 0, sent: 0, dropped: 0, faults };
    let book = Book(Arc::new(Mutex::new(ledger)));
    (Box::new(Watched { queue, book: book.clone() }), book)
}

#[derive(Debug)]
struct Watched {
    queue: Box<dyn Queue>,
    book: Book,
}

impl Queue for Watched {
    fn guarantees(&self) -> Guarantees {
        self.queue.guarantees()
    }

    fn enqueue(&mut self, id: PacketId, is_free: bool, backlog: &mut Backlog) {
        self.queue.enqueue(id, is_free, backlog);
        self.book.read(|ledger| ledger.enqueued(id, is_free, backlog));
    }

    fn dequeue(&mut self, now: Instant, backlog: &mut Backlog) -> Dequeued {
        let answer = self.queue.dequeue(now, backlog);
        self.book.read(|ledger| ledger.dequeued(now, answer, backlog));
        answer
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.queue.cut(backlog);
        self.book.read(|ledger| ledger.drop_some(backlog));
    }
}
