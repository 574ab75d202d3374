//! What happens to a packet that has to wait for the transmitter.

use airtcp_core::Instant;

/// A queueing discipline: which packets are let in. They leave in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Discipline {
    /// Every packet is.
    #[default]
    Unlimited,
    /// At most so many packets, the one in transmission included, as ns counts them; at least 2.
    DropTail(u64),
    /// What waits is no longer than so many bits.
    DropTailBits(u64),
}

/// What waits in a queue.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Waiting {
    pub(crate) packets: usize,
    pub(crate) bits: u64,
}

impl Discipline {
    /// Whether a packet of `bits` that comes at `now` and can start at `start` is let in.
    #[inline]
    pub(crate) fn admits(self, waiting: Waiting, bits: u64, now: Instant, start: Instant) -> bool {
        match self {
            Discipline::Unlimited => true,
            Discipline::DropTail(limit) => (waiting.packets as u64) + 1 < limit,
            Discipline::DropTailBits(limit) => start <= now || waiting.bits + bits <= limit,
        }
    }
}
