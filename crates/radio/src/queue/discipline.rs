//! Admission of a packet that has to wait for the transmitter.

/// A queueing discipline: which packets are let in. They leave in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Discipline {
    /// Every packet is.
    #[default]
    Unlimited,
    /// At most so many packets, the one in transmission included, as ns counts them; at least 2.
    DropTail(u64),
    /// Packets that wait are together no longer than so many bits; a packet that finds the transmitter free is let in however long it is.
    DropTailBits(u64),
}

/// Volume that waits in a queue.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueueLength {
    /// Not as wide as `bits`: side by side they would be counted as one vector, which waits for both.
    pub(crate) packets: u32,
    pub(crate) bits: u64,
}

impl QueueLength {
    /// A packet of `bits` waits from now on.
    #[inline]
    pub(crate) fn join(&mut self, bits: u64) {
        self.packets += 1;
        self.bits += bits;
    }

    /// A packet of `bits` waits no longer.
    #[inline]
    pub(crate) fn leave(&mut self, bits: u64) {
        self.packets -= 1;
        self.bits -= bits;
    }
}

impl Discipline {
    /// Returns whether a packet of `bits` is let in; `is_free` says that none is in transmission or waits, so that it is the
    /// next one to be sent, at once or when a gate, a slot or an opportunity allows.
    #[inline]
    pub(crate) fn admits(self, waiting: QueueLength, bits: u64, is_free: bool) -> bool {
        match self {
            Discipline::Unlimited => true,
            Discipline::DropTail(limit) => u64::from(waiting.packets) + 1 < limit,
            Discipline::DropTailBits(limit) => is_free || waiting.bits + bits <= limit,
        }
    }

    /// Returns whether what waits, the packet that has just come included, is within the limit.
    #[inline]
    pub(crate) fn holds(self, waiting: QueueLength, is_free: bool) -> bool {
        match self {
            Discipline::Unlimited => true,
            Discipline::DropTail(limit) => u64::from(waiting.packets) < limit,
            Discipline::DropTailBits(limit) => is_free || waiting.bits <= limit,
        }
    }
}
