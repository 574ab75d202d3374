//! Segments with data, in order and not [rules/receiver.md B].

use super::acks::MAX_QUICK_ACKS;
use super::memory::BufferMemory;
use super::order::{ByteRun, Placement};
use super::{Receiver, SenderPath};
use crate::clock::TimeInUnits;
use crate::segment::{Ecn, Flags, Segment, Timestamps};

/// Smallest segment that grows the window.
pub(super) const MIN_GROWTH_SEGMENT: u32 = 128;

impl Receiver {
    /// Measures the RTT from a timestamp echo [rules/receiver.md rule 27]; `ms` is the timestamp clock with its offset.
    pub fn measure_rtt_from_echo(&mut self, segment: &Segment, ms: u32) {
        if let Some(stamps) = segment.timestamps {
            self.measure_rtt(stamps.echo, segment.len, || ms);
        }
    }

    /// Takes an `echo` that comes with `len` bytes.
    #[inline(always)]
    pub(super) fn measure_rtt(&mut self, echo: u32, len: u32, ms: impl Fn() -> u32) {
        if echo == self.space.last_echo || len < self.acks.mss {
            return;
        }
        self.space.last_echo = echo;
        let sample = u64::from(ms().wrapping_sub(echo)) * 1000;
        if sample > 0 && sample < 2_147_483_000 {
            self.space.on_echo(sample, self.unread() == 0);
        }
    }

    /// A pure ACK on the fast path uses its echo up.
    #[inline]
    pub fn record_echo(&mut self, stamps: Option<Timestamps>) {
        if let Some(stamps) = stamps {
            self.space.last_echo = stamps.echo;
        }
    }

    /// CWR in the header ends the echo of congestion [rules/receiver.md rule 20].
    pub fn on_cwr(&mut self, segment: &Segment) {
        if self.ecn && segment.flags.has(Flags::CWR) {
            self.ece_pending = false;
            self.acks.ack_now |= segment.len > 0;
        }
    }

    /// Takes data of a SYN, which count for no ACK [rules/fast_open.md rule 8].
    pub fn adopt_early_data(&mut self, len: u32, packets: u32, fin: bool) {
        let memory = self.settings.memory.bytes_for(len, packets);
        self.append_in_order(self.nxt + u64::from(len) + u64::from(fin), memory, fin);
    }

    /// Takes a segment with data or FIN [rules/receiver.md rules 15, 16].
    pub fn on_data(&mut self, now: TimeInUnits, segment: &Segment, path: &SenderPath) {
        let (seq, end) = (segment.seq, segment.end());
        self.sack.clear_dsack();
        if seq == self.nxt {
            return self.queue_in_order(now, segment, path);
        }
        if end <= self.nxt {
            self.sack.set_dsack(seq, end);
            self.enter_quickack(MAX_QUICK_ACKS);
            self.acks.schedule_ack();
            return;
        }
        if seq >= self.nxt + self.remaining() {
            self.enter_quickack(MAX_QUICK_ACKS);
            self.acks.schedule_ack();
            return;
        }
        if seq < self.nxt {
            self.sack.set_dsack(seq, self.nxt);
            if self.remaining() == 0 {
                self.enter_quickack(MAX_QUICK_ACKS);
                self.acks.schedule_ack();
                return;
            }
            return self.queue_out_of_order(now, segment, path);
        }
        self.note_gap(segment);
    }

    fn queue_in_order(&mut self, now: TimeInUnits, segment: &Segment, path: &SenderPath) {
        let bare_fin = segment.len == 0 && segment.flags.has(Flags::FIN);
        if self.remaining() == 0 && !bare_fin {
            self.enter_quickack(MAX_QUICK_ACKS);
            self.acks.schedule_ack();
            return;
        }
        self.queue_out_of_order(now, segment, path);
    }

