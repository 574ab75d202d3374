//! Admission to the queue of a link on the time of ns, by a discipline or by a queue that marks and refuses.

use crate::queue::backlog::{Backlog, WaitingPacket};
use crate::queue::discipline::{Discipline, QueueLength};
use crate::queue::process::{Dequeued, Queue};
use airtcp_core::{EventTime, Instant, Payload};

#[derive(Debug)]
pub(super) struct Admission {
    pub(super) discipline: Discipline,
    refusing_queue: Option<Box<RefusingQueue>>,
}

/// A queue that [drops only arriving packets](crate::queue::Guarantees::only_drops_on_arrival): the packets themselves wait elsewhere.
#[derive(Debug)]
struct RefusingQueue {
    queue: Box<dyn Queue>,
    backlog: Backlog,
}

impl Admission {
    pub(super) fn new(discipline: Discipline, queue: Option<Box<dyn Queue>>) -> Self {
        let refusing =
            queue.map(|queue| Box::new(RefusingQueue { queue, backlog: Backlog::default() }));
        Admission { discipline, refusing_queue: refusing }
    }

    /// Returns whether `payload` may enter, which it perhaps does with a mark. The transmitter has been `idle` for so many seconds; none: it
    /// is busy.
    #[inline(always)]
    pub(super) fn admits<P: Payload>(
        &mut self,
        now: EventTime,
        waiting: QueueLength,
        payload: &mut P,
        idle: Option<f64>,
    ) -> bool {
        match &mut self.refusing_queue {
            None => self.discipline.admits(waiting, payload.bits(), idle.is_some()),
            Some(refusing) => {
                refusing.queue.has_idled(idle);
                refusing.admits(now.instant(), payload, idle.is_some())
            }
        }
    }

    /// Lets the first packet that waits be sent, and returns whether it got a mark here.
    #[inline(always)]
    pub(super) fn start_first(&mut self, now: EventTime) -> bool {
        self.refusing_queue.as_mut().is_some_and(|refusing| refusing.start(now.instant()))
    }

    /// Everything that waits is lost.
    pub(super) fn lose_all(&mut self) {
        if let Some(refusing) = &mut self.refusing_queue {
            refusing.queue.cut(&mut refusing.backlog);
            refusing.forget_dropped();
        }
    }
}

impl RefusingQueue {
    fn admits<P: Payload>(&mut self, since: Instant, payload: &mut P, is_free: bool) -> bool {
        let id = self.backlog.admit(WaitingPacket {
            since,
            bits: payload.bits(),
            owner: payload.owner() as u32,
            connection: payload.connection(),
            ecn: payload.ecn(),
            is_marked: false,
        });
        self.queue.enqueue(id, is_free, &mut self.backlog);
        if self.backlog[id].is_marked {
            payload.mark();
        }
        !self.forget_dropped()
    }

    fn start(&mut self, now: Instant) -> bool {
        let Dequeued::Send(id) = self.queue.dequeue(now, &mut self.backlog) else {
            unreachable!("it holds what waits, and is work conserving")
        };
        self.backlog.remove(id).is_marked
    }

    /// Forgets the packets that the queue has dropped, and returns whether there were any.
    fn forget_dropped(&mut self) -> bool {
        let dropped = self.backlog.take_dropped();
        for (id, _) in &dropped {
            self.backlog.remove(*id);
        }
        let any = !dropped.is_empty();
        self.backlog.return_buffer(dropped);
        any
    }
}
