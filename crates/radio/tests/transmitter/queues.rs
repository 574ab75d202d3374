//! Queues that no scenario can name: other orders than that of arrival, waits, late drops; and broken ones, which show that the
//! properties of queues can fail.

use airtcp_core::{Instant, Span};
use airtcp_radio::LossCause;
use airtcp_radio::queue::{Backlog, Dequeued, Fifo, Guarantees, Order, PacketId, Queue};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

/// Packets in transmission and waiting, of all these queues that have a limit.
pub(crate) const LIMIT: u64 = 4;

fn ordered(order: Order) -> Guarantees {
    Guarantees { order, ..Guarantees::default() }
}

/// Owners take turns; the one of whom most packets wait loses its newest when the queue is full.
#[derive(Debug, Default)]
pub(crate) struct RoundRobin {
    of: [VecDeque<PacketId>; 2],
    turn: usize,
}

impl Queue for RoundRobin {
    fn guarantees(&self) -> Guarantees {
        ordered(Order::Owner)
    }

    fn enqueue(&mut self, id: PacketId, _: bool, backlog: &mut Backlog) {
        self.of[backlog[id].owner as usize % 2].push_back(id);
        if self.of.iter().map(VecDeque::len).sum::<usize>() as u64 >= LIMIT {
            let longest = usize::from(self.of[1].len() > self.of[0].len());
            backlog.drop(self.of[longest].pop_back().unwrap(), LossCause::Queue);
        }
    }

    fn dequeue(&mut self, _: Instant, _: &mut Backlog) -> Dequeued {
        self.turn = 1 - self.turn;
        let next = self.of[self.turn].pop_front();
        next.or_else(|| self.of[1 - self.turn].pop_front()).map_or(Dequeued::Empty, Dequeued::Send)
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        let mut all: Vec<PacketId> = self.of.iter_mut().flat_map(|one| one.drain(..)).collect();
        all.sort_by_key(|id| backlog[*id].since);
        all.into_iter().for_each(|id| backlog.drop(id, LossCause::Gate));
    }
}

/// The packet that came last is sent first. What it promises, and how many it lets wait, is set from outside.
#[derive(Debug)]
pub(crate) struct Lifo(pub(crate) Order, pub(crate) u64, Vec<PacketId>);

impl Lifo {
    pub(crate) fn new(promised: Order, limit: u64) -> Self {
        Lifo(promised, limit, Vec::new())
    }
}

impl Queue for Lifo {
    fn guarantees(&self) -> Guarantees {
        ordered(self.0)
    }

    fn enqueue(&mut self, id: PacketId, _: bool, backlog: &mut Backlog) {
        if self.2.len() as u64 + 1 < self.1 {
            self.2.push(id);
        } else {
            backlog.drop(id, LossCause::Queue);
        }
    }

    fn dequeue(&mut self, _: Instant, _: &mut Backlog) -> Dequeued {
        self.2.pop().map_or(Dequeued::Empty, Dequeued::Send)
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.2.drain(..).for_each(|id| backlog.drop(id, LossCause::Gate));
    }
}

/// A queue in order, with a least time from one packet to the next; whether it says that it waits is set from outside.
#[derive(Debug)]
pub(crate) struct Spaced {
    pub(crate) says_so: bool,
    least: Span,
    next: Instant,
    fifo: Fifo,
}

impl Spaced {
    pub(crate) fn new(says_so: bool, least: Span) -> Self {
        Spaced { says_so, least, next: Instant::START, fifo: Fifo::default() }
    }
}

impl Queue for Spaced {
    fn guarantees(&self) -> Guarantees {
        Guarantees { may_wait: self.says_so, ..Guarantees::default() }
    }

    fn enqueue(&mut self, id: PacketId, _: bool, backlog: &mut Backlog) {
        if self.fifo.packets() + 1 < LIMIT {
            self.fifo.push(id, backlog);
        } else {
            backlog.drop(id, LossCause::Queue);
        }
    }

