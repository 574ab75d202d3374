//! Calls of the application and the buffer that they fill [rules/sending.md rule 17, rules/sockets.md B].
//!
//! A call that waits for space continues by itself as ACKs free it. An application that always has more is one
//! such call without end, cut into calls of `write_size` bytes: the buffer bounds the memory that it takes.

use super::Sender;
use super::buffer::UnsentBuffer;
use super::nagle::SmallSegmentMode;
use super::wire::WriteFlags;
use super::xmit::XmitLimit;
use crate::clock::TimeInUnits;
use crate::rate::Rate;

/// Bytes of descriptors per buffer: its own, and one at the end of its memory [rules/sockets.md rules 1, 2].
const DESCRIPTOR: u32 = 256;
const TRAILER: u32 = 320;
/// Largest IP packet; bursts leave room for headers in it.
const MAX_BURST_BYTES: u32 = 65_535;

impl Sender {
    /// The application writes `bytes`; how many were taken at once. With [`WriteFlags::blocking`] the rest
    /// follows by itself when there is space, and `u64::MAX` bytes are data without end.
    pub fn write(&mut self, now: TimeInUnits, bytes: u64, flags: impl Into<WriteFlags>) -> u64 {
        let flags = flags.into();
        if flags.blocking {
            self.writer.bytes_left = self.writer.bytes_left.saturating_add(bytes);
            self.writer.flags = flags;
            let before = self.write_seq;
            if !self.writer.no_space {
                self.continue_write(now);
            }
            return self.write_seq - before;
        }
        self.note_app_limit();
        let taken = self.append_data(now, bytes, true);
        if taken < bytes {
            self.wait_for_space(now, taken > 0);
        } else {
            self.finish_call(now, flags);
        }
        taken
    }

    /// Closes the sending direction: FIN follows the waiting data [rules/sockets.md rule 8].
    pub fn close(&mut self, now: TimeInUnits) {
        if self.writer.bytes_left > 0 {
            self.writer.closing = true;
            return;
        }
        self.set_fin();
        self.push_pending(now, SmallSegmentMode::NODELAY);
    }

    /// Appends a FIN to the waiting data.
    pub(super) fn set_fin(&mut self) {
        self.writer.closing = false;
        if let Some(last) = self.unsent.back() {
            last.fin = true;
        } else {
            self.unsent.push(UnsentBuffer { fin: true, ..UnsentBuffer::default() });
        }
        self.write_seq += 1;
    }

    /// Removes `bytes` from the blocked calls; they are in the buffer already.
    pub(super) fn reduce_call(&mut self, bytes: u64) {
        let writer = &mut self.writer;
        if writer.bytes_left != u64::MAX {
            writer.bytes_left = writer.bytes_left.saturating_sub(bytes);
        }
        writer.bytes_left_in_call =
            writer.bytes_left_in_call.saturating_sub(bytes).min(writer.bytes_left);
    }

    /// `TCP_NODELAY`; setting it pushes waiting data [rules/sockets.md rule 12].
    pub fn set_nodelay(&mut self, now: TimeInUnits, on: bool) {
        self.options.nodelay = on;
        if on {
            self.push_pending(now, SmallSegmentMode::PUSH);
        }
    }

    /// `TCP_CORK`; clearing it sends waiting data.
    pub fn set_cork(&mut self, now: TimeInUnits, on: bool) {
        self.options.cork = on;
        if !on {
            self.push_pending(now, SmallSegmentMode::from_options(&self.options));
        }
    }

    /// Returns whether `poll` finds space: a third of the buffer, and half of `TCP_NOTSENT_LOWAT`
    /// [rules/sockets.md rules 2, 14].
    #[must_use]
    pub fn writable(&self) -> bool {
        let queued = self.queued();
        let unsent = self.write_seq - self.nxt;
        self.writer.sndbuf.saturating_sub(queued) >= queued / 2
            && 2 * unsent < self.options.notsent_lowat
    }

    /// `poll` found no space and wants to be notified of free space.
    pub fn want_space(&mut self) {
        self.writer.no_space = true;
    }

    /// Returns whether a caller waits for space.
    #[must_use]
    pub fn wants_space(&self) -> bool {
        self.writer.no_space
    }

    /// `TCP_NOTSENT_LOWAT`.
    pub fn set_notsent_lowat(&mut self, bytes: u64) {
        self.options.notsent_lowat = bytes;
    }

    /// Returns whether a new buffer may be begun [rules/sockets.md rules 2, 14].
    fn has_buffer_space(&self) -> bool {
        self.queued() < self.writer.sndbuf && self.write_seq - self.nxt < self.options.notsent_lowat
    }

    /// Bytes of memory that hold data written and not acknowledged.
    #[must_use]
    pub fn queued(&self) -> u64 {
        let buffers = u64::from(self.queue.buffers) + self.unsent.len() as u64;
        self.write_seq - self.una + self.overhead() * buffers
    }

    /// Bytes for headers in each buffer.
    fn header_room(&self) -> u32 {
        MAX_BURST_BYTES.saturating_sub(self.options.gso_max_size)
    }

    /// Bytes that a buffer costs besides its data.
    fn overhead(&self) -> u64 {
        u64::from(DESCRIPTOR + TRAILER + self.header_room())
    }

