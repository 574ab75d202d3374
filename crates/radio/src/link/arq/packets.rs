//! The packets on a link that retransmits, from the queue to their hand-over. The sender's and the
//! receiver's knowledge of a packet differ while feedback is under way: a packet is *over* once the
//! receiver has it or has given it up, and *closed* once the sender has no more to do with it.

use super::feedback::Fragment;
use super::medium::FragmentTransmission;
use crate::link::counts::Volume;
use airtcp_core::{Instant, Payload};
use std::collections::VecDeque;

/// End of a packet at the receiver.
#[derive(Clone, Copy, Debug)]
struct PacketEnd {
    /// Start and arrival of the transmission that ended the packet.
    start: Instant,
    arrival: Instant,
    failed: bool,
}

#[derive(Debug)]
struct PacketRecord<P> {
    /// Absent once it was handed over or lost.
    payload: Option<P>,
    owner: usize,
    bits: u64,
    /// Bits that were not sent yet.
    unsent_bits: u64,
    /// Fragments that have not arrived.
    missing_fragments: u64,
    /// Time at which the first fragment of the packet was sent.
    first_start: Option<Instant>,
    ended: Option<PacketEnd>,
    abandoned: bool,
}

/// A packet that leaves.
pub(super) struct LeavingPacket<P> {
    pub(super) at: Instant,
    pub(super) payload: P,
    /// True if it was given up.
    pub(super) failed: bool,
}

/// Packets by serial number.
#[derive(Debug)]
pub(super) struct Packets<P> {
    records: VecDeque<PacketRecord<P>>,
    /// Serial number of the first record.
    first: u64,
    /// First packet with fragments that were not sent yet.
    sending: u64,
    in_order: bool,
    /// Next packet to leave, if packets leave in order.
    next: u64,
    /// Packets that have ended, by arrival, if they may leave out of order.
    ended_packets: VecDeque<u64>,
    /// Time at which the last packet left.
    last_leave: Instant,
}

impl<P: Payload> Packets<P> {
    pub(super) fn new(in_order: bool) -> Self {
        Packets {
            records: VecDeque::new(),
            first: 0,
            sending: 0,
            in_order,
            next: 0,
            ended_packets: VecDeque::new(),
            last_leave: Instant::START,
        }
    }

    /// A packet of `bits` joins, which makes so many fragments.
    pub(super) fn push(&mut self, payload: P, bits: u64, fragments: u64) {
        let owner = payload.owner();
        self.records.push_back(PacketRecord {
            payload: Some(payload),
            owner,
            bits,
            unsent_bits: bits,
            missing_fragments: fragments,
            first_start: None,
            ended: None,
            abandoned: false,
        });
    }

    fn get(&self, packet: u64) -> Option<&PacketRecord<P>> {
        self.records.get(usize::try_from(packet.checked_sub(self.first)?).ok()?)
    }

    fn get_mut(&mut self, packet: u64) -> Option<&mut PacketRecord<P>> {
        self.records.get_mut(usize::try_from(packet.checked_sub(self.first)?).ok()?)
    }

    /// Number of packets that have not left, or are still worked on.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Packets that have not left.
    pub(super) fn volume(&self) -> Volume {
        let held = self.records.iter().filter(|record| record.payload.is_some());
        held.map(|record| record.bits).fold(Volume::default(), Volume::plus_packet)
    }

    /// Returns whether nothing is left to do, at either end.
    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns whether some packet has fragments that were not sent yet.
    pub(super) fn has_unsent(&self) -> bool {
        self.get(self.sending).is_some()
    }

    /// Returns whether the sender still works on a packet.
    pub(super) fn is_worked_on(&self, packet: u64) -> bool {
        self.get(packet).is_some_and(|record| !record.abandoned)
    }

    /// Returns whether the receiver has a packet, or has given it up.
    pub(super) fn has_ended(&self, packet: u64) -> bool {
        self.get(packet).is_none_or(|record| record.ended.is_some())
    }

    /// Owner of the packet.
    pub(super) fn owner(&self, packet: u64) -> usize {
        self.get(packet).map_or(0, |record| record.owner)
    }

    /// The next fragment that was not sent yet, of at most `most` bits; the packet's length if it is the
    /// first of its packet.
    pub(super) fn next_fragment(&mut self, most: u64) -> Option<(Fragment, Option<u64>)> {
        let packet = self.sending;
        let record = self.get_mut(packet)?;
        let first = (record.unsent_bits == record.bits).then_some(record.bits);
        let bits = record.unsent_bits.min(most);
        record.unsent_bits -= bits;
        self.update_order();
        Some((Fragment { packet, bits, attempts: 0 }, first))
    }

