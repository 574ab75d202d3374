//! A queue per flow, for disciplines that serve flows in turn.

use super::backlog::{Backlog, PacketId};
use super::discipline::QueueLength;
use super::fifo::Fifo;
use crate::link::losses::LossCause;

/// Packets of one flow, and the state that the discipline keeps for it.
#[derive(Debug, Default)]
pub(super) struct Flow<S> {
    pub(super) fifo: Fifo,
    pub(super) state: S,
}

/// All flows that have ever had a packet here, by their number.
#[derive(Debug)]
pub(super) struct Flows<S> {
    flows: Vec<Flow<S>>,
    /// Volume that waits in all of them.
    pub(super) waiting: QueueLength,
}

impl<S: Default> Flows<S> {
    pub(super) fn new() -> Self {
        Flows { flows: Vec::new(), waiting: QueueLength::default() }
    }

    #[inline]
    pub(super) fn flow(&mut self, number: usize) -> &mut Flow<S> {
        if number >= self.flows.len() {
            self.flows.resize_with(number + 1, Flow::default);
        }
        &mut self.flows[number]
    }

    /// Packet `id` waits behind those of its flow.
    #[inline]
    pub(super) fn push(&mut self, number: usize, id: PacketId, backlog: &Backlog) -> &mut Flow<S> {
        self.waiting.join(backlog[id].bits);
        let flow = self.flow(number);
        flow.fifo.push(id, backlog);
        flow
    }

    /// Lets `act` take packets from a flow, to send or to drop them.
    #[inline]
    pub(super) fn from<T>(&mut self, number: usize, act: impl FnOnce(&mut Flow<S>) -> T) -> T {
        let flow = &mut self.flows[number];
        let before = flow.fifo.waiting;
        let result = act(flow);
        let after = flow.fifo.waiting;
        self.waiting.packets -= before.packets - after.packets;
        self.waiting.bits -= before.bits - after.bits;
        result
    }

    /// The flow whose packets are longest together; the first of several.
    pub(super) fn longest_flow(&self) -> usize {
        let bits = |number: &usize| self.flows[*number].fifo.bits();
        (0..self.flows.len()).rev().max_by_key(bits).expect("something waits")
    }

    /// Drops the `most` oldest packets of a flow at its head.
    pub(super) fn drop_oldest(&mut self, number: usize, most: u64, backlog: &mut Backlog) {
        self.from(number, |flow| {
            for _ in 0..most {
                let Some(id) = flow.fifo.pop(backlog) else { return };
                backlog.drop(id, LossCause::Queue);
            }
        });
    }

    /// Drops everything because the link goes down, in the order in which it came.
    pub(super) fn drop_all(&mut self, backlog: &mut Backlog) {
        let mut all = Vec::new();
        for number in 0..self.flows.len() {
            self.from(number, |flow| {
                while let Some(id) = flow.fifo.pop(backlog) {
                    all.push(id);
                }
            });
        }
        all.sort_by_key(|id| backlog[*id].since);
        all.into_iter().for_each(|id| backlog.drop(id, LossCause::Gate));
    }
}
