//! The common case of in-order data that are read at once [rules/receiver.md B].

use super::data::MIN_GROWTH_SEGMENT;
use super::{Receiver, SenderPath};
use crate::clock::TimeInUnits;
use crate::segment::Timestamps;

/// Fields of an ACK that has neither blocks nor an echo of congestion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainAckFields {
    pub(crate) ack: u64,
    /// Field of the window.
    pub(crate) window: u16,
}

/// Data of one segment without options but timestamps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InOrderData {
    pub(crate) len: u32,
    pub(crate) push: bool,
    pub(crate) timestamps: Option<Timestamps>,
}

impl Receiver {
    /// Returns whether nothing is held or waits to be read, there is room, and marks do not count.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        let nothing = self.out_of_order_queue.is_empty() && self.unread.is_empty();
        nothing && !self.ecn && self.window.memory_used <= self.window.buffer
    }

    /// Takes in-order data that are read at once, if [`Receiver::is_plain`]: equivalent to
    /// [`Receiver::measure_rtt_from_echo`], [`Receiver::on_data`], [`Receiver::check_ack`] and [`Receiver::read`] in
    /// turn. Returns the ACK that leaves before the data are read; one that leaves after that is handed out as any
    /// other.
    #[inline(always)]
    pub(crate) fn receive_and_read(
        &mut self,
        now: TimeInUnits,
        data: InOrderData,
        path: &SenderPath,
        ms: impl Fn() -> u32,
    ) -> Option<PlainAckFields> {
        if let Some(stamps) = data.timestamps {
            self.measure_rtt(stamps.echo, data.len, ms);
        }
        let memory = self.settings.memory.bytes_for(data.len, 1);
        self.sack.clear_dsack();
        self.window.rejected_for_memory = false;
        self.nxt += u64::from(data.len);
        self.received += u64::from(data.len);
        self.window.memory_used += memory;
        self.record_received(now, data, memory, path);
        let ack = if self.has_immediate_ack(now, path) { Some(self.plain_ack()) } else { None };
        self.window.memory_used -= memory;
        self.copied_seq = self.nxt;
        self.space.on_read(now.us, self.copied_seq, 0, 0, &mut self.window);
        self.ack_after_read(true);
        ack
    }

    /// Learns from data how the other end sends [rules/receiver.md rule 2].
    #[inline(always)]
    fn record_received(
        &mut self,
        now: TimeInUnits,
        data: InOrderData,
        memory: u64,
        path: &SenderPath,
    ) {
        self.acks.schedule_ack();
        let options = if data.timestamps.is_some() { 12 } else { 0 };
        self.measure_segment_size(data.len, data.len, 20 + options, memory, data.push);
        self.space.on_window(self.nxt, self.window.advertised, now.us);
        self.adapt_delay(now, path);
        if data.len >= MIN_GROWTH_SEGMENT {
            self.grow_window(data.len, memory);
        }
    }

    /// Returns whether [`Receiver::header`] carries only the fields of [`Receiver::plain_ack`].
    #[inline(always)]
    pub(crate) fn ack_is_plain(&self) -> bool {
        !self.ecn && self.sack.pending(self.timestamps) == 0
    }

    /// An ACK without blocks, as [`Receiver::header`].
    #[inline(always)]
    pub(crate) fn plain_ack(&mut self) -> PlainAckFields {
        debug_assert_eq!(self.sack.pending(self.timestamps), 0);
        let (window, scarce) = self.window.advertise(self.nxt, self.acks.mss.into());
        if scarce {
            self.acks.quick = 0;
        }
        self.acks.on_ack_sent();
        PlainAckFields { ack: self.nxt, window }
    }
}
