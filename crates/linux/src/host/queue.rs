//! Segments that leave the host, in the order in which they leave: later than now only where the queue paces.

use super::datagram::Datagram;
use airtcp_core::Instant;
use std::collections::VecDeque;

/// Segments in the order of their departures.
#[derive(Debug, Default)]
pub(super) struct DepartureQueue {
    waiting: VecDeque<(Instant, Datagram)>,
}

impl DepartureQueue {
    pub(super) fn push(&mut self, now: Instant, datagram: Datagram) {
        let departure = datagram.segment.departure.max(now);
        let later = self.waiting.iter().rev().take_while(|(other, _)| *other > departure).count();
        self.waiting.insert(self.waiting.len() - later, (departure, datagram));
    }

    pub(super) fn pop(&mut self, now: Instant) -> Option<Datagram> {
        let due = self.next() <= now;
        if due { self.waiting.pop_front().map(|(_, datagram)| datagram) } else { None }
    }

    pub(super) fn next(&self) -> Instant {
        self.waiting.front().map_or(Instant::NEVER, |(departure, _)| *departure)
    }
}
