//! The packets on a link that retransmits, from the queue to their hand-over. The sender's and the
//! receiver's knowledge of a packet differ while feedback is under way: a packet is *over* once the
//! receiver has it or has given it up, and *closed* once the sender has no more to do with it.

use super::feedback::Fragment;
use super::medium::Sent;
use crate::link::counts::Volume;
use airtcp_core::{Instant, Payload};
use std::collections::VecDeque;

/// End of a packet at the receiver.
#[derive(Clone, Copy, Debug)]
struct Over {
    /// The transmission that decided it: when it began, and when it arrived.
    start: Instant,
    arrival: Instant,
    failed: bool,
}

#[derive(Debug)]
struct Record<P> {
    /// Absent once it was handed over or lost.
    payload: Option<P>,
    owner: usize,
    bits: u64,
    /// Bits that were not sent yet.
    unsent: u64,
    /// Fragments that have not arrived.
    missing: u64,
    /// Time at which the first fragment of the packet was sent.
    begun: Option<Instant>,
    over: Option<Over>,
    closed: bool,
}

/// A packet that leaves.
pub(super) struct Leaving<P> {
    pub(super) at: Instant,
    pub(super) payload: P,
    /// True if it was given up.
    pub(super) failed: bool,
}

/// Packets by serial number.
#[derive(Debug)]
pub(super) struct Packets<P> {
    records: VecDeque<Record<P>>,
    /// Serial number of the first record.
    first: u64,
    /// The first packet of which something was not sent yet.
    sending: u64,
    in_order: bool,
    /// If in order: the next packet to leave.
    next: u64,
    /// If not: those that are over, by arrival.
    over: VecDeque<u64>,
    /// Time at which the last packet left.
    left: Instant,
}

impl<P: Payload> Packets<P> {
    pub(super) fn new(in_order: bool) -> Self {
        Packets {
            records: VecDeque::new(),
            first: 0,
            sending: 0,
            in_order,
            next: 0,
            over: VecDeque::new(),
            left: Instant::START,
        }
    }

    /// A packet of `bits` joins, which makes so many fragments.
    pub(super) fn push(&mut self, payload: P, bits: u64, fragments: u64) {
        let owner = payload.owner();
        self.records.push_back(Record {
            payload: Some(payload),
            owner,
            bits,
            unsent: bits,
            missing: fragments,
            begun: None,
            over: None,
            closed: false,
        });
    }

    fn get(&self, packet: u64) -> Option<&Record<P>> {
        self.records.get(usize::try_from(packet.checked_sub(self.first)?).ok()?)
    }

    fn get_mut(&mut self, packet: u64) -> Option<&mut Record<P>> {
        self.records.get_mut(usize::try_from(packet.checked_sub(self.first)?).ok()?)
    }

    /// Number of packets that have not left, or are still worked on.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Packets that have not left.
    pub(super) fn volume(&self) -> Volume {
        let held = self.records.iter().filter(|record| record.payload.is_some());
        held.map(|record| record.bits).fold(Volume::default(), Volume::with)
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
    pub(super) fn is_open(&self, packet: u64) -> bool {
        self.get(packet).is_some_and(|record| !record.closed)
    }

    /// Returns whether the receiver has a packet, or has given it up.
    pub(super) fn is_over(&self, packet: u64) -> bool {
        self.get(packet).is_none_or(|record| record.over.is_some())
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
        let first = (record.unsent == record.bits).then_some(record.bits);
        let bits = record.unsent.min(most);
        record.unsent -= bits;
        self.settle();
        Some((Fragment { packet, bits, attempts: 0 }, first))
    }

    /// A fragment of a packet is sent, which is not over: the packet is on the air from its first fragment to the
    /// one that decides it.
    pub(super) fn transmit(&mut self, packet: u64, sent: &Sent) {
        let Some(record) = self.get_mut(packet).filter(|record| record.over.is_none()) else {
            return;
        };
        let begun = *record.begun.get_or_insert(sent.start);
        if let Some(payload) = &mut record.payload {
            payload.on_air(begun, sent.end);
        }
    }

    /// A fragment arrives.
    pub(super) fn arrive(&mut self, packet: u64, sent: &Sent) {
        let Some(record) = self.get_mut(packet) else { return };
        record.missing -= 1;
        if record.missing == 0 && record.over.is_none() {
            record.closed = true;
            self.end(packet, sent, false);
        }
    }

    /// The receiver gives a packet up.
    pub(super) fn fail(&mut self, packet: u64, sent: &Sent) {
        self.end(packet, sent, true);
    }

    fn end(&mut self, packet: u64, sent: &Sent, failed: bool) {
        let over = Over { start: sent.start, arrival: sent.arrival, failed };
        if let Some(record) = self.get_mut(packet) {
            record.over = Some(over);
        }
        if !self.in_order {
            self.over.push_back(packet);
        }
    }

    /// The sender learns that a packet was given up: what was not sent is dropped [chockalingam reading, section 7].
    pub(super) fn close(&mut self, packet: u64) {
        if let Some(record) = self.get_mut(packet) {
            (record.unsent, record.closed) = (0, true);
        }
        self.settle();
        self.reclaim();
    }

    /// The link goes down at `at`: what is not over before is lost.
    pub(super) fn cut(&mut self, at: Instant, mut lose: impl FnMut(P)) {
        let lasting = |over: &Over| over.arrival < at;
        for record in &mut self.records {
            (record.unsent, record.closed) = (0, true);
            if !record.over.as_ref().is_some_and(lasting) {
                record.over = Some(Over { start: at, arrival: at, failed: true });
                record.payload.take().into_iter().for_each(&mut lose);
            }
        }
        while self.over.back().is_some_and(|&packet| !self.remains(packet)) {
            self.over.pop_back();
        }
        self.settle();
        self.reclaim();
    }

    fn remains(&self, packet: u64) -> bool {
        self.get(packet).is_some_and(|record| record.payload.is_some())
    }

    fn settle(&mut self) {
        while self.get(self.sending).is_some_and(|record| record.unsent == 0) {
            self.sending += 1;
        }
    }

    /// Drops the records that nobody needs.
    fn reclaim(&mut self) {
        while self.records.front().is_some_and(|record| record.closed && record.payload.is_none()) {
            if let Some(over) = self.records[0].over.filter(|_| self.next <= self.first) {
                // Destroyed before its turn, which has come.
                self.left = self.left.max(over.arrival);
            }
            self.records.pop_front();
            self.first += 1;
        }
        self.next = self.next.max(self.first);
        self.sending = self.sending.max(self.first);
    }

    /// The packet that leaves next, if it is over.
    fn head(&self) -> Option<(u64, Over)> {
        let packet = if self.in_order { self.next } else { *self.over.front()? };
        Some((packet, self.get(packet)?.over?))
    }

    /// Time at which the next packet leaves, and the begin of the transmission that decided it; none while it is open.
    pub(super) fn due(&self) -> Option<(Instant, Instant)> {
        self.head().map(|(_, over)| (over.arrival, over.start))
    }

    /// The next packet that leaves by `now`.
    pub(super) fn leave(&mut self, now: Instant) -> Option<Leaving<P>> {
        loop {
            let (packet, over) = self.head().filter(|(_, over)| over.arrival <= now)?;
            let at = if self.in_order { self.left.max(over.arrival) } else { over.arrival };
            self.left = at;
            self.next += 1;
            self.over.pop_front();
            let payload = self.get_mut(packet).and_then(|record| record.payload.take());
            self.reclaim();
            if let Some(payload) = payload {
                return Some(Leaving { at, payload, failed: over.failed });
            }
        }
    }
}
