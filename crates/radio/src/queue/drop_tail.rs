//! First in, first out; a packet that finds the queue full is dropped.
//!
//! `queue = 50` is short for a limit in packets, `queue = "64kB"` for one in bytes. A limit in packets counts the
//! packet in transmission, as in ns; a limit in bytes counts only waiting packets. A packet that finds the transmitter
//! free is accepted whatever the limit.
//!
//! ```toml
//! kind = "drop-tail"
//! packets = 50
//! ```

use super::backlog::{Backlog, PacketId};
use super::discipline::Discipline;
use super::fifo::Fifo;
use super::limit::optional_limit;
use super::process::{Dequeued, Queue};
use super::spec::Spec;
use crate::link::losses::LossCause;
use crate::spec_error::SpecError;
use airtcp_core::{Instant, Rate, Size, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A drop-tail queue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "DropTailQueue")]
pub struct DropTail {
    /// Limit in packets, counting the one in transmission. Absent: no limit in packets. Example: `50`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 2, max = 1_000_000_000))]
    pub packets: Option<u32>,
    /// Limit on the bytes that wait. Absent: no limit in bytes. Example: `"64kB"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub bytes: Option<Size>,
}

impl Spec for DropTail {
    fn build(&self, _: Rate, _: Stream) -> Result<Box<dyn Queue>, SpecError> {
        Ok(Box::new(RefusingQueue::new(optional_limit(self.packets, self.bytes)?)))
    }

    fn discipline(&self) -> Option<Discipline> {
        optional_limit(self.packets, self.bytes).ok()
    }
}

/// A queue that refuses what its discipline does not admit.
#[derive(Debug)]
pub(crate) struct RefusingQueue {
    discipline: Discipline,
    fifo: Fifo,
}

impl RefusingQueue {
    pub(crate) fn new(discipline: Discipline) -> Self {
        RefusingQueue { discipline, fifo: Fifo::default() }
    }
}

impl Queue for RefusingQueue {
    fn enqueue(&mut self, id: PacketId, is_free: bool, backlog: &mut Backlog) {
        if self.discipline.admits(self.fifo.waiting, backlog[id].bits, is_free) {
            self.fifo.push(id, backlog);
        } else {
            backlog.drop(id, LossCause::Queue);
        }
    }

    fn dequeue(&mut self, _: Instant, backlog: &mut Backlog) -> Dequeued {
        self.fifo.pop(backlog).map_or(Dequeued::Empty, Dequeued::Send)
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.fifo.drop_all(backlog);
    }
}
