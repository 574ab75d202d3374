//! Packets in the order of their last transmissions [rules/rack.md rule 3].
//!
//! Packets before the cursor are LOST without a retransmission in flight: detection need not look at them
//! [rules/rack.md rule 4].

use super::queue::{Flags, NONE, Queue};

impl Queue {
    /// Puts packet `id` at the end.
    #[inline]
    pub(crate) fn link_newest(&mut self, id: u64) {
        let last = self.newest;
        let packet = self.at_mut(id);
        packet.flags = packet.flags.or(Flags::LINKED);
        (packet.earlier, packet.later) = (last, NONE);
        self.follow_newest(id);
    }

    /// Packet `id`, which knows that, comes after the newest.
    #[inline]
    pub(super) fn follow_newest(&mut self, id: u64) {
        let last = std::mem::replace(&mut self.newest, id);
        if last == NONE {
            self.oldest = id;
        } else {
            self.at_mut(last).later = id;
        }
        if self.cursor == NONE {
            self.cursor = id;
        }
    }

    /// Puts packet `id` right behind `before`.
    pub(crate) fn link_behind(&mut self, id: u64, before: u64) {
        let after = self.at(before).later;
        let packet = self.at_mut(id);
        packet.flags = packet.flags.or(Flags::LINKED);
        (packet.earlier, packet.later) = (before, after);
        self.at_mut(before).later = id;
        if after == NONE {
            self.newest = id;
        } else {
            self.at_mut(after).earlier = id;
        }
    }

    /// Takes packet `id` out.
    #[inline]
    pub(crate) fn unlink(&mut self, id: u64) {
        let packet = self.at_mut(id);
        let (earlier, later) = (packet.earlier, packet.later);
        packet.flags = packet.flags.without(Flags::LINKED);
        if earlier == NONE {
            self.oldest = later;
        } else {
            self.at_mut(earlier).later = later;
        }
        if later == NONE {
            self.newest = earlier;
        } else {
            self.at_mut(later).earlier = earlier;
        }
        if self.cursor == id {
            self.cursor = later;
        }
    }

    /// Moves packet `id` to the end, or puts it there.
    pub(crate) fn touch(&mut self, id: u64) {
        if self.at(id).flags.any(Flags::LINKED) {
            self.unlink(id);
        }
        self.link_newest(id);
    }

    /// Detection looks at all again.
    pub(crate) fn rewind(&mut self) {
        self.cursor = self.oldest;
    }
}
