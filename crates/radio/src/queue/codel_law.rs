//! CoDel's decisions at the head of one queue [RFC 8289, section 5], for CoDel and for every queue of FQ-CoDel.
//!
//! The RFC says that a packet is dropped or marked, and writes dropping down. A mark takes the place of a drop and counts like
//! one; the marked packet is sent, so that one departure marks one packet at most.

use super::backlog::{Backlog, PacketId};
use super::fifo::Fifo;
use crate::link::losses::LossCause;
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Instant, Size, Span};

/// Intervals within which an episode takes up the pace of the one before [section 5.5].
const MEMORY_INTERVALS: i64 = 16;

/// Setpoint of the controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setpoint {
    target: Span,
    interval: Span,
    /// `maxpacket_`.
    mtu: u64,
    marks_ecn: bool,
}

impl Setpoint {
    pub(super) fn new(
        target: Duration,
        interval: Duration,
        mtu: Size,
        ecn: bool,
    ) -> Result<Self, SpecError> {
        SpecError::refuse_zero("interval", interval)?;
        let (target, interval) = (target.span(), interval.span());
        Ok(Setpoint { target, interval, mtu: mtu.bits(), marks_ecn: ecn })
    }

    /// `control_law()`.
    fn next_drop_time(&self, at: Instant, count: u32) -> Instant {
        at + Span::from_nanos((self.interval.nanos() as f64 / f64::from(count).sqrt()) as i64)
    }
}

/// The state of one queue.
#[derive(Clone, Debug)]
pub(super) struct Controller {
    /// Time at which the sojourn will have been above the target for an interval; none while it is below.
    first_above: Option<Instant>,
    drop_next: Instant,
    count: u32,
    last_count: u32,
    is_dropping: bool,
}

/// `dodequeue_result`.
struct HeadPacket {
    id: Option<PacketId>,
    may_drop: bool,
}

impl Controller {
    pub(super) fn new() -> Self {
        let drop_next = Instant::START;
        Controller { first_above: None, drop_next, count: 0, last_count: 0, is_dropping: false }
    }

    /// The next packet to be sent of those that wait in `fifo`; others are dropped before it.
    pub(super) fn dequeue(
        &mut self,
        set: &Setpoint,
        now: Instant,
        fifo: &mut Fifo,
        backlog: &mut Backlog,
    ) -> Option<PacketId> {
        let head = self.take_head(set, now, fifo, backlog);
        if self.is_dropping {
            self.continue_dropping(head, set, now, fifo, backlog)
        } else if head.may_drop {
            self.begin_dropping(head, set, now, fifo, backlog)
        } else {
            head.id
        }
    }

    /// The transmitter is free and nothing waits: what [`Controller::dequeue`] makes of an empty queue.
    pub(super) fn note_empty(&mut self) {
        self.first_above = None;
        self.is_dropping = false;
    }

    /// `dodequeue()`.
    #[inline]
    fn take_head(
        &mut self,
        set: &Setpoint,
        now: Instant,
        fifo: &mut Fifo,
        backlog: &Backlog,
    ) -> HeadPacket {
        let Some(id) = fifo.pop(backlog) else {
            self.first_above = None;
            return HeadPacket { id: None, may_drop: false };
        };
        if now - backlog[id].since < set.target || fifo.bits() <= set.mtu {
            self.first_above = None;
            return HeadPacket { id: Some(id), may_drop: false };
        }
        let first_above = *self.first_above.get_or_insert(now + set.interval);
        HeadPacket { id: Some(id), may_drop: now >= first_above }
    }

    /// While dropping: a large backlog may make several drops due at once.
    fn continue_dropping(
        &mut self,
        mut head: HeadPacket,
        set: &Setpoint,
        now: Instant,
        fifo: &mut Fifo,
        backlog: &mut Backlog,
    ) -> Option<PacketId> {
        self.is_dropping = head.may_drop;
        while self.is_dropping && now >= self.drop_next {
            let id = head.id.expect("what may be dropped is there");
            self.count += 1;
            if set.marks_ecn && backlog[id].ecn.takes_marks() {
                backlog.mark(id);
                self.drop_next = set.next_drop_time(self.drop_next, self.count);
                break;
            }
            backlog.drop(id, LossCause::Queue);
            head = self.take_head(set, now, fifo, backlog);
            self.is_dropping = head.may_drop;
            if head.may_drop {
                self.drop_next = set.next_drop_time(self.drop_next, self.count);
            }
        }
        head.id
    }

    /// The first drop of an episode.
    fn begin_dropping(
        &mut self,
        mut head: HeadPacket,
        set: &Setpoint,
        now: Instant,
        fifo: &mut Fifo,
        backlog: &mut Backlog,
    ) -> Option<PacketId> {
        let id = head.id.expect("what may be dropped is there");
        if set.marks_ecn && backlog[id].ecn.takes_marks() {
            backlog.mark(id);
        } else {
            backlog.drop(id, LossCause::Queue);
            head = self.take_head(set, now, fifo, backlog);
        }
        self.is_dropping = true;
        let drops = self.count - self.last_count;
        let is_recent = now - self.drop_next < set.interval * MEMORY_INTERVALS;
        self.count = if drops > 1 && is_recent { drops } else { 1 };
        self.last_count = self.count;
        self.drop_next = set.next_drop_time(now, self.count);
        head.id
    }
}
