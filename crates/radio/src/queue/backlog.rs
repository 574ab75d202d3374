//! Packets that wait for a transmitter, as a queue sees them: everything about packets but the packets themselves.

use crate::link::losses::LossCause;
use airtcp_core::{Ecn, Instant};
use std::ops::Index;

/// A packet that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketId(u32);

impl PacketId {
    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Properties of a packet that a queue may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingPacket {
    /// Time at which the packet came to the queue.
    pub since: Instant,
    /// Length of the packet on the air.
    pub bits: u64,
    /// Owner, counted from 0 ([`airtcp_core::Payload::owner`]).
    pub owner: u32,
    /// Connection ([`airtcp_core::Payload::connection`]).
    pub connection: u32,
    /// ECN field as it came: whether it can carry a mark in place of being dropped ([`airtcp_core::Payload::ecn`]).
    pub ecn: Ecn,
    /// True if this queue has marked it.
    pub is_marked: bool,
}

/// Everything that waits. A place that became free is used again.
#[derive(Debug, Default)]
pub struct Backlog {
    tickets: Vec<WaitingPacket>,
    free_ids: Vec<PacketId>,
    /// Packets that were dropped and are still there.
    dropped: Vec<(PacketId, LossCause)>,
}

impl Index<PacketId> for Backlog {
    type Output = WaitingPacket;

    #[inline(always)]
    fn index(&self, id: PacketId) -> &WaitingPacket {
        &self.tickets[id.index()]
    }
}

impl Backlog {
    /// The queue drops `id`, and forgets it.
    #[inline]
    pub fn drop(&mut self, id: PacketId, cause: LossCause) {
        self.dropped.push((id, cause));
    }

    /// Marks `id`, which takes marks.
    pub fn mark(&mut self, id: PacketId) {
        self.tickets[id.index()].is_marked = true;
    }

    #[inline(always)]
    pub(crate) fn admit(&mut self, ticket: WaitingPacket) -> PacketId {
        if let Some(id) = self.free_ids.pop() {
            self.tickets[id.index()] = ticket;
            return id;
        }
        self.tickets.push(ticket);
        PacketId((self.tickets.len() - 1) as u32)
    }

    #[inline(always)]
    pub(crate) fn remove(&mut self, id: PacketId) -> WaitingPacket {
        self.free_ids.push(id);
        self.tickets[id.index()]
    }

    #[inline(always)]
    pub(crate) fn has_dropped(&self) -> bool {
        !self.dropped.is_empty()
    }

    /// Takes the packets that were dropped since the last time.
    pub(crate) fn take_dropped(&mut self) -> Vec<(PacketId, LossCause)> {
        std::mem::take(&mut self.dropped)
    }

    /// Gives back the buffer of [`Backlog::take_dropped`].
    pub(crate) fn return_buffer(&mut self, mut buffer: Vec<(PacketId, LossCause)>) {
        buffer.clear();
        self.dropped = buffer;
    }

    /// Returns whether the queue has just dropped `id`.
    #[must_use]
    pub fn has_just_dropped(&self, id: PacketId) -> bool {
        self.dropped.iter().any(|one| one.0 == id)
    }
}
