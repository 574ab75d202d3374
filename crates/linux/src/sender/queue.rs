//! What was sent and is not acknowledged: a ring of packets, numbered by how many were sent before.
//!
//! A buffer of several packets is a run of entries of which the first has [`Flags::FIRST`]
//! [linux/index.md Notation].

use crate::rate::Record;

/// No packet.
pub(crate) const NONE: u64 = u64::MAX;

/// Marks of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(u16);

impl Flags {
    /// The other end holds it.
    pub(crate) const SACKED: Flags = Flags(1);
    /// It is taken for lost.
    pub(crate) const LOST: Flags = Flags(2);
    /// A retransmission is in flight.
    pub(crate) const RETRANS: Flags = Flags(4);
    /// It was retransmitted at least once.
    pub(crate) const EVER: Flags = Flags(8);
    /// A buffer begins with it.
    pub(crate) const FIRST: Flags = Flags(16);
    /// FIN ends it.
    pub(crate) const FIN: Flags = Flags(32);
    /// PSH is set.
    pub(crate) const PSH: Flags = Flags(64);
    /// Its record was used.
    pub(crate) const USED: Flags = Flags(128);
    /// It is in the order of send times.
    pub(crate) const LINKED: Flags = Flags(256);
    /// It ends a record of the application (`MSG_EOR`).
    pub(crate) const EOR: Flags = Flags(512);

    /// Whether any of `others` is set.
    #[inline]
    pub(crate) const fn any(self, others: Flags) -> bool {
        self.0 & others.0 != 0
    }

    /// Both.
    #[inline]
    pub(crate) const fn or(self, others: Flags) -> Flags {
        Flags(self.0 | others.0)
    }

    /// These if `on`, else none.
    #[inline]
    pub(crate) const fn when(self, on: bool) -> Flags {
        if on { self } else { Flags(0) }
    }

    #[inline]
    pub(crate) const fn without(self, others: Flags) -> Flags {
        Flags(self.0 & !others.0)
    }

    /// Those of these that are in `others`.
    #[inline]
    pub(crate) const fn only(self, others: Flags) -> Flags {
        Flags(self.0 & others.0)
    }
}

/// One packet: a segment of at most one MSS.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    /// Its first number.
    pub seq: u64,
    /// When it last left, in nanoseconds.
    pub sent: i64,
    /// Neighbours in the order of send times.
    pub earlier: u64,
    pub later: u64,
    /// For the rate of delivery.
    pub record: Record,
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

    /// When it last left, in microseconds.
    #[inline]
    pub(crate) const fn sent_us(&self) -> u64 {
        self.sent as u64 / 1000
    }

    /// Bytes of data.
    #[inline]
    pub(crate) const fn payload(&self) -> u32 {
        self.len - self.flags.any(Flags::FIN) as u32
    }

    /// A place in the ring that holds nothing.
    pub(super) fn empty() -> Packet {
        Packet {
            seq: 0,
            sent: 0,
            earlier: NONE,
            later: NONE,
            record: Record::default(),
            len: 0,
            flags: Flags(0),
        }
    }
}

/// The ring with the counts of its marks.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    ring: Box<[Packet]>,
    /// The oldest packet.
    head: u64,
    /// The number of the next one.
    tail: u64,
    /// Ends of the order of send times, and where detection starts in it.
    pub(super) oldest: u64,
    pub(super) newest: u64,
    pub(super) cursor: u64,
    /// Where retransmission starts; none: at the head [linux/sending.md rule 26].
    pub(super) hint: u64,
    /// S; without SACK a count of duplicates.
    pub sacked: u32,
    /// L.
    pub lost: u32,
    /// R.
    pub retrans: u32,
    /// Buffers, which is what memory is counted by.
    pub buffers: u32,
}

impl Queue {
    pub(crate) fn new() -> Self {
        Queue {
            ring: vec![Packet::empty(); 16].into_boxed_slice(),
            head: 0,
            tail: 0,
            oldest: NONE,
            newest: NONE,
            cursor: NONE,
            hint: NONE,
            sacked: 0,
            lost: 0,
            retrans: 0,
            buffers: 0,
        }
    }

