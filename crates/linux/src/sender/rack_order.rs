//! Packets in the order of their last transmissions [rules/rack.md rule 3].
//!
//! Packets before the cursor are LOST without a retransmission in flight: detection need not look at them
//! [rules/rack.md rule 4].

use super::queue::{Flags, NO_PACKET, Queue};

impl Queue {
    /// Puts packet `id` at the end.
    #[inline]
    pub(crate) fn link_newest(&mut self, id: u64) {
        let last = self.last_sent;
        let packet = self.packet_mut(id);
        packet.flags = packet.flags.union(Flags::IN_RACK_LIST);
        (packet.previous_sent, packet.next_sent) = (last, NO_PACKET);
        self.append_newest(id);
    }

    /// Packet `id`, which knows that, comes after the newest.
    #[inline]
    pub(super) fn append_newest(&mut self, id: u64) {
        let last = std::mem::replace(&mut self.last_sent, id);
        if last == NO_PACKET {
            self.first_sent = id;
        } else {
            self.packet_mut(last).next_sent = id;
        }
        if self.lost_cursor == NO_PACKET {
            self.lost_cursor = id;
        }
    }

    /// Puts packet `id` right behind `before`.
    pub(crate) fn insert_after(&mut self, id: u64, before: u64) {
        let after = self.packet(before).next_sent;
        let packet = self.packet_mut(id);
        packet.flags = packet.flags.union(Flags::IN_RACK_LIST);
        (packet.previous_sent, packet.next_sent) = (before, after);
        self.packet_mut(before).next_sent = id;
        if after == NO_PACKET {
            self.last_sent = id;
        } else {
            self.packet_mut(after).previous_sent = id;
        }
    }

    /// Takes packet `id` out.
    #[inline]
    pub(crate) fn unlink(&mut self, id: u64) {
        let packet = self.packet_mut(id);
        let (earlier, later) = (packet.previous_sent, packet.next_sent);
        packet.flags = packet.flags.without(Flags::IN_RACK_LIST);
        if earlier == NO_PACKET {
            self.first_sent = later;
        } else {
            self.packet_mut(earlier).next_sent = later;
        }
        if later == NO_PACKET {
            self.last_sent = earlier;
        } else {
            self.packet_mut(later).previous_sent = earlier;
        }
        if self.lost_cursor == id {
            self.lost_cursor = later;
        }
    }

    /// Moves packet `id` to the end, or puts it there.
    pub(crate) fn move_to_newest(&mut self, id: u64) {
        if self.packet(id).flags.intersects(Flags::IN_RACK_LIST) {
            self.unlink(id);
        }
        self.link_newest(id);
    }

    /// Detection looks at all again.
    pub(crate) fn restart_lost_cursor(&mut self) {
        self.lost_cursor = self.first_sent;
    }
}
