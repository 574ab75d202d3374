//! Splitting and joining of packets. Both are rare: all later packets move by one place.

use super::queue::{Flags, NONE, Queue};

impl Queue {
    /// Cuts packet `id` after `len` numbers; the rest becomes the packet behind it, of the same buffer. Rare: what
    /// follows moves.
    pub(crate) fn cut(&mut self, id: u64, len: u32) {
        let mut rest = *self.at(id);
        debug_assert!(len > 0 && len < rest.len);
        self.shift_up(id + 1);
        self.unmarked = self.unmarked.max(id + 1) + 1;
        let flags = rest.flags;
        rest.seq += u64::from(len);
        rest.len -= len;
        rest.flags = flags.without(Flags::FIRST.or(Flags::LINKED));
        let front = self.at_mut(id);
        front.len = len;
        front.flags = flags.without(Flags::FIN.or(Flags::PSH).or(Flags::EOR));
        *self.at_mut(id + 1) = rest;
        if flags.any(Flags::LINKED) {
            self.link_behind(id + 1, id);
        }
        self.sacked += u32::from(flags.any(Flags::SACKED));
        self.lost += u32::from(flags.any(Flags::LOST));
        self.retrans += u32::from(flags.any(Flags::RETRANS));
    }

    /// Joins the packet after `id` to it: one packet less [rules/sending.md rule 28].
    pub(crate) fn join(&mut self, id: u64) {
        let next = *self.at(id + 1);
        if next.flags.any(Flags::LINKED) {
            self.unlink(id + 1);
        }
        self.lost -= u32::from(next.flags.any(Flags::LOST));
        self.retrans -= u32::from(next.flags.any(Flags::RETRANS));
        self.buffers -= u32::from(next.flags.any(Flags::FIRST));
        let kept = Flags::EVER.or(Flags::FIN).or(Flags::PSH).or(Flags::EOR);
        let packet = self.at_mut(id);
        packet.len += next.len;
        packet.flags = packet.flags.or(next.flags.only(kept));
        self.shift_down(id + 1);
    }

    /// Makes room at `id`: it and what follows move up by one.
    fn shift_up(&mut self, id: u64) {
        if self.tail - self.head == self.ring.len() as u64 {
            self.grow();
        }
        self.tail += 1;
        for at in (id + 1..self.tail).rev() {
            *self.at_mut(at) = *self.at(at - 1);
        }
        self.renumber(|link| if link >= id { link + 1 } else { link });
    }

    /// Overwrites `id` by what follows it.
    fn shift_down(&mut self, id: u64) {
        for at in id..self.tail - 1 {
            *self.at_mut(at) = *self.at(at + 1);
        }
        self.tail -= 1;
        self.renumber(|link| if link > id { link - 1 } else { link });
    }

    fn renumber(&mut self, new: impl Fn(u64) -> u64) {
        let new = |link: u64| if link == NONE { NONE } else { new(link) };
        for id in self.head..self.tail {
            let packet = self.at_mut(id);
            (packet.earlier, packet.later) = (new(packet.earlier), new(packet.later));
        }
        (self.oldest, self.newest) = (new(self.oldest), new(self.newest));
        (self.cursor, self.hint) = (new(self.cursor), new(self.hint));
    }
}
