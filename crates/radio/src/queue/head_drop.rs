//! First in, first out; when the queue is full, the oldest packet is dropped to make room for the new one.
//!
//! The sender learns of the loss earlier than from a drop at the tail: by the time that a full queue takes to drain
//! [lakshman1996]. A packet that has to wait and is longer than the limit in bytes is itself dropped.
//!
//! ```toml
//! kind = "head-drop"
//! packets = 50
//! ```

use super::backlog::{Backlog, PacketId};
use super::discipline::{Discipline, QueueLength};
use super::fifo::Fifo;
use super::limit::optional_limit;
use super::process::{Dequeued, Queue};
use super::spec::Spec;
use crate::link::losses::LossCause;
use crate::spec_error::SpecError;
use airtcp_core::{Instant, Rate, Size, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A queue that drops at its head.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "HeadDropQueue")]
pub struct HeadDrop {
    /// Limit in packets, counting the one in transmission. Absent: no limit in packets. Example: `50`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 2, max = 1_000_000_000))]
    pub packets: Option<u32>,
    /// Limit on the bytes that wait. Absent: no limit in bytes. Example: `"64kB"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub bytes: Option<Size>,
}

impl Spec for HeadDrop {
    fn build(&self, _: Rate, _: Stream) -> Result<Box<dyn Queue>, SpecError> {
        let discipline = optional_limit(self.packets, self.bytes)?;
        Ok(Box::new(HeadDropQueue { discipline, fifo: Fifo::default() }))
    }
}

#[derive(Debug)]
struct HeadDropQueue {
    discipline: Discipline,
    fifo: Fifo,
}

impl Queue for HeadDropQueue {
    fn enqueue(&mut self, id: PacketId, is_free: bool, backlog: &mut Backlog) {
        let bits = backlog[id].bits;
        if !self.discipline.admits(QueueLength::default(), bits, is_free) {
            return backlog.drop(id, LossCause::Queue);
        }
        while !self.discipline.admits(self.fifo.waiting, bits, is_free) {
            let oldest = self.fifo.pop(backlog).expect("an empty queue admits it");
            backlog.drop(oldest, LossCause::Queue);
        }
        self.fifo.push(id, backlog);
    }

    fn dequeue(&mut self, _: Instant, backlog: &mut Backlog) -> Dequeued {
        self.fifo.pop(backlog).map_or(Dequeued::Empty, Dequeued::Send)
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.fifo.drop_all(backlog);
    }
}
