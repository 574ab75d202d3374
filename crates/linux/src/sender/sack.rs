//! SACK blocks mark packets [rules/recovery.md B].

use super::Sender;
use super::blocks::{Block, Blocks};
use super::context::AckContext;
use super::queue::Flags;
use super::wire::AckIn;
use crate::clock::TimeInUnits;

impl Sender {
    /// The highest SACKed point [rules/recovery.md rules 13, 21].
    #[inline]
    pub(super) fn highest_sacked(&self) -> u64 {
        if self.queue.sacked == 0 { self.una } else { self.fack }
    }

    /// Applies the blocks of an ACK.
    pub(super) fn process_sack(&mut self, now: TimeInUnits, a: &AckIn, c: &mut AckContext) {
        let sack = &a.sack[..a.sack.len().min(4)];
        let dsack = self.check_dsack(a.ack, sack, c);
        // Rule 16.
        if a.ack + self.max_window < c.una || self.queue.is_empty() {
            return;
        }
        let mut blocks = Blocks::default();
        for (index, &(start, end)) in sack.iter().enumerate() {
            let dsack = dsack && index == 0;
            if self.is_valid(start, end, dsack) && end > c.una {
                blocks.insert(Block { start, end, dsack });
            }
        }
        let seen = self.previous_sack;
        for (index, block) in blocks.as_slice().iter().enumerate() {
            let inside =
                |other: &Block| other.dsack && other.start > block.start && other.end <= block.end;
            if block.dsack {
                let before = &blocks.as_slice()[..index];
                if !before.iter().any(|b| block.start > b.start && block.end <= b.end) {
                    self.process_range(now, block, (block.start, block.end), c);
                }
            } else if let Some(dsack) = blocks.as_slice().iter().find(|b| inside(b)) {
                self.process_new_ranges(now, block, (block.start, dsack.start), &seen, c);
                self.process_range(now, dsack, (dsack.start, dsack.end), c);
                self.process_new_ranges(now, block, (dsack.end, block.end), &seen, c);
            } else {
                self.process_new_ranges(now, block, (block.start, block.end), &seen, c);
            }
        }
        self.previous_sack.clear();
        for block in blocks.as_slice().iter().filter(|b| !b.dsack) {
            self.previous_sack.insert(*block);
        }
        // Rule 20.
        if self.state != crate::congestion::CaState::Loss || self.undo.marker.is_some() {
            self.update_reordering(c.reordered.min(self.nxt));
        }
    }

    /// [rules/recovery.md rule 17]
    fn is_valid(&self, start: u64, end: u64, dsack: bool) -> bool {
        if start >= end || end > self.nxt || start >= self.nxt {
            return false;
        }
        if start > self.una {
            return true;
        }
        let Some(marker) = self.undo.marker.filter(|_| dsack) else { return false };
        end <= self.una && (start >= marker || (end > marker && start + self.max_window >= end))
    }

    /// Applies `block` to the parts of `range` not covered by the previous ACK.
    fn process_new_ranges(
        &mut self,
        now: TimeInUnits,
        block: &Block,
        range: (u64, u64),
        seen: &Blocks,
        c: &mut AckContext,
    ) {
        let (mut at, end) = range;
        for old in seen.as_slice() {
            if old.end <= at {
                continue;
            }
            if old.start >= end {
                break;
            }
            if old.start > at {
                self.process_range(now, block, (at, old.start), c);
            }
            at = at.max(old.end);
        }
        if at < end {
            self.process_range(now, block, (at, end), c);
        }
    }

    /// Applies `block` to the packets that lie fully inside it and touch `range`
    /// [rules/recovery.md rule 18].
    fn process_range(
        &mut self,
        now: TimeInUnits,
        block: &Block,
        range: (u64, u64),
        c: &mut AckContext,
    ) {
        let mut id = self.queue.id_containing(range.0);
        while id < self.queue.tail() && self.queue.packet(id).seq < range.1 {
            let packet = self.queue.packet(id);
            if packet.seq >= block.start && packet.end() <= block.end {
                self.process_packet(now, id, block.dsack, c);
            }
            id += 1;
        }
    }

    /// [rules/recovery.md rule 19]
    fn process_packet(&mut self, now: TimeInUnits, id: u64, dsack: bool, c: &mut AckContext) {
        let packet = *self.queue.packet(id);
        let flags = packet.flags;
        if dsack && flags.intersects(Flags::EVER_RETRANS.union(Flags::RETRANS)) {
            if self.undo.marker.is_some_and(|marker| packet.end() > marker) {
                self.undo.retrans -= i64::from(self.undo.retrans > 0);
            }
            if flags.intersects(Flags::SACKED) {
                c.reordered = c.reordered.min(packet.seq);
            }
        }
        if packet.end() <= self.una {
            return;
        }
        if !flags.intersects(Flags::SACKED) {
            self.mark_sacked(now, id, c);
        }
        if dsack {
            self.queue.clear_retrans(id);
        }
    }

    fn mark_sacked(&mut self, now: TimeInUnits, id: u64, c: &mut AckContext) {
        let packet = *self.queue.packet(id);
        let (flags, sent) = (packet.flags, packet.sent_us());
        let ever = flags.intersects(Flags::EVER_RETRANS);
        self.rack.advance(now.us, sent, packet.end(), ever, self.min_rtt.best_value());
        if flags.intersects(Flags::RETRANS) {
            if flags.intersects(Flags::LOST) {
                self.queue.clear_lost(id);
                self.queue.clear_retrans(id);
            }
        } else {
            if !ever {
                if packet.seq < self.highest_sacked() {
                    c.reordered = c.reordered.min(packet.seq);
                }
                c.orig_sacked |= packet.end() <= self.high_seq;
                c.sacked_first.get_or_insert(sent);
                c.sacked_last = sent;
            }
            self.queue.clear_lost(id);
        }
        if !flags.intersects(Flags::SLOT_USED) {
            self.rate.on_delivered(&packet.record, sent, packet.end(), ever);
        }
        self.fack = self.highest_sacked().max(packet.end());
        self.queue.set(id, Flags::SACKED.union(Flags::SLOT_USED));
        self.queue.sacked += 1;
        c.newly_sacked = true;
        c.sack_delivered += 1;
        if flags.intersects(Flags::IN_RACK_LIST) {
            self.queue.unlink(id);
        }
        self.split_off(id);
    }

    /// Separates SACKed packets from packets not SACKed into buffers of their own.
    fn split_off(&mut self, id: u64) {
        let sacked = |sender: &Sender, id| sender.queue.packet(id).flags.intersects(Flags::SACKED);
        if id > self.queue.head() {
            if sacked(self, id - 1) {
                self.queue.continue_buffer(id);
            } else {
                self.queue.begin_buffer(id);
            }
        }
        if id + 1 < self.queue.tail() {
            if sacked(self, id + 1) {
                self.queue.continue_buffer(id + 1);
            } else {
                self.queue.begin_buffer(id + 1);
            }
        }
    }
}
