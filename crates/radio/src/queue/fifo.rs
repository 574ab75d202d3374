//! What queues are made of: tickets in the order in which they came.

use super::discipline::Waiting;
use super::process::{Drops, Ticket};
use crate::link::losses::Cause;
use std::collections::VecDeque;

/// Tickets in the order in which they came, and their lengths in sum.
#[derive(Debug, Default)]
pub struct Fifo {
    tickets: VecDeque<Ticket>,
    pub(super) waiting: Waiting,
}

impl Fifo {
    /// `ticket` waits behind the others.
    #[inline]
    pub fn push(&mut self, ticket: Ticket) {
        self.waiting.join(ticket.bits);
        self.tickets.push_back(ticket);
    }

    /// The one that has waited longest, which does so no longer.
    #[inline]
    pub fn pop(&mut self) -> Option<Ticket> {
        let ticket = self.tickets.pop_front()?;
        self.waiting.leave(ticket.bits);
        Some(ticket)
    }

    /// The one that has waited longest.
    #[must_use]
    pub fn first(&self) -> Option<&Ticket> {
        self.tickets.front()
    }

    /// How many wait.
    #[must_use]
    pub fn packets(&self) -> u64 {
        self.waiting.packets.into()
    }

    /// How long they are together.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.waiting.bits
    }

    /// Drops all of them because the link goes down.
    pub fn cut(&mut self, drops: &mut Drops) {
        self.tickets.drain(..).for_each(|ticket| drops.push(ticket, Cause::Gate));
        self.waiting = Waiting::default();
    }
}
