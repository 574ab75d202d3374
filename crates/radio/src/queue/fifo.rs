//! Packets in the order in which they came, of which queues are made.

use super::backlog::{Backlog, PacketId};
use super::discipline::QueueLength;
use crate::link::losses::LossCause;
use crate::ring::Ring;

/// Packets in the order in which they came, and their lengths in sum.
#[derive(Debug, Default)]
pub struct Fifo {
    ids: Ring<PacketId>,
    pub(super) waiting: QueueLength,
}

impl Fifo {
    /// The packet `id` waits behind the others.
    #[inline]
    pub fn push(&mut self, id: PacketId, backlog: &Backlog) {
        self.waiting.join(backlog[id].bits);
        self.ids.push(id);
    }

    /// The one that has waited longest, which does so no longer.
    #[inline]
    pub fn pop(&mut self, backlog: &Backlog) -> Option<PacketId> {
        let id = self.ids.pop()?;
        self.waiting.leave(backlog[id].bits);
        Some(id)
    }

    /// The one that has waited longest.
    #[must_use]
    pub fn first(&self) -> Option<PacketId> {
        self.ids.first().copied()
    }

    /// Number of packets that wait.
    #[must_use]
    pub fn packets(&self) -> u64 {
        self.waiting.packets.into()
    }

    /// Length of all of them together.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.waiting.bits
    }

    /// Drops all of them because the link goes down.
    pub fn drop_all(&mut self, backlog: &mut Backlog) {
        while let Some(id) = self.pop(backlog) {
            backlog.drop(id, LossCause::Gate);
        }
    }
}