    fn queue_out_of_order(&mut self, now: TimeInUnits, segment: &Segment, path: &SenderPath) {
        let memory = self.settings.memory.bytes_for(segment.len, segment.packets());
        let room = self.make_room();
        // A FIN alone takes no memory, but says at once that there is none.
        self.acks.ack_now |= !room;
        if segment.len > 0 && !room && !self.unread.is_empty() {
            // Refused: the next ACK says that there is no window.
            self.window.rejected_for_memory = true;
            self.acks.schedule_ack();
            self.acks.ack_now = true;
            return;
        }
        self.window.rejected_for_memory = false;
        let before = self.nxt;
        self.append_in_order(segment.end(), memory, segment.flags.has(Flags::FIN));
        if segment.len > 0 {
            self.data_event(now, segment, memory, path);
        }
        self.append_from_queue(before);
        self.sack.advance(self.nxt, self.out_of_order_queue.is_empty());
        if self.fin {
            self.out_of_order_queue.clear();
            self.sack.clear();
            self.sack.clear_dsack();
        }
    }

    /// Bytes up to `end` can be read.
    fn append_in_order(&mut self, end: u64, memory: u64, fin: bool) {
        let bytes = end - self.nxt;
        self.nxt = end;
        self.received += bytes;
        let data = bytes - u64::from(fin);
        if data > 0 {
            self.window.memory_used += memory;
            self.unread.push_back((data, memory));
        }
        if fin {
            self.fin = true;
            self.acks.schedule_ack();
        }
    }

    /// Moves over data beyond a hole that is filled now.
    fn append_from_queue(&mut self, before: u64) {
        let had = !self.out_of_order_queue.is_empty();
        while let Some(run) = self.out_of_order_queue.take(self.nxt) {
            if run.start < self.nxt.max(before) {
                self.sack.extend_dsack(run.start, run.end.min(self.nxt));
            }
            self.window.memory_used -= run.memory;
            if run.end > self.nxt {
                self.append_in_order(run.end, run.memory, run.fin);
            }
        }
        self.acks.ack_now |= had && self.out_of_order_queue.is_empty();
    }

    /// Data came in order [rules/receiver.md rule 2].
    fn data_event(&mut self, now: TimeInUnits, segment: &Segment, memory: u64, path: &SenderPath) {
        self.acks.schedule_ack();
        self.measure_segment(segment, memory);
        self.space.on_window(self.nxt, self.window.advertised, now.us);
        self.adapt_delay(now, path);
        self.ecn_check(segment.ecn);
        if segment.len >= MIN_GROWTH_SEGMENT {
            self.grow_window(segment.len, memory);
        }
    }

    fn measure_segment(&mut self, segment: &Segment, memory: u64) {
        let size = if segment.packets() > 1 { segment.size } else { segment.len };
        let push = Flags::PSH.0 | Flags::FIN.0 | Flags::SYN.0;
        let push = segment.flags.0 & push != 0;
        let header = 20 + segment.options_length();
        self.measure_segment_size(segment.len, size, header, memory, push);
    }

    #[inline]
    pub(super) fn grow_window(&mut self, len: u32, memory: u64) {
        if self.window.grow(len.into(), memory, self.acks.mss.into()) {
            self.acks.quick |= 1;
        }
    }

    /// Marks of congestion [rules/receiver.md rule 20].
    fn ecn_check(&mut self, mark: Ecn) {
        if !self.ecn {
            return;
        }
        match mark {
            Ecn::NotEct if self.seen_ect => self.enter_quickack(2),
            Ecn::NotEct => {}
            Ecn::Ce => {
                if !self.ece_pending {
                    self.enter_quickack(2);
                    self.ece_pending = true;
                }
                self.seen_ect = true;
            }
            Ecn::Ect0 | Ecn::Ect1 => self.seen_ect = true,
        }
    }