    /// Continues blocked calls.
    fn continue_write(&mut self, now: TimeInUnits) {
        while self.writer.bytes_left > 0 {
            let fresh = self.writer.bytes_left_in_call == 0;
            if fresh {
                self.writer.bytes_left_in_call =
                    self.options.write_size.min(self.writer.bytes_left);
                self.note_app_limit();
            }
            let taken = self.append_data(now, self.writer.bytes_left_in_call, fresh);
            if self.writer.bytes_left != u64::MAX {
                self.writer.bytes_left -= taken;
            }
            self.writer.bytes_left_in_call -=
                if self.writer.bytes_left_in_call == u64::MAX { 0 } else { taken };
            if self.writer.bytes_left_in_call > 0 {
                return self.wait_for_space(now, taken > 0);
            }
            self.finish_call(now, self.writer.flags);
        }
        if self.writer.closing {
            self.close(now);
        }
    }

    /// Copies up to `bytes` into buffers, as long as there is memory; how many.
    fn append_data(&mut self, now: TimeInUnits, bytes: u64, fresh: bool) -> u64 {
        let goal = self.size_goal();
        let (mut left, mut fresh) = (bytes, fresh);
        while left > 0 {
            let appends = self.unsent.back().is_some_and(|last| last.len < goal && !last.eor);
            if !appends {
                if !self.has_buffer_space() {
                    break;
                }
                self.unsent.push(UnsentBuffer::default());
                self.check_idle(now);
            }
            let last = self.unsent.back().expect("a buffer was made");
            let copied = left.min(u64::from(goal - last.len));
            last.psh &= !(fresh && appends);
            last.len += copied as u32;
            let full = last.len >= goal;
            left -= copied;
            fresh = false;
            self.write_seq += copied;
            self.chrono_on_written(now);
            if left > 0 && full {
                self.push_full_segments(now);
            }
        }
        bytes - left
    }

    /// A buffer is full and the call has more [rules/sending.md rule 17].
    fn push_full_segments(&mut self, now: TimeInUnits) {
        if self.must_push() {
            self.mark_push();
            self.push_pending(now, SmallSegmentMode::PUSH);
        } else if self.unsent.len() == 1 {
            self.write_xmit(now, SmallSegmentMode::PUSH, XmitLimit::One);
        }
    }

    fn must_push(&self) -> bool {
        self.write_seq > self.pushed_seq + self.max_window / 2
    }

    fn mark_push(&mut self) {
        self.pushed_seq = self.write_seq;
        if let Some(last) = self.unsent.back() {
            last.psh = true;
        }
    }

    fn finish_call(&mut self, now: TimeInUnits, flags: WriteFlags) {
        if let Some(last) = self.unsent.back() {
            last.eor |= flags.eor | flags.seal_buffer;
            last.psh |= flags.seal_buffer;
        } else {
            return;
        }
        if !flags.more_follows || self.must_push() {
            self.mark_push();
        }
        let mode = if flags.more_follows {
            SmallSegmentMode::CORK
        } else {
            SmallSegmentMode::from_options(&self.options)
        };
        self.push_pending(now, mode);
    }

    fn wait_for_space(&mut self, now: TimeInUnits, copied: bool) {
        self.writer.no_space = true;
        if copied && !self.unsent.is_empty() {
            self.mark_push();
            self.push_pending(now, SmallSegmentMode::PUSH);
        }
    }

    /// Space may have become free; a blocked call continues if it wakes itself.
    #[inline]
    pub(super) fn wake_writer(&mut self, now: TimeInUnits) {
        self.check_space(now);
        if self.options.wakes_itself && self.can_resume() {
            self.continue_write(now);
        }
    }

    /// Space may have become free; asked after every ACK and every burst of new data
    /// [rules/sockets.md rules 2, 3].
    #[inline]
    pub(super) fn check_space(&mut self, now: TimeInUnits) {
        if !self.writer.no_space {
            return;
        }
        if !self.writer.fixed && self.queue.in_flight() < self.cc_window.cwnd {
            self.expand_sndbuf();
            self.usage.stamp = now.jiffies;
        }
        if self.writable() {
            self.writer.no_space = false;
            self.chrono_on_space(now);
        }
    }

    /// Returns whether a blocked call is in progress.
    #[must_use]
    pub fn is_writing(&self) -> bool {
        self.writer.bytes_left > 0
    }

    /// Returns whether a blocked call could continue ([`wakes_itself`](super::SenderOptions::wakes_itself)).
    #[must_use]
    pub fn can_resume(&self) -> bool {
        self.writer.bytes_left > 0 && !self.writer.no_space
    }

    /// Continues the blocked call.
    pub fn resume(&mut self, now: TimeInUnits) {
        self.continue_write(now);
    }

    /// [rules/sockets.md rule 1]
    pub(super) fn expand_sndbuf(&mut self) {
        let largest = self.mss_clamp.max(self.mss_cache) + self.header_room() + TRAILER;
        let per_packet = u64::from(largest.next_power_of_two() + DESCRIPTOR);
        let packets = self.cc_window.cwnd.max(10).max(self.reordering + 1);
        let memory = u64::from(self.control.sndbuf_factor()) * u64::from(packets) * per_packet;
        if !self.writer.fixed {
            self.writer.sndbuf = self.writer.sndbuf.max(memory.min(self.sysctl.tcp_wmem[2]));
        }
    }

    /// A call begins: is the application the limit? [rules/bbr.md rule 4]
    fn note_app_limit(&mut self) {
        let unsent = self.write_seq - self.nxt;
        let in_flight = self.queue.in_flight();
        let idle = unsent < u64::from(self.mss_cache) && in_flight < self.cc_window.cwnd;
        if idle && self.queue.lost <= self.queue.retrans {
            self.cc_window.app_limited = Rate::app_limited_until(self.rate.delivered, in_flight);
        }
    }
}
