//! Header prediction [rules/recovery.md rule 4]: the next data, or the next ACK, of a connection in which nothing else is under
//! way. They have a way of their own on which nobody asks for what only other segments have; it comes to what
//! [`Connection::on_segment`] comes to, step by step.

use super::{Connection, State};
use crate::clock::Now;
use crate::receiver::{Blocks, Header, NextData};
use crate::segment::{Flags, Segment, Timestamps};

/// One segment that says nothing but ACK, perhaps PSH, and timestamps.
#[derive(Clone, Copy, Debug)]
pub struct Plain {
    /// Counter of the first byte.
    pub seq: u64,
    /// Counter of the next byte that is expected.
    pub ack: u64,
    /// Bytes of data.
    pub len: u32,
    /// Window as it stands in the header, not scaled.
    pub window: u16,
    /// PSH is set.
    pub push: bool,
    /// Timestamps.
    pub timestamps: Option<Timestamps>,
}

/// An ACK that leaves at once.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Its counter.
    pub seq: u64,
    /// Counter of the next byte that is expected.
    pub ack: u64,
    /// Window as it stands in the header, not scaled.
    pub window: u16,
    /// Timestamps.
    pub timestamps: Option<Timestamps>,
}

/// Fate of received data.
#[derive(Clone, Copy, Debug)]
pub enum Taken {
    /// They are not what header prediction expects: nothing has been done.
    Not,
    /// They were taken and read, and no ACK leaves.
    Silently,
    /// They were taken and read, and an ACK leaves before everything that [`Connection::transmit`] gives.
    With(Answer),
}

impl Plain {
    /// `segment`, if it says no more.
    #[must_use]
    pub fn of(segment: &Segment) -> Option<Self> {
        let Segment { seq, ack, flags, window, timestamps, len, .. } = *segment;
        let plain = Plain { seq, ack, len, window, push: flags.has(Flags::PSH), timestamps };
        (flags.without(Flags::PSH) == Flags::ACK && segment.sack.is_empty()).then_some(plain)
    }
}

impl Connection {
    /// Takes the next data to a host that sends none, and has the application read them.
    #[inline(always)]
    pub fn read_plain(&mut self, now: Now, data: &Plain) -> Taken {
        let next = data.len > 0 && !self.early.open && self.receiver.is_plain();
        if !next || !self.predicts(now, data) {
            return Taken::Not;
        }
        if !self.sender.takes_plain_data(now, data.ack, data.seq) {
            return Taken::Not;
        }
        self.counts.one_received(true);
        self.take_stamps(now, data);
        let (path, stamps) = (self.path(), self.stamps);
        let Plain { len, push, timestamps, .. } = *data;
        let next = NextData { len, push, timestamps };
        let told = self.receiver.read_next(now, next, &path, || stamps.clock(now.instant));
        let answer = told.map(|told| {
            self.counts.ack_sent();
            let (seq, timestamps) = (self.acceptable_seq(), self.stamps.option(now.instant));
            Answer { seq, ack: told.ack, window: told.window, timestamps }
        });
        self.flush(now);
        answer.map_or(Taken::Silently, Taken::With)
    }

    /// Takes the next ACK where nothing is suspicious. Whether it is such a one; if not, nothing has been done.
    /// [`Connection::depart`] gives what leaves then.
    #[inline(always)]
    pub fn takes_ack(&mut self, now: Now, ack: &Plain) -> bool {
        if ack.len > 0 || self.early.open || !self.predicts(now, ack) {
            return false;
        }
        self.sender.set_sack_bytes(self.receiver.sack_bytes());
        if !self.sender.takes_ack(now, ack.ack, ack.seq) {
            return false;
        }
        self.counts.one_received(false);
        self.take_stamps(now, ack);
        self.receiver.mark_echo(ack.timestamps);
        true
    }

    /// Returns whether [`Connection::depart`] gives anything.
    #[must_use]
    #[inline(always)]
    pub fn departs(&self) -> bool {
        self.sender.has_output() || !self.out.is_empty()
    }

    /// The next segment, or burst, that leaves in the event of `now`, after [`Connection::takes_ack`] too.
    #[inline(always)]
    pub fn depart(&mut self, now: Now) -> Option<Segment> {
        if !self.out.is_empty() {
            return self.transmit();
        }
        let outgoing = self.sender.transmit()?;
        let header = if self.receiver.tells_no_more() {
            let told = self.receiver.tell();
            Header { ack: told.ack, window: told.window, sack: Blocks::default(), ece: false }
        } else {
            self.receiver.header()
        };
        let segment = self.departing(now, &outgoing, header);
        self.counts.sent(&segment);
        Some(segment)
    }

    #[inline(always)]
    fn take_stamps(&mut self, now: Now, segment: &Plain) {
        // That they are not old has been seen.
        if let (true, Some(stamps)) = (self.stamps.on, segment.timestamps)
            && segment.seq <= self.receiver.acknowledged()
        {
            self.stamps.begin(now, stamps.value);
        }
    }

    /// Returns whether it is the next ACK or the next data, and no more.
    #[inline(always)]
    pub(super) fn predicts(&self, now: Now, plain: &Plain) -> bool {
        let nxt = self.receiver.nxt();
        self.state == State::Established
            && plain.seq == nxt
            && plain.ack <= self.sender.nxt()
            && plain.timestamps.is_some() == self.stamps.on
            && self.receiver.holds_nothing()
            && u64::from(plain.len) <= self.receiver.remaining()
            && self.scaled(plain.window) == self.sender.snd_wnd()
            && !plain.timestamps.is_some_and(|stamps| self.stamps.are_old(now, stamps, 0))
    }
}
