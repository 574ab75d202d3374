//! FQ-CoDel [RFC 8290]: each flow has a queue with CoDel. The queues are served by deficit round robin, which prefers
//! flows that have nothing waiting when their packet arrives.
//!
//! A flow that sends less than its share thus hardly waits for others. Flow n has queue n modulo `flows`, so flows
//! share a queue only if there are more flows than queues; with `hash = true` a hash drawn per run assigns them, and
//! several may share one. When the limit is exceeded, packets are dropped from the head of the flow with the most
//! queued bytes: half of its packets, rounded down, at least 1 and at most 64 [section 4.1].
//!
//! ```toml
//! kind = "fq-codel"
//! ```

use super::backlog::{Backlog, PacketId};
use super::codel::milliseconds;
use super::codel_law::{Controller, Setpoint};
use super::discipline::Discipline;
use super::flows::Flows;
use super::hash::QueueAssignment;
use super::limit::limit_or;
use super::process::{Dequeued, Guarantees, Order, Queue};
use super::spec::Spec;
use crate::ring::Ring;
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Instant, Rate, Size, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Packets that may wait if nobody says otherwise [section 5.2.3].
const DEFAULT_LIMIT: u32 = 10_240;
/// Packets that are dropped at once where the limit is exceeded [section 4.1].
const MAX_DROPPED_AT_ONCE: u64 = 64;

/// Flow queueing with controlled delay.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "FqCoDelQueue")]
pub struct FqCoDel {
    /// Acceptable standing delay: the time in a flow's queue that packets may exceed for no longer than one
    /// `interval`. Example: `"20ms"`.
    pub target: Duration,
    /// Time for which packets may wait longer than `target` before drops begin: about the longest round trip.
    /// Example: `"200ms"`.
    pub interval: Duration,
    /// Bytes that a flow may send in its turn. Example: `"300B"`.
    pub quantum: Size,
    /// Number of queues, to which flows are assigned. Example: `64`.
    #[schemars(range(min = 1, max = 65_536))]
    pub flows: u32,
    /// True if a hash assigns flows to queues, so that several may share one. Example: `false`.
    pub hash: bool,
    /// Length of the longest packet; a flow's queue drops nothing while no more than this waits. Example: `"1500B"`.
    pub mtu: Size,
    /// True if ECN-capable packets are marked instead of dropped. Example: `true`.
    pub ecn: bool,
    /// Limit in packets, counting the one in transmission. Absent: 10240, or no limit in packets if `bytes` is given.
    /// Example: `500`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 2, max = 1_000_000_000))]
    pub packets: Option<u32>,
    /// Limit on the bytes that wait. Absent: no limit in bytes. Example: `"64kB"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub bytes: Option<Size>,
}

impl Default for FqCoDel {
    fn default() -> Self {
        FqCoDel {
            target: milliseconds(5),
            interval: milliseconds(100),
            quantum: Size::from_bytes(1514),
            flows: 1024,
            hash: false,
            mtu: Size::from_bytes(1500),
            ecn: true,
            packets: None,
            bytes: None,
        }
    }
}

impl Spec for FqCoDel {
    fn build(&self, _: Rate, stream: Stream) -> Result<Box<dyn Queue>, SpecError> {
        Ok(Box::new(FlowQueues {
            limit: limit_or(self.packets, self.bytes, DEFAULT_LIMIT)?,
            set: Setpoint::new(self.target, self.interval, self.mtu, self.ecn)?,
            quantum: self.quantum.bits().cast_signed(),
            place: QueueAssignment::new(self.flows, self.hash, stream)?,
            flows: Flows::new(),
            new_flows: Ring::default(),
            old_flows: Ring::default(),
        }))
    }

    fn is_random(&self) -> bool {
        self.hash
    }
}

/// State of a flow.
#[derive(Debug)]
struct FlowState {
    controller: Controller,
    /// Bits that it may still send.
    credits: i64,
    /// True if it is in one of the lists.
    is_listed: bool,
}

impl Default for FlowState {
    fn default() -> Self {
        FlowState { controller: Controller::new(), credits: 0, is_listed: false }
    }
}

