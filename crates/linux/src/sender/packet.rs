//! One packet of the retransmission queue and its marks [rules/README.md Notation].

use crate::rate::DeliveryRecord;

/// No packet.
pub(crate) const NO_PACKET: u64 = u64::MAX;

/// Marks of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(u16);

impl Flags {
    /// The other end holds it.
    pub(crate) const SACKED: Flags = Flags(1);
    /// Marked lost.
    pub(crate) const LOST: Flags = Flags(2);
    /// A retransmission is in flight.
    pub(crate) const RETRANS: Flags = Flags(4);
    /// Retransmitted at least once.
    pub(crate) const EVER_RETRANS: Flags = Flags(8);
    /// A buffer begins with it.
    pub(crate) const APP_LIMITED_FIRST: Flags = Flags(16);
    /// FIN ends it.
    pub(crate) const FIN: Flags = Flags(32);
    /// PSH is set.
    pub(crate) const PSH: Flags = Flags(64);
    /// Slot in use.
    pub(crate) const SLOT_USED: Flags = Flags(128);
    /// Linked in the list by send time.
    pub(crate) const IN_RACK_LIST: Flags = Flags(256);
    /// End of an application record (`MSG_EOR`).
    pub(crate) const EOR: Flags = Flags(512);

    /// Returns whether any of `others` is set.
    #[inline]
    pub(crate) const fn intersects(self, others: Flags) -> bool {
        self.0 & others.0 != 0
    }

    /// Flags set in either.
    #[inline]
    pub(crate) const fn union(self, others: Flags) -> Flags {
        Flags(self.0 | others.0)
    }

    /// These flags if `on`, else none.
    #[inline]
    pub(crate) const fn if_set(self, on: bool) -> Flags {
        if on { self } else { Flags(0) }
    }

    #[inline]
    pub(crate) const fn without(self, others: Flags) -> Flags {
        Flags(self.0 & !others.0)
    }

    /// Flags that are in `others` too.
    #[inline]
    pub(crate) const fn intersection(self, others: Flags) -> Flags {
        Flags(self.0 & others.0)
    }
}

/// One packet: a segment of at most one MSS.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    /// First sequence number.
    pub seq: u64,
    /// Last send time in nanoseconds.
    pub sent: i64,
    /// Neighbours in the order of send times.
    pub previous_sent: u64,
    pub next_sent: u64,
    /// Delivery record for rate samples.
    pub record: DeliveryRecord,
    /// Numbers it takes, with FIN.
    pub len: u32,
    pub flags: Flags,
}

impl Packet {
    /// The number after its last.
    #[inline]
    pub(crate) const fn end(&self) -> u64 {
        self.seq + self.len as u64
    }

    /// Last send time in microseconds.
    #[inline]
    pub(crate) const fn sent_us(&self) -> u64 {
        self.sent as u64 / 1000
    }

    /// Bytes of data.
    #[inline]
    pub(crate) const fn payload(&self) -> u32 {
        self.len - self.flags.intersects(Flags::FIN) as u32
    }

    /// A place in the ring that holds nothing.
    pub(super) fn unused_slot() -> Packet {
        Packet {
            seq: 0,
            sent: 0,
            previous_sent: NO_PACKET,
            next_sent: NO_PACKET,
            record: DeliveryRecord::default(),
            len: 0,
            flags: Flags(0),
        }
    }
}
