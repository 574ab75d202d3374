//! Records of what happens on a link, one after the other, for those who want to see all of it.
//!
//! Records are words, so that whoever shows them takes them as they lie: fresh memory costs about as much as filling it.

use crate::queue::discipline::QueueLength;
use airtcp_core::{Instant, Span};

/// Records of one direction of a hop, in the order of time. Instants and times are nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkHistory {
    /// The instants at which the queue has changed, with the packets and the bits that wait from then on. An instant at
    /// which as much waits as before has no record, whatever came and went.
    pub queue: Vec<[u64; 3]>,
    /// Packets whose transmission started, under a link layer that retransmits with the first fragment: when, how long it had
    /// waited, whose it is ([`airtcp_core::Payload::owner`]), and its bits.
    pub sojourns: Vec<[u64; 4]>,
    /// Intervals in which the transmitter was busy without a pause.
    pub busy: Vec<[u64; 2]>,
    /// Packets that left the queue with a mark: when, whose they are, and their bits.
    pub marked: Vec<[u64; 3]>,
}

impl LinkHistory {
    /// Bytes of memory that its records take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&self.queue[..])
            + size_of_val(&self.sojourns[..])
            + size_of_val(&self.busy[..])
            + size_of_val(&self.marked[..])
    }

    /// Notes the packets and bits that wait from `at` on.
    pub(super) fn record_queue(&mut self, at: Instant, waiting: QueueLength) {
        let at = nanos(at);
        if self.queue.last().is_some_and(|last| last[0] == at) {
            self.queue.pop();
        }
        let (packets, bits) = (u64::from(waiting.packets), waiting.bits);
        let before = self.queue.last().map_or([0, 0], |last| [last[1], last[2]]);
        if before != [packets, bits] {
            self.queue.push([at, packets, bits]);
        }
    }

    /// The transmission of a packet starts at `at`.
    pub(super) fn record_start(&mut self, at: Instant, waited: Span, owner: usize, bits: u64) {
        self.sojourns.push([nanos(at), waited.nanos().cast_unsigned(), owner as u64, bits]);
    }

    /// A packet leaves the queue with a mark at `at`.
    pub(super) fn record_mark(&mut self, at: Instant, owner: usize, bits: u64) {
        self.marked.push([nanos(at), owner as u64, bits]);
    }

    /// The transmitter is busy from `start` to `end`.
    pub(super) fn transmit(&mut self, start: Instant, end: Instant) {
        match self.busy.last_mut() {
            Some(last) if last[1] == nanos(start) => last[1] = nanos(end),
            _ if start == end => {}
            _ => self.busy.push([nanos(start), nanos(end)]),
        }
    }

    /// The history without what the transmitter goes on with after `end`.
    pub(super) fn truncated_at(mut self, end: Instant) -> LinkHistory {
        let end = nanos(end);
        self.busy.retain_mut(|[start, until]| {
            *until = end.min(*until);
            *start < *until
        });
        self
    }
}

fn nanos(at: Instant) -> u64 {
    at.nanos().cast_unsigned()
}