#[derive(Debug)]
struct FlowQueues {
    limit: Discipline,
    set: Setpoint,
    quantum: i64,
    place: QueueAssignment,
    flows: Flows<FlowState>,
    new_flows: Ring<u32>,
    old_flows: Ring<u32>,
}

impl FlowQueues {
    /// The flow whose turn it is, and whether it is a new one.
    fn flow_in_turn(&self) -> Option<(u32, bool)> {
        let new = self.new_flows.first().map(|number| (*number, true));
        new.or_else(|| self.old_flows.first().map(|number| (*number, false)))
    }

    /// Takes the first flow off its list.
    fn unlist(&mut self, is_new: bool) {
        if is_new {
            self.new_flows.pop()
        } else {
            self.old_flows.pop()
        };
    }

    /// The transmitter is free, and nothing waits: it asked every flow in vain, and none is listed any more.
    #[cold]
    fn unlist_all(&mut self) {
        while let Some((number, is_new)) = self.flow_in_turn() {
            self.unlist(is_new);
            let state = &mut self.flows.flow(number as usize).state;
            state.is_listed = false;
            state.controller.note_empty();
        }
    }

    /// Every flow owes something: passes the rounds in which none has paid it all, however many they are.
    #[cold]
    fn pass_rounds(&mut self) {
        let quantum = self.quantum;
        let owed = |state: &FlowState| (-state.credits).max(0).cast_unsigned();
        let needed = |state: &FlowState| owed(state).div_ceil(quantum.cast_unsigned());
        let old = || self.old_flows.iter().map(|number| *number as usize);
        let least = old().map(|number| needed(&self.flows.flow(number).state)).min();
        let passed = least.unwrap_or(0).cast_signed();
        for number in old() {
            self.flows.flow(number).state.credits += passed * quantum;
        }
    }

    /// Makes room [section 4.1].
    #[cold]
    fn drop_excess(&mut self, is_free: bool, backlog: &mut Backlog) {
        while !self.limit.holds(self.flows.waiting, is_free) {
            let longest = self.flows.longest_flow();
            let half = self.flows.flow(longest).fifo.packets() / 2;
            self.flows.drop_oldest(longest, half.clamp(1, MAX_DROPPED_AT_ONCE), backlog);
        }
    }
}

impl Queue for FlowQueues {
    fn guarantees(&self) -> Guarantees {
        Guarantees { order: Order::Owner, drops_on_dequeue: true, ..Guarantees::default() }
    }

    fn enqueue(&mut self, id: PacketId, is_free: bool, backlog: &mut Backlog) {
        if is_free && self.flows.waiting.packets == 0 {
            self.unlist_all();
        }
        let number = self.place.queue_of(backlog[id].connection);
        let state = &mut self.flows.push(number as usize, id, backlog).state;
        if !state.is_listed {
            (state.is_listed, state.credits) = (true, self.quantum);
            self.new_flows.push(number);
        }
        if !self.limit.holds(self.flows.waiting, is_free) {
            self.drop_excess(is_free, backlog);
        }
    }

    /// Section 4.2.
    fn dequeue(&mut self, now: Instant, backlog: &mut Backlog) -> Dequeued {
        let mut over = 0;
        while let Some((number, is_new)) = self.flow_in_turn() {
            let state = &mut self.flows.flow(number as usize).state;
            if state.credits < 0 {
                state.credits += self.quantum;
                self.unlist(is_new);
                self.old_flows.push(number);
                over += 1;
                // Beyond a whole round: who owes less than a quantum has none to pass.
                if self.new_flows.is_empty() && over > self.old_flows.len() {
                    self.pass_rounds();
                    over = 0;
                }
                continue;
            }
            let set = &self.set;
            let sent = self.flows.from(number as usize, |flow| {
                let id = flow.state.controller.dequeue(set, now, &mut flow.fifo, backlog)?;
                flow.state.credits -= backlog[id].bits.cast_signed();
                Some(id)
            });
            if let Some(id) = sent {
                return Dequeued::Send(id);
            }
            self.unlist(is_new);
            if is_new {
                self.old_flows.push(number);
            } else {
                self.flows.flow(number as usize).state.is_listed = false;
            }
        }
        Dequeued::Empty
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.flows.drop_all(backlog);
    }
}