    /// Out of order [rules/receiver.md rule 17].
    fn note_gap(&mut self, segment: &Segment) {
        let (seq, end) = (segment.seq, segment.end());
        let memory = self.settings.memory.bytes_for(segment.len, segment.packets());
        self.ecn_check(segment.ecn);
        if !self.make_room() {
            return;
        }
        self.measure_segment(segment, memory);
        self.acks.schedule_ack();
        self.out_of_order += u64::from(segment.packets());
        // The compressed ACK reports the list as it was.
        let hurries = self.acks.compressed_pending() && self.sack.is_new_block(seq, end);
        let fin = segment.flags.has(Flags::FIN);
        let duplicate = match self.out_of_order_queue.add(ByteRun { start: seq, end, memory, fin })
        {
            Placement::Duplicate => Some((seq, end)),
            Placement::Held { duplicate } => {
                self.window.memory_used += memory;
                self.grow_window(segment.len, memory);
                duplicate
            }
        };
        duplicate.into_iter().for_each(|(start, end)| self.sack.set_dsack(start, end));
        if hurries {
            self.send_ack();
        }
        self.sack.add(seq, end);
        if self.settings.accepted {
            let (space, beyond) = (self.space.bytes, self.bytes_beyond_gap());
            self.space.grow(space, beyond, &mut self.window);
        }
    }

    /// Bytes from `nxt` to the end of data beyond a hole.
    fn bytes_beyond_gap(&self) -> u64 {
        self.out_of_order_queue.end().map_or(0, |end| end - self.nxt)
    }

    /// Returns whether there is room; what can be done when there is none [rules/receiver.md rule 28].
    fn make_room(&mut self) -> bool {
        if self.window.memory_used <= self.window.buffer {
            return true;
        }
        self.acks.quick = 0;
        let most = self.window.largest_window();
        if self.window.buffer < most && !self.window.fixed {
            self.window.buffer = self.window.memory_used.min(most);
        }
        if self.window.memory_used <= self.window.buffer {
            return true;
        }
        self.window.ssthresh = self.window.clamp.min(2 * self.window.advmss);
        self.compact_memory();
        let goal = self.window.buffer - self.window.buffer / 8;
        while self.window.memory_used > self.window.buffer
            && let Some(run) = self.out_of_order_queue.drop_last()
        {
            // The other end sees reneging.
            self.sack.clear();
            self.window.memory_used -= run.memory;
            if self.window.memory_used <= goal {
                break;
            }
        }
        self.window.memory_used <= self.window.buffer
    }

    fn compact_memory(&mut self) {
        self.out_of_order_queue.compact(BufferMemory::compact);
        let bytes: u64 = self.unread.iter().map(|(bytes, _)| bytes).sum();
        let memory: u64 = self.unread.iter().map(|(_, memory)| memory).sum();
        let memory = memory.min(BufferMemory::compact(bytes));
        self.unread.clear();
        if bytes > 0 {
            self.unread.push_back((bytes, memory));
        }
        let waiting = if bytes > 0 { memory } else { 0 };
        self.window.memory_used = waiting + self.out_of_order_queue.memory();
    }

    /// A segment outside of the window, answered at once [rules/receiver.md rule 14].
    pub fn on_unacceptable(&mut self, segment: &Segment) {
        let (seq, end) = (segment.seq, segment.end());
        if seq != end && seq < self.nxt {
            self.enter_quickack(MAX_QUICK_ACKS);
            self.sack.set_dsack(seq, end.min(self.nxt));
        }
        self.send_ack();
    }

    /// The application reads up to `most` bytes; how many it got [rules/receiver.md rules 12, 26].
    pub fn read(&mut self, now: TimeInUnits, most: u64) -> u64 {
        let bytes = most.min(self.unread());
        self.copied_seq += bytes;
        let mut left = bytes;
        while left > 0
            && let Some((waiting, memory)) = self.unread.front_mut()
        {
            if *waiting > left {
                *waiting -= left;
                break;
            }
            left -= *waiting;
            self.window.memory_used -= *memory;
            self.unread.pop_front();
        }
        let (copied, unread, beyond) = (self.copied_seq, self.unread(), self.bytes_beyond_gap());
        self.space.on_read(now.us, copied, unread, beyond, &mut self.window);
        self.ack_after_read(bytes > 0);
        bytes
    }

    /// The FIN of the other end came in ESTABLISHED [rules/receiver.md rule 11].
    pub fn on_fin(&mut self) {
        self.enter_pingpong();
    }
}
