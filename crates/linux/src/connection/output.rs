//! Segments from the outputs of sender and receiver.

use super::Connection;
use crate::clock::TimeInUnits;
use crate::receiver::AckFields;
use crate::segment::{Ecn, Flags, Segment};
use crate::sender::Outgoing;
use airtcp_core::Instant;

impl Connection {
    /// Makes segments of all that waits: ACKs, then data.
    #[inline]
    pub(super) fn flush(&mut self, now: TimeInUnits) {
        if self.receiver.has_output() || self.sender.has_output() {
            self.send_pending_acks(now);
        }
    }

    fn send_pending_acks(&mut self, now: TimeInUnits) {
        while let Some(header) = self.receiver.transmit() {
            self.sender.device_rejects(now);
            let seq = self.acceptable_seq();
            let segment = self.segment(now.instant, header, seq);
            self.enqueue(segment);
        }
        while let Some(outgoing) = self.sender.transmit() {
            self.send(now, &outgoing);
        }
    }

    fn send(&mut self, now: TimeInUnits, outgoing: &Outgoing) {
        let header = self.receiver.header();
        let segment = self.build_segment(now, outgoing, header);
        self.enqueue(segment);
    }

    /// Builds a segment or burst from the sender's output and the receiver's `header`.
    #[inline(always)]
    pub(super) fn build_segment(
        &mut self,
        now: TimeInUnits,
        outgoing: &Outgoing,
        header: AckFields,
    ) -> Segment {
        let departure = outgoing.departure.max(now.instant);
        let mut segment = self.segment(departure, header, outgoing.seq);
        segment.flags = segment
            .flags
            .with(Flags::PSH, outgoing.psh)
            .with(Flags::FIN, outgoing.fin)
            .with(Flags::CWR, outgoing.cwr);
        segment.len = outgoing.len;
        segment.size = if outgoing.packets > 1 { outgoing.mss } else { outgoing.len };
        segment.ecn = if outgoing.ect { Ecn::Ect0 } else { Ecn::NotEct };
        segment.retransmission = outgoing.retransmission;
        segment.departure = departure;
        if outgoing.len > 0 {
            self.receiver.on_data_sent(now);
        }
        segment
    }

    #[inline(always)]
    pub(super) fn segment(&self, departure: Instant, header: AckFields, seq: u64) -> Segment {
        Segment {
            seq,
            ack: header.ack,
            flags: Flags::ACK.with(Flags::ECE, header.ece),
            window: header.window,
            timestamps: self.stamps.timestamp_option(departure),
            sack: header.sack,
            tos: self.options.tos & !3,
            departure,
            ..Segment::default()
        }
    }

    /// The number of a pure ACK [rules/options.md rule 12].
    #[inline]
    pub(super) fn acceptable_seq(&self) -> u64 {
        let (nxt, edge) = (self.sender.nxt(), self.sender.una() + self.sender.snd_wnd());
        let tolerated = self.handshake.peer.scale.map_or(0, |_| 1_u64 << self.receiver.scale());
        if edge >= nxt || nxt - edge < tolerated { nxt } else { edge }
    }

    /// RST in answer to a segment [rules/options.md rule 13].
    pub(super) fn send_reset_for(&mut self, segment: &Segment) {
        self.enqueue(reset_for(segment));
    }

    /// Sends the RST of an abortive close: unread data, `SO_LINGER` 0, a disconnect, or keepalive probes without an
    /// answer [rules/sockets.md rule 7].
    pub(super) fn abort(&mut self, now: TimeInUnits) {
        let header = self.receiver.header();
        let mut segment = self.segment(now.instant, header, self.acceptable_seq());
        segment.flags = segment.flags.with(Flags::RST, true);
        segment.sack = crate::receiver::Blocks::default();
        self.enqueue(segment);
    }

    pub(super) fn enqueue(&mut self, segment: Segment) {
        self.counts.count_sent(&segment);
        self.output_queue.push_back(segment);
    }
}

/// RST in answer to a segment that belongs to nothing [rules/options.md rule 13].
#[must_use]
pub fn reset_for(segment: &Segment) -> Segment {
    let departure = segment.departure;
    if segment.flags.has(Flags::ACK) {
        return Segment { seq: segment.ack, flags: Flags::RST, departure, ..Segment::default() };
    }
    let flags = Flags(Flags::RST.0 | Flags::ACK.0);
    Segment { ack: segment.end(), flags, departure, ..Segment::default() }
}
