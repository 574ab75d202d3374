//! Deficit round robin [shreedhar1996]: each flow has a queue. The queues are served in turn, and each may send
//! `quantum` bytes per round; bytes that are too few for its next packet are kept for the next round.
//!
//! Flow n has queue n modulo `flows`; with `hash = true` a hash drawn per run assigns it. When the limit is exceeded,
//! the flow with the most queued bytes loses its head packet.
//!
//! ```toml
//! kind = "drr"
//! packets = 200
//! ```

use super::backlog::{Backlog, PacketId};
use super::discipline::Discipline;
use super::flows::{Flow, Flows};
use super::hash::QueueAssignment;
use super::limit::limit_or;
use super::process::{Dequeued, Guarantees, Order, Queue};
use super::spec::Spec;
use crate::ring::Ring;
use crate::spec_error::SpecError;
use airtcp_core::{Instant, Rate, Size, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Packets that may wait if nobody says otherwise.
const DEFAULT_LIMIT: u32 = 1000;

/// Deficit round robin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "DrrQueue")]
pub struct Drr {
    /// Bytes that a flow may send in a round. Example: `"3000B"`.
    pub quantum: Size,
    /// Number of queues, to which flows are assigned. Example: `64`.
    #[schemars(range(min = 1, max = 65_536))]
    pub flows: u32,
    /// True if a hash assigns flows to queues, so that several may share one. Example: `false`.
    pub hash: bool,
    /// Limit in packets, counting the one in transmission. Absent: 1000, or no limit in packets if `bytes` is given.
    /// Example: `500`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 2, max = 1_000_000_000))]
    pub packets: Option<u32>,
    /// Limit on the bytes that wait. Absent: no limit in bytes. Example: `"64kB"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub bytes: Option<Size>,
}

impl Default for Drr {
    fn default() -> Self {
        let quantum = Size::from_bytes(1500);
        Drr { quantum, flows: 1024, hash: false, packets: None, bytes: None }
    }
}

impl Spec for Drr {
    fn build(&self, _: Rate, stream: Stream) -> Result<Box<dyn Queue>, SpecError> {
        Ok(Box::new(DrrQueue {
            limit: limit_or(self.packets, self.bytes, DEFAULT_LIMIT)?,
            quantum: self.quantum.bits(),
            queue_of_connection: QueueAssignment::new(self.flows, self.hash, stream)?,
            flows: Flows::new(),
            active: Ring::default(),
        }))
    }

    fn is_random(&self) -> bool {
        self.hash
    }
}

/// State of a flow: `DC` of the paper, in bits.
#[derive(Debug, Default)]
struct FlowState {
    deficit: u64,
    is_active: bool,
    /// True if it has had the quantum of this round.
    is_in_turn: bool,
}

#[derive(Debug)]
struct DrrQueue {
    limit: Discipline,
    quantum: u64,
    queue_of_connection: QueueAssignment,
    flows: Flows<FlowState>,
    active: Ring<u32>,
}

/// Result of a flow's turn.
enum Turn {
    /// The flow sends this packet and stays in turn.
    Sends(PacketId),
    /// The flow sends this packet, its last one.
    Ends(PacketId),
    /// The flow has lost the packets that it had.
    Empty,
    /// The next packet of the flow is too long for this round.
    Over,
}

impl Flow<FlowState> {
    fn take_turn(&mut self, quantum: u64, backlog: &Backlog) -> Turn {
        let Some(first) = self.fifo.first() else {
            self.state = FlowState::default();
            return Turn::Empty;
        };
        if !self.state.is_in_turn {
            (self.state.is_in_turn, self.state.deficit) = (true, self.state.deficit + quantum);
        }
        let bits = backlog[first].bits;
        if bits > self.state.deficit {
            self.state.is_in_turn = false;
            return Turn::Over;
        }
        self.state.deficit -= bits;
        self.fifo.pop(backlog);
        if self.fifo.first().is_some() {
            return Turn::Sends(first);
        }
        self.state = FlowState::default();
        Turn::Ends(first)
    }
}

impl DrrQueue {
    /// Passes the rounds, however many, in which no flow can send.
    #[cold]
    fn pass_rounds(&mut self, backlog: &Backlog) {
        let quantum = self.quantum;
        let short = |flow: &Flow<FlowState>| {
            let bits = flow.fifo.first().map_or(0, |first| backlog[first].bits);
            bits.saturating_sub(flow.state.deficit).div_ceil(quantum)
        };
        let active = || self.active.iter().map(|number| *number as usize);
        let needed = active().map(|number| short(self.flows.flow(number))).min();
        let passed = needed.unwrap_or(0).saturating_sub(1);
        for number in active() {
            self.flows.flow(number).state.deficit += passed * quantum;
        }
    }
}

impl Queue for DrrQueue {
    fn guarantees(&self) -> Guarantees {
        Guarantees { order: Order::Owner, ..Guarantees::default() }
    }

    fn enqueue(&mut self, id: PacketId, is_free: bool, backlog: &mut Backlog) {
        let number = self.queue_of_connection.queue_of(backlog[id].connection);
        let state = &mut self.flows.push(number as usize, id, backlog).state;
        if !state.is_active {
            state.is_active = true;
            self.active.push(number);
        }
        while !self.limit.holds(self.flows.waiting, is_free) {
            self.flows.drop_oldest(self.flows.longest_flow(), 1, backlog);
        }
    }

    fn dequeue(&mut self, _: Instant, backlog: &mut Backlog) -> Dequeued {
        let quantum = self.quantum;
        let mut over = 0;
        while let Some(&number) = self.active.first() {
            match self.flows.from(number as usize, |flow| flow.take_turn(quantum, backlog)) {
                Turn::Sends(id) => return Dequeued::Send(id),
                Turn::Ends(id) => {
                    self.active.pop();
                    return Dequeued::Send(id);
                }
                Turn::Empty => drop(self.active.pop()),
                Turn::Over => {
                    self.active.pop();
                    self.active.push(number);
                    over += 1;
                    // Beyond a whole round: a packet hardly longer than a quantum has none to pass.
                    if over > self.active.len() {
                        self.pass_rounds(backlog);
                        over = 0;
                    }
                }
            }
        }
        Dequeued::Empty
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.flows.drop_all(backlog);
    }
}