    fn dequeue(&mut self, now: Instant, backlog: &mut Backlog) -> Dequeued {
        if self.fifo.packets() > 0 && now < self.next {
            return Dequeued::Wait(self.next);
        }
        let Some(id) = self.fifo.pop(backlog) else { return Dequeued::Empty };
        self.next = now + self.least;
        Dequeued::Send(id)
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.fifo.drop_all(backlog);
    }
}

/// A queue in order; what has waited for longer than `longest` is dropped where it would be sent. Whether it says so is set from outside.
#[derive(Debug)]
pub(crate) struct Impatient {
    pub(crate) says_so: bool,
    longest: Span,
    fifo: Fifo,
}

impl Impatient {
    pub(crate) fn new(says_so: bool, longest: Span) -> Self {
        Impatient { says_so, longest, fifo: Fifo::default() }
    }
}

impl Queue for Impatient {
    fn guarantees(&self) -> Guarantees {
        Guarantees { drops_on_dequeue: self.says_so, ..Guarantees::default() }
    }

    fn enqueue(&mut self, id: PacketId, _: bool, backlog: &mut Backlog) {
        self.fifo.push(id, backlog);
    }

    fn dequeue(&mut self, now: Instant, backlog: &mut Backlog) -> Dequeued {
        while let Some(id) = self.fifo.pop(backlog) {
            if now - backlog[id].since <= self.longest {
                return Dequeued::Send(id);
            }
            backlog.drop(id, LossCause::Queue);
        }
        Dequeued::Empty
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.fifo.drop_all(backlog);
    }
}

/// A queue in order, without a limit, but for one fault.
#[derive(Debug)]
pub(crate) struct Faulty {
    fault: Fault,
    fifo: Fifo,
    came: u64,
    last: Option<PacketId>,
}

/// Ways in which the queue is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Every third packet is neither kept nor dropped.
    Forgets,
    /// The packet before is offered again where nothing waits.
    Repeats,
    /// It says that nothing waits while one packet does.
    Hides,
    /// It chooses the packets that it drops by more than the scenario and the seed.
    Moody,
    /// It says that it waits until a time that has passed.
    Stutters,
    /// It marks every packet.
    Marks,
}

static MOOD: AtomicU64 = AtomicU64::new(0);

impl Faulty {
    pub(crate) fn new(fault: Fault) -> Self {
        Faulty { fault, fifo: Fifo::default(), came: 0, last: None }
    }
}

impl Queue for Faulty {
    fn guarantees(&self) -> Guarantees {
        Guarantees { may_wait: self.fault == Fault::Stutters, ..Guarantees::default() }
    }

    fn enqueue(&mut self, id: PacketId, _: bool, backlog: &mut Backlog) {
        self.came += 1;
        match self.fault {
            Fault::Forgets if self.came.is_multiple_of(3) => {}
            Fault::Moody if MOOD.fetch_add(1, Ordering::Relaxed).is_multiple_of(5) => {
                backlog.drop(id, LossCause::Queue);
            }
            _ => self.fifo.push(id, backlog),
        }
    }

    fn dequeue(&mut self, now: Instant, backlog: &mut Backlog) -> Dequeued {
        match self.fault {
            Fault::Hides if self.fifo.packets() == 1 && self.came > 1 => return Dequeued::Empty,
            Fault::Stutters if self.last.is_none() => {
                self.last = self.fifo.first();
                return Dequeued::Wait(now);
            }
            _ => {}
        }
        let next = self.fifo.pop(backlog);
        if self.fault == Fault::Marks {
            next.into_iter().for_each(|id| backlog.mark(id));
        }
        let again =
            self.last.filter(|_| self.fault == Fault::Repeats && self.came.is_multiple_of(2));
        let next = again.or(next);
        self.last = if self.fault == Fault::Repeats { next } else { None };
        next.map_or(Dequeued::Empty, Dequeued::Send)
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.fifo.drop_all(backlog);
    }
}