    /// O.
    #[inline]
    pub(crate) fn out(&self) -> u32 {
        (self.tail - self.head) as u32
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.tail == self.head
    }

    /// O - (S + L) + R.
    #[inline]
    pub(crate) fn in_flight(&self) -> u32 {
        debug_assert!(self.sacked + self.lost <= self.out() + self.retrans);
        (self.out() + self.retrans).saturating_sub(self.sacked + self.lost)
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
        (!self.is_empty()).then(|| self.at(self.head))
    }

    #[inline]
    fn index(&self, id: u64) -> usize {
        debug_assert!(id >= self.head && id < self.tail, "{id} of {}..{}", self.head, self.tail);
        id as usize & (self.ring.len() - 1)
    }

    #[inline]
    pub(crate) fn at(&self, id: u64) -> &Packet {
        &self.ring[self.index(id)]
    }

    #[inline]
    pub(crate) fn at_mut(&mut self, id: u64) -> &mut Packet {
        let index = self.index(id);
        &mut self.ring[index]
    }

    /// Appends a packet and says its number.
    #[inline]
    pub(crate) fn push(&mut self, packet: Packet) -> u64 {
        if self.tail - self.head == self.ring.len() as u64 {
            self.grow();
        }
        let id = self.tail;
        self.tail += 1;
        self.buffers += u32::from(packet.flags.any(Flags::FIRST));
        *self.at_mut(id) = packet;
        self.link_newest(id);
        id
    }

    #[cold]
    fn grow(&mut self) {
        let mut ring = vec![Packet::empty(); 2 * self.ring.len()].into_boxed_slice();
        let mask = ring.len() - 1;
        for id in self.head..self.tail {
            ring[id as usize & mask] = *self.at(id);
        }
        self.ring = ring;
    }

    /// Removes the head, whose marks the caller has counted.
    #[inline]
    pub(crate) fn pop(&mut self) {
        if self.at(self.head).flags.any(Flags::LINKED) {
            self.unlink(self.head);
        }
        self.buffers -= u32::from(self.at(self.head).flags.any(Flags::FIRST));
        self.head += 1;
    }

    /// Begins a buffer with packet `id`, if there is one.
    #[inline]
    pub(crate) fn begin_buffer(&mut self, id: u64) {
        if id < self.tail && !self.at(id).flags.any(Flags::FIRST) {
            self.set(id, Flags::FIRST);
            self.buffers += 1;
        }
    }

    /// Joins packet `id` to the buffer before it.
    #[inline]
    pub(crate) fn continue_buffer(&mut self, id: u64) {
        if id > self.head && self.at(id).flags.any(Flags::FIRST) {
            self.clear(id, Flags::FIRST);
            self.buffers -= 1;
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, id: u64, flags: Flags) {
        let packet = self.at_mut(id);
        packet.flags = packet.flags.or(flags);
    }

    #[inline]
    pub(crate) fn clear(&mut self, id: u64, flags: Flags) {
        let packet = self.at_mut(id);
        packet.flags = packet.flags.without(flags);
    }

    /// Clears LOST, if it is set, and counts it.
    #[inline]
    pub(crate) fn clear_lost(&mut self, id: u64) {
        if self.at(id).flags.any(Flags::LOST) {
            self.clear(id, Flags::LOST);
            self.lost -= 1;
        }
    }

    /// Clears RETRANS, if it is set, and counts it.
    #[inline]
    pub(crate) fn clear_retrans(&mut self, id: u64) {
        if self.at(id).flags.any(Flags::RETRANS) {
            self.clear(id, Flags::RETRANS);
            self.retrans -= 1;
        }
    }

    /// The packet that holds `seq`, or the head if it lies before, or the tail if after.
    pub(crate) fn find(&self, seq: u64) -> u64 {
        let (mut low, mut high) = (self.head, self.tail);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.at(middle).end() <= seq { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Cuts packet `id` after `len` numbers; the rest becomes the packet behind it, of the same buffer. Rare: what
    /// follows moves.
    pub(crate) fn cut(&mut self, id: u64, len: u32) {
        let mut rest = *self.at(id);
        debug_assert!(len > 0 && len < rest.len);
        self.shift_up(id + 1);
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

    /// Joins the packet after `id` to it: one packet less [linux/sending.md rule 28].
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
