//! A queue that writes down what another one answers.

use airtcp_core::Instant;
use airtcp_radio::queue::{Backlog, Dequeued, Guarantees, PacketId, Queue};
use std::sync::{Arc, Mutex};

/// When a queue was asked, and until when it had the transmitter wait, if it did.
pub(crate) type Answer = (i64, Option<i64>);

/// The answers of a queue, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers(Arc<Mutex<Vec<Answer>>>);

impl Answers {
    pub(crate) fn all(&self) -> Vec<Answer> {
        self.0.lock().unwrap().clone()
    }
}

/// `queue`, and its answers as they will be.
pub(crate) fn spied(queue: Box<dyn Queue>) -> (Box<dyn Queue>, Answers) {
    let answers = Answers::default();
    (Box::new(Spy { queue, answers: answers.clone() }), answers)
}

#[derive(Debug)]
struct Spy {
    queue: Box<dyn Queue>,
    answers: Answers,
}

impl Queue for Spy {
    fn guarantees(&self) -> Guarantees {
        self.queue.guarantees()
    }

    fn enqueue(&mut self, id: PacketId, is_free: bool, backlog: &mut Backlog) {
        self.queue.enqueue(id, is_free, backlog);
    }

    fn dequeue(&mut self, now: Instant, backlog: &mut Backlog) -> Dequeued {
        let answer = self.queue.dequeue(now, backlog);
        let until = if let Dequeued::Wait(until) = answer { Some(until.nanos()) } else { None };
        self.answers.0.lock().unwrap().push((now.nanos(), until));
        answer
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.queue.cut(backlog);
    }
}