    /// A fragment of a packet is sent, which is not over: the packet is on the air from its first fragment to the
    /// one that decides it.
    pub(super) fn transmit(&mut self, packet: u64, sent: &FragmentTransmission) {
        let Some(record) = self.get_mut(packet).filter(|record| record.ended.is_none()) else {
            return;
        };
        let begun = *record.first_start.get_or_insert(sent.start);
        if let Some(payload) = &mut record.payload {
            payload.on_transmission(begun, sent.end);
        }
    }

    /// A fragment arrives.
    pub(super) fn arrive(&mut self, packet: u64, sent: &FragmentTransmission) {
        let Some(record) = self.get_mut(packet) else { return };
        record.missing_fragments -= 1;
        if record.missing_fragments == 0 && record.ended.is_none() {
            record.abandoned = true;
            self.end(packet, sent, false);
        }
    }

    /// The receiver gives a packet up.
    pub(super) fn give_up(&mut self, packet: u64, sent: &FragmentTransmission) {
        self.end(packet, sent, true);
    }

    fn end(&mut self, packet: u64, sent: &FragmentTransmission, failed: bool) {
        let over = PacketEnd { start: sent.start, arrival: sent.arrival, failed };
        if let Some(record) = self.get_mut(packet) {
            record.ended = Some(over);
        }
        if !self.in_order {
            self.ended_packets.push_back(packet);
        }
    }

    /// The sender learns that a packet was given up: what was not sent is dropped [chockalingam reading, section 7].
    pub(super) fn abandon(&mut self, packet: u64) {
        if let Some(record) = self.get_mut(packet) {
            (record.unsent_bits, record.abandoned) = (0, true);
        }
        self.update_order();
        self.drop_finished();
    }

    /// The link goes down at `at`: what is not over before is lost.
    pub(super) fn lose_unfinished(&mut self, at: Instant, mut lose: impl FnMut(P)) {
        let lasting = |over: &PacketEnd| over.arrival < at;
        for record in &mut self.records {
            (record.unsent_bits, record.abandoned) = (0, true);
            if !record.ended.as_ref().is_some_and(lasting) {
                record.ended = Some(PacketEnd { start: at, arrival: at, failed: true });
                record.payload.take().into_iter().for_each(&mut lose);
            }
        }
        while self.ended_packets.back().is_some_and(|&packet| !self.is_kept(packet)) {
            self.ended_packets.pop_back();
        }
        self.update_order();
        self.drop_finished();
    }

    fn is_kept(&self, packet: u64) -> bool {
        self.get(packet).is_some_and(|record| record.payload.is_some())
    }

    fn update_order(&mut self) {
        while self.get(self.sending).is_some_and(|record| record.unsent_bits == 0) {
            self.sending += 1;
        }
    }

    /// Drops the records that nobody needs.
    fn drop_finished(&mut self) {
        while self
            .records
            .front()
            .is_some_and(|record| record.abandoned && record.payload.is_none())
        {
            if let Some(over) = self.records[0].ended.filter(|_| self.next <= self.first) {
                // Destroyed before its turn, which has come.
                self.last_leave = self.last_leave.max(over.arrival);
            }
            self.records.pop_front();
            self.first += 1;
        }
        self.next = self.next.max(self.first);
        self.sending = self.sending.max(self.first);
    }

    /// The packet that leaves next, if it is over.
    fn next_leaving(&self) -> Option<(u64, PacketEnd)> {
        let packet = if self.in_order { self.next } else { *self.ended_packets.front()? };
        Some((packet, self.get(packet)?.ended?))
    }

    /// Time at which the next packet leaves, and the begin of the transmission that decided it; none while it is open.
    pub(super) fn due(&self) -> Option<(Instant, Instant)> {
        self.next_leaving().map(|(_, over)| (over.arrival, over.start))
    }

    /// The next packet that leaves by `now`.
    pub(super) fn leave(&mut self, now: Instant) -> Option<LeavingPacket<P>> {
        loop {
            let (packet, over) = self.next_leaving().filter(|(_, over)| over.arrival <= now)?;
            let at = if self.in_order { self.last_leave.max(over.arrival) } else { over.arrival };
            self.last_leave = at;
            self.next += 1;
            self.ended_packets.pop_front();
            let payload = self.get_mut(packet).and_then(|record| record.payload.take());
            self.drop_finished();
            if let Some(payload) = payload {
                return Some(LeavingPacket { at, payload, failed: over.failed });
            }
        }
    }
}
