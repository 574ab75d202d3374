//! Queues that decide for themselves what is sent next, what waits and what is dropped.
//!
//! A queue is asked twice about a packet: when the packet comes, and when the transmitter is free. Either time it may
//! drop that packet or others that it holds, and the second time it may make the transmitter wait. It sees of packets
//! what a [`Room`] has about them: their length, their arrival and whose they are. The packets themselves stay with the
//! transmitter.
//!
//! A queue is one file here, and one line of the registry below.

pub(crate) mod discipline;
pub(crate) mod drop_tail;
mod fifo;
mod head_drop;
mod limit;
pub(crate) mod process;
pub(crate) mod room;
mod spec;

use airtcp_core::registry;

pub use discipline::Discipline;
pub use drop_tail::DropTail;
pub use fifo::Fifo;
pub use head_drop::HeadDrop;
pub use process::{Offer, Order, Promises, Queue};
pub use room::{Id, Room, Ticket};
pub use spec::Spec;

registry! {
    /// A queue, by name.
    pub enum QueueSpec: Spec {
        "drop-tail" => DropTail(drop_tail::DropTail), "First in, first out; a packet that finds the queue full is dropped.", "airtcp";
        "head-drop" => HeadDrop(head_drop::HeadDrop), "First in, first out; when the queue is full, the oldest packet makes room for the new one.", "lakshman1996";
    }
}

impl Spec for QueueSpec {
    fn build(&self, stream: airtcp_core::Stream) -> Result<Box<dyn Queue>, crate::SpecError> {
        self.spec().build(stream)
    }

    fn discipline(&self) -> Option<Discipline> {
        self.spec().discipline()
    }

    fn is_random(&self) -> bool {
        self.spec().is_random()
    }
}
