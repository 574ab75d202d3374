//! Splitting and joining of packets. Both are rare: all later packets move by one place.

use super::queue::{Flags, NO_PACKET, Queue};

impl Queue {
    /// Cuts packet `id` after `len` numbers; the rest becomes the next packet of the same buffer. Rare, since all later
    /// entries move.
    pub(crate) fn shorten(&mut self, id: u64, len: u32) {
        let mut rest = *self.packet(id);
        debug_assert!(len > 0 && len < rest.len);
        self.shift_up(id + 1);
        self.unmarked = self.unmarked.max(id + 1) + 1;
        let flags = rest.flags;
        rest.seq += u64::from(len);
        rest.len -= len;
        rest.flags = flags.without(Flags::APP_LIMITED_FIRST.union(Flags::IN_RACK_LIST));
        let front = self.packet_mut(id);
        front.len = len;
        front.flags = flags.without(Flags::FIN.union(Flags::PSH).union(Flags::EOR));
        *self.packet_mut(id + 1) = rest;
        if flags.intersects(Flags::IN_RACK_LIST) {
            self.insert_after(id + 1, id);
        }
        self.sacked += u32::from(flags.intersects(Flags::SACKED));
        self.lost += u32::from(flags.intersects(Flags::LOST));
        self.retrans += u32::from(flags.intersects(Flags::RETRANS));
    }

    /// Merges the packet after `id` into it [rules/sending.md rule 28].
    pub(crate) fn merge_with_next(&mut self, id: u64) {
        let next = *self.packet(id + 1);
        if next.flags.intersects(Flags::IN_RACK_LIST) {
            self.unlink(id + 1);
        }
        self.lost -= u32::from(next.flags.intersects(Flags::LOST));
        self.retrans -= u32::from(next.flags.intersects(Flags::RETRANS));
        self.buffers -= u32::from(next.flags.intersects(Flags::APP_LIMITED_FIRST));
        let kept = Flags::EVER_RETRANS.union(Flags::FIN).union(Flags::PSH).union(Flags::EOR);
        let packet = self.packet_mut(id);
        packet.len += next.len;
        packet.flags = packet.flags.union(next.flags.intersection(kept));
        self.shift_down(id + 1);
    }

    /// Makes room at `id` by moving it and all later entries up by one.
    fn shift_up(&mut self, id: u64) {
        if self.tail - self.head == self.ring.len() as u64 {
            self.grow();
        }
        self.tail += 1;
        for at in (id + 1..self.tail).rev() {
            *self.packet_mut(at) = *self.packet(at - 1);
        }
        self.renumber(|link| if link >= id { link + 1 } else { link });
    }

    /// Removes `id` by moving all later entries down by one.
    fn shift_down(&mut self, id: u64) {
        for at in id..self.tail - 1 {
            *self.packet_mut(at) = *self.packet(at + 1);
        }
        self.tail -= 1;
        self.renumber(|link| if link > id { link - 1 } else { link });
    }

    fn renumber(&mut self, new: impl Fn(u64) -> u64) {
        let new = |link: u64| if link == NO_PACKET { NO_PACKET } else { new(link) };
        for id in self.head..self.tail {
            let packet = self.packet_mut(id);
            (packet.previous_sent, packet.next_sent) =
                (new(packet.previous_sent), new(packet.next_sent));
        }
        (self.first_sent, self.last_sent) = (new(self.first_sent), new(self.last_sent));
        (self.lost_cursor, self.retransmit_hint) =
            (new(self.lost_cursor), new(self.retransmit_hint));
    }
}
