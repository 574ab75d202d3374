//! Packets sent and not acknowledged: a ring, numbered in order of first transmission.
//!
//! A buffer of several packets is a run of entries, the first of which has [`Flags::APP_LIMITED_FIRST`]
//! [rules/README.md Notation].

pub(crate) use super::packet::{Flags, NO_PACKET, Packet};

/// The ring with the counts of its marks.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    pub(super) ring: Box<[Packet]>,
    /// The oldest packet.
    pub(super) head: u64,
    /// The number of the next one.
    pub(super) tail: u64,
    /// First and last packet by send time, and the start of loss detection.
    pub(super) first_sent: u64,
    pub(super) last_sent: u64,
    pub(super) lost_cursor: u64,
    /// Packet at which retransmission starts; `NO_PACKET`: the head [rules/sending.md rule 26].
    pub(super) retransmit_hint: u64,
    /// S; without SACK a count of duplicates.
    pub sacked: u32,
    /// L.
    pub lost: u32,
    /// R.
    pub retrans: u32,
    /// Buffers, which is what memory is counted by.
    pub buffers: u32,
    /// No packet from this one on has, or ever had, a mark of loss recovery.
    pub(super) unmarked: u64,
}

impl Queue {
    pub(crate) fn new() -> Self {
        Queue {
            ring: vec![Packet::unused_slot(); 16].into_boxed_slice(),
            head: 0,
            tail: 0,
            first_sent: NO_PACKET,
            last_sent: NO_PACKET,
            lost_cursor: NO_PACKET,
            retransmit_hint: NO_PACKET,
            sacked: 0,
            lost: 0,
            retrans: 0,
            buffers: 0,
            unmarked: 0,
        }
    }

    /// O.
    #[inline]
    pub(crate) fn packets_out(&self) -> u32 {
        (self.tail - self.head) as u32
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.tail == self.head
    }

    /// O - (S + L) + R.
    #[inline]
    pub(crate) fn in_flight(&self) -> u32 {
        debug_assert!(self.sacked + self.lost <= self.packets_out() + self.retrans);
        (self.packets_out() + self.retrans).saturating_sub(self.sacked + self.lost)
    }

    #[inline]
    pub(crate) fn head(&self) -> u64 {
        self.head
    }

    #[inline]
    pub(crate) fn tail(&self) -> u64 {
        self.tail
    }

    #[inline]
    pub(crate) fn first(&self) -> Option<&Packet> {
        (!self.is_empty()).then(|| self.packet(self.head))
    }

    #[inline]
    fn index(&self, id: u64) -> usize {
        debug_assert!(id >= self.head && id < self.tail, "{id} of {}..{}", self.head, self.tail);
        id as usize & (self.ring.len() - 1)
    }

    #[inline]
    pub(crate) fn packet(&self, id: u64) -> &Packet {
        &self.ring[self.index(id)]
    }

    #[inline]
    pub(crate) fn packet_mut(&mut self, id: u64) -> &mut Packet {
        let index = self.index(id);
        &mut self.ring[index]
    }

    /// Appends a packet and returns its number.
    #[inline]
    pub(crate) fn push(&mut self, packet: Packet) -> u64 {
        if self.tail - self.head == self.ring.len() as u64 {
            self.grow();
        }
        let id = self.tail;
        self.tail += 1;
        self.buffers += u32::from(packet.flags.intersects(Flags::APP_LIMITED_FIRST));
        let flags = packet.flags.union(Flags::IN_RACK_LIST);
        *self.packet_mut(id) =
            Packet { flags, previous_sent: self.last_sent, next_sent: NO_PACKET, ..packet };
        self.append_newest(id);
        id
    }

    #[cold]
    pub(super) fn grow(&mut self) {
        let mut ring = vec![Packet::unused_slot(); 2 * self.ring.len()].into_boxed_slice();
        let mask = ring.len() - 1;
        for id in self.head..self.tail {
            ring[id as usize & mask] = *self.packet(id);
        }
        self.ring = ring;
    }

    /// Removes the head, whose marks the caller has counted.
    #[inline]
    pub(crate) fn pop(&mut self) {
        if self.packet(self.head).flags.intersects(Flags::IN_RACK_LIST) {
            self.unlink(self.head);
        }
        self.buffers -=
            u32::from(self.packet(self.head).flags.intersects(Flags::APP_LIMITED_FIRST));
        self.head += 1;
    }

    /// Begins a buffer with packet `id`, if there is one.
    #[inline]
    pub(crate) fn begin_buffer(&mut self, id: u64) {
        if id < self.tail && !self.packet(id).flags.intersects(Flags::APP_LIMITED_FIRST) {
            let packet = self.packet_mut(id);
            packet.flags = packet.flags.union(Flags::APP_LIMITED_FIRST);
            self.buffers += 1;
        }
    }

    /// Joins packet `id` to the buffer before it.
    #[inline]
    pub(crate) fn continue_buffer(&mut self, id: u64) {
        if id > self.head && self.packet(id).flags.intersects(Flags::APP_LIMITED_FIRST) {
            self.clear(id, Flags::APP_LIMITED_FIRST);
            self.buffers -= 1;
        }
    }

    /// Sets marks of loss recovery.
    #[inline]
    pub(crate) fn set(&mut self, id: u64, flags: Flags) {
        self.unmarked = self.unmarked.max(id + 1);
        let packet = self.packet_mut(id);
        packet.flags = packet.flags.union(flags);
    }

    #[inline]
    pub(crate) fn clear(&mut self, id: u64, flags: Flags) {
        let packet = self.packet_mut(id);
        packet.flags = packet.flags.without(flags);
    }

    /// Clears LOST, if it is set, and counts it.
    #[inline]
    pub(crate) fn clear_lost(&mut self, id: u64) {
        if self.packet(id).flags.intersects(Flags::LOST) {
            self.clear(id, Flags::LOST);
            self.lost -= 1;
        }
    }

    /// Clears RETRANS, if it is set, and counts it.
    #[inline]
    pub(crate) fn clear_retrans(&mut self, id: u64) {
        if self.packet(id).flags.intersects(Flags::RETRANS) {
            self.clear(id, Flags::RETRANS);
            self.retrans -= 1;
        }
    }

    /// The packet that holds `seq`, or the head if it lies before, or the tail if after.
    pub(crate) fn id_containing(&self, seq: u64) -> u64 {
        let (mut low, mut high) = (self.head, self.tail);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.packet(middle).end() <= seq { low = middle + 1 } else { high = middle }
        }
        low
    }
}
