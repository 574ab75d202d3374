//! Every property of queues can fail: queues with one fault each, and the properties that find them out.

use crate::queue_properties::claim::{Claim, Limit, Stretch};
use crate::queue_properties::scenarios::cases;
use airtcp_core::{Instant, Rate, Span};
use airtcp_radio::queue::{Backlog, Dequeued, Guarantees, PacketId, Queue};
use airtcp_radio::{LossCause, QueueSpec};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

/// Ways in which a queue, or its link, is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    /// One packet of the run is neither kept nor dropped.
    Loses,
    /// Now and then a packet is sent before the one that was to be.
    Reorders,
    /// One packet more may wait than the limit says.
    Exceeds,
    /// Now and then it says nothing for a millisecond while packets wait, and promises to be work conserving.
    Idles,
    /// It marks every packet.
    Marks,
    /// Now and then a packet that fits is dropped.
    Refuses,
    /// Now and then it drops a packet and says that the link was down.
    Blames,
    /// The link is a little faster than the scenario says, and tokens are twice as many.
    Hurries,
}

/// A mutant that breaks a property now and then does so once in so many packets.
const OFTEN: u64 = 5;
/// Length of the longest packet, in bytes.
const MTU: u64 = 1500;

impl Mutant {
    /// The queue that is built instead of `spec`.
    pub(crate) fn spec(self, spec: &QueueSpec) -> QueueSpec {
        if self != Mutant::Exceeds {
            return spec.clone();
        }
        let mut value = serde_json::to_value(spec).expect("plain data");
        match Claim::from_spec(spec, Rate::MAX).limit {
            Limit::Packets(packets) => value["packets"] = (packets + 1).into(),
            Limit::Bits(bits) => value["bytes"] = format!("{}B", bits / 8 + MTU).into(),
        }
        serde_json::from_value(value).expect("a queue")
    }
}

impl Claim {
    /// Claims less than the link does.
    pub(crate) fn slow_down(&mut self) {
        let slower = |stretch: &Stretch| Stretch { rate: stretch.rate * 0.999, ..*stretch };
        self.rates = self.rates.iter().map(slower).collect();
        if let Some(tokens) = &mut self.tokens {
            tokens.rate *= 0.5;
            tokens.burst *= 0.5;
        }
    }
}

/// A sound queue with that fault.
#[derive(Debug)]
pub(crate) struct Broken {
    queue: Box<dyn Queue>,
    mutant: Mutant,
    came: u64,
    asked: u64,
    /// A packet that another one went before.
    held: Option<PacketId>,
}

impl Broken {
    pub(crate) fn new(queue: Box<dyn Queue>, mutant: Mutant) -> Self {
        Broken { queue, mutant, came: 0, asked: 0, held: None }
    }

    fn swapped(&mut self, first: PacketId, now: Instant, backlog: &mut Backlog) -> Dequeued {
        match self.queue.dequeue(now, backlog) {
            Dequeued::Send(second) => {
                self.held = Some(first);
                Dequeued::Send(second)
            }
            _ => Dequeued::Send(first),
        }
    }
}

impl Queue for Broken {
    fn guarantees(&self) -> Guarantees {
        self.queue.guarantees()
    }

    fn enqueue(&mut self, id: PacketId, is_free: bool, backlog: &mut Backlog) {
        self.came += 1;
        match self.mutant {
            Mutant::Loses if self.came == OFTEN => {}
            Mutant::Refuses if self.came.is_multiple_of(OFTEN) => {
                backlog.drop(id, LossCause::Queue);
            }
            Mutant::Blames if self.came.is_multiple_of(OFTEN) => backlog.drop(id, LossCause::Gate),
            _ => self.queue.enqueue(id, is_free, backlog),
        }
    }

    fn dequeue(&mut self, now: Instant, backlog: &mut Backlog) -> Dequeued {
        if let Some(id) = self.held.take() {
            return Dequeued::Send(id);
        }
        self.asked += 1;
        let is_due = self.asked.is_multiple_of(OFTEN);
        if self.mutant == Mutant::Idles && is_due {
            return Dequeued::Wait(now + Span::from_nanos(1_000_000));
        }
        let answer = self.queue.dequeue(now, backlog);
        match (self.mutant, answer) {
            (Mutant::Reorders, Dequeued::Send(first)) if is_due => {
                self.swapped(first, now, backlog)
            }
            (Mutant::Marks, Dequeued::Send(id)) => {
                backlog.mark(id);
                answer
            }
            _ => answer,
        }
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.queue.cut(backlog);
    }
}

/// Who finds a fault.
#[derive(Clone, Copy, Debug)]
enum By {
    /// The model beside the queue.
    Book,
    /// Somebody who sees nodes and links.
    Outside,
}

/// Each fault, and the properties that find it. Where a packet is lost, the transmitter itself panics unless it is a release.
const FOUND: [(Mutant, By, &str); 12] = [
    (Mutant::Loses, By::Book, "works"),
    (Mutant::Reorders, By::Book, "order"),
    (Mutant::Reorders, By::Outside, "order"),
    (Mutant::Exceeds, By::Book, "limit"),
    (Mutant::Exceeds, By::Outside, "limit"),
    (Mutant::Idles, By::Book, "works"),
    (Mutant::Idles, By::Outside, "works"),
    (Mutant::Marks, By::Book, "marks"),
    (Mutant::Refuses, By::Book, "drops only excess"),
    (Mutant::Blames, By::Outside, "conserves"),
    (Mutant::Hurries, By::Outside, "rate"),
    (Mutant::Hurries, By::Outside, "tokens"),
];

#[test]
fn a_broken_queue_is_found_out() {
    for (mutant, by, distribution) in FOUND {
        let mut runner = TestRunner::deterministic();
        let strategy = cases();
        let finds = |_: &usize| {
            let case = strategy.new_tree(&mut runner).expect("a case").current();
            let (inside, outside) = case.judge(Some(mutant));
            let faults = if matches!(by, By::Book) { inside } else { outside };
            faults.iter().any(|fault| fault.0 == distribution)
        };
        let found = (0..100).filter(finds).count();
        assert!(
            found > 3,
            "{distribution} finds {found} faults by {by:?} where a queue {mutant:?}"
        );
    }
}
