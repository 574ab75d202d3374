//! Header prediction [rules/recovery.md rule 4]: the next data or ACK of a connection in which nothing else is
//! outstanding. They have a way of their own on which nobody asks for what only other segments have; it comes to what
//! [`Connection::on_segment`] comes to, step by step.

use super::{Connection, State};
use crate::clock::TimeInUnits;
use crate::receiver::{AckFields, Blocks, InOrderData};
use crate::segment::{Flags, Segment, Timestamps};

/// One segment that carries only ACK, perhaps PSH, and timestamps.
#[derive(Clone, Copy, Debug)]
pub struct PlainSegment {
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
pub struct PlainAck {
    /// Sequence number as a 64-bit counter.
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
pub enum PlainDataOutcome {
    /// Header prediction does not apply; nothing has changed.
    NotPlain,
    /// The data were accepted and read; no ACK leaves.
    Silently,
    /// The data were accepted and read; this ACK leaves before the output of [`Connection::transmit`].
    With(PlainAck),
}

impl PlainSegment {
    /// Converts a segment without other fields; `None` if it has any.
    #[must_use]
    pub fn from_segment(segment: &Segment) -> Option<Self> {
        let Segment { seq, ack, flags, window, timestamps, len, .. } = *segment;
        let plain = PlainSegment { seq, ack, len, window, push: flags.has(Flags::PSH), timestamps };
        (flags.without(Flags::PSH) == Flags::ACK && segment.sack.is_empty()).then_some(plain)
    }
}

impl Connection {
    /// Takes the next data to a host that sends none, and has the application read them.
    #[inline(always)]
    pub fn receive_plain_data(
        &mut self,
        now: TimeInUnits,
        data: &PlainSegment,
    ) -> PlainDataOutcome {
        let next = data.len > 0 && !self.fast_open.open_before_ack && self.receiver.is_plain();
        if !next || !self.matches_header_prediction(now, data) {
            return PlainDataOutcome::NotPlain;
        }
        if !self.sender.accept_ack_of_plain_data(now, data.ack, data.seq) {
            return PlainDataOutcome::NotPlain;
        }
        self.counts.count_plain_received(true);
        self.update_timestamps(now, data);
        let (path, stamps) = (self.receiver_path(), self.stamps);
        let PlainSegment { len, push, timestamps, .. } = *data;
        let next = InOrderData { len, push, timestamps };
        let ack =
            self.receiver.receive_and_read(now, next, &path, || stamps.timestamp_at(now.instant));
        let answer = ack.map(|ack| {
            self.counts.count_ack_sent();
            let (seq, timestamps) =
                (self.acceptable_seq(), self.stamps.timestamp_option(now.instant));
            PlainAck { seq, ack: ack.ack, window: ack.window, timestamps }
        });
        self.flush(now);
        answer.map_or(PlainDataOutcome::Silently, PlainDataOutcome::With)
    }

    /// Takes the next ACK where nothing is suspicious. Whether it is such a one; if not, nothing has been done.
    /// [`Connection::poll_plain`] gives what leaves then.
    #[inline(always)]
    pub fn accept_plain_ack(&mut self, now: TimeInUnits, ack: &PlainSegment) -> bool {
        if ack.len > 0
            || self.fast_open.open_before_ack
            || !self.matches_header_prediction(now, ack)
        {
            return false;
        }
        self.sender.set_sack_bytes(self.receiver.sack_bytes());
        if !self.sender.accept_plain_ack(now, ack.ack, ack.seq) {
            return false;
        }
        self.counts.count_plain_received(false);
        self.update_timestamps(now, ack);
        self.receiver.record_echo(ack.timestamps);
        true
    }

    /// Returns whether [`Connection::poll_plain`] gives anything.
    #[must_use]
    #[inline(always)]
    pub fn can_send_plain(&self) -> bool {
        self.sender.has_output() || !self.output_queue.is_empty()
    }

    /// The next segment, or burst, that leaves in the event of `now`, after [`Connection::accept_plain_ack`] too.
    #[inline(always)]
    pub fn poll_plain(&mut self, now: TimeInUnits) -> Option<Segment> {
        if !self.output_queue.is_empty() {
            return self.transmit();
        }
        let outgoing = self.sender.transmit()?;
        let header = if self.receiver.ack_is_plain() {
            let ack = self.receiver.plain_ack();
            AckFields { ack: ack.ack, window: ack.window, sack: Blocks::default(), ece: false }
        } else {
            self.receiver.header()
        };
        let segment = self.build_segment(now, &outgoing, header);
        self.counts.count_sent(&segment);
        Some(segment)
    }

    #[inline(always)]
    fn update_timestamps(&mut self, now: TimeInUnits, segment: &PlainSegment) {
        // That they are not old has been seen.
        if let (true, Some(stamps)) = (self.stamps.is_enabled, segment.timestamps)
            && segment.seq <= self.receiver.acknowledged()
        {
            self.stamps.set_initial(now, stamps.value);
        }
    }

    /// Returns whether the segment is just the next ACK or the next data.
    #[inline(always)]
    pub(super) fn matches_header_prediction(&self, now: TimeInUnits, plain: &PlainSegment) -> bool {
        let nxt = self.receiver.nxt();
        self.state == State::Established
            && plain.seq == nxt
            && plain.ack <= self.sender.nxt()
            && plain.timestamps.is_some() == self.stamps.is_enabled
            && self.receiver.has_no_out_of_order()
            && u64::from(plain.len) <= self.receiver.remaining()
            && self.scale_window_field(plain.window) == self.sender.snd_wnd()
            && !plain.timestamps.is_some_and(|stamps| self.stamps.is_old(now, stamps, 0))
    }
}
