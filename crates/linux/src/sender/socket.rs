//! Changes by calls of the application and messages of the network while a connection is open.

use super::Sender;
use super::buffer::UnsentBuffer;
use crate::clock::{HZ, TimeInUnits};
use crate::congestion::CaState;

/// Jiffies after which a timer retries a packet that the device queue rejected [rules/timers.md rules 12, 25].
pub(super) const RETRY_AFTER_DROP: u64 = HZ as u64 / 2;

impl Sender {
    /// `SO_SNDBUF`: the send buffer in bytes of memory, which does not grow any more.
    pub fn set_sndbuf(&mut self, bytes: u64) {
        self.writer.set_buffer(bytes);
    }

    /// The send buffer in bytes of memory.
    #[must_use]
    pub fn sndbuf(&self) -> u64 {
        self.writer.buffer()
    }

    /// Bytes of calls that wait for space.
    #[must_use]
    pub fn unsent_or_unacked(&self) -> u64 {
        self.writer.bytes_left()
    }

    /// `SO_MAX_PACING_RATE` in bytes per second; `u64::MAX` is no limit.
    pub fn set_max_pacing_rate(&mut self, rate: u64) {
        self.options.max_pacing_rate = rate;
        self.cc_window.pacing_rate = self.cc_window.pacing_rate.min(rate);
    }

    /// `TCP_USER_TIMEOUT` in milliseconds; 0: none.
    pub fn set_user_timeout(&mut self, ms: u64) {
        self.options.user_timeout = ms;
    }

    /// The queue before the device refuses everything, or takes it again.
    pub fn set_local_drop(&mut self, drops: bool) {
        self.drops_output = drops;
    }

    /// Returns whether the queue before the device refuses what would be sent now; then the window is reduced
    /// [rules/recovery.md rule 46].
    pub(crate) fn device_rejects(&mut self, now: TimeInUnits) -> bool {
        if self.drops_output {
            self.enter_cwr(now);
        }
        self.drops_output
    }

    /// Reduces the path MTU to `mtu` bytes: larger outstanding packets are lost [RFC 1191, rules/sending.md rule 16].
    pub fn set_mtu(&mut self, now: TimeInUnits, mtu: u32) {
        self.mtu = mtu;
        let before = self.mss();
        self.sync_mss();
        if self.mss() < before {
            self.retransmit_oversized(now);
        }
    }

    /// Marks packets lost that do not fit the path, without a reduction of the window.
    fn retransmit_oversized(&mut self, now: TimeInUnits) {
        let (mss, lost) = (self.current_mss(), self.queue.lost);
        for id in self.queue.head()..self.queue.tail() {
            if self.queue.packet(id).payload() > mss {
                self.mark_lost(now, id);
            }
        }
        if self.queue.lost > lost {
            self.retransmit_without_reduction(now);
        }
    }

    /// Data that left with the SYN and were not acknowledged are lost [rules/fast_open.md rule 3].
    pub fn repeat_syn_data(&mut self, now: TimeInUnits, bytes: u32) {
        let small = self.snd_sml;
        self.write_seq += u64::from(bytes);
        let data = UnsentBuffer { len: bytes, psh: true, ..UnsentBuffer::default() };
        self.send_new(now, data, self.current_mss());
        // It has left before.
        self.output_queue.pop_back();
        self.snd_sml = small;
        for id in self.queue.head()..self.queue.tail() {
            self.mark_lost(now, id);
        }
        self.retransmit_without_reduction(now);
    }

    /// Retransmits packets lost for other reasons than congestion.
    fn retransmit_without_reduction(&mut self, now: TimeInUnits) {
        if self.state != CaState::Loss {
            self.high_seq = self.nxt;
            self.cc_window.ssthresh = self.current_ssthresh();
            (self.undo.ssthresh, self.undo.marker) = (0, None);
            self.set_state(now, CaState::Loss);
        }
        self.retransmit(now);
    }

    /// Eight times SRTT in us; 0 before a sample.
    #[must_use]
    pub fn srtt8(&self) -> u32 {
        self.rtt.srtt8
    }
}
