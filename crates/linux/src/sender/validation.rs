//! Use of the window, and its decay where it is not used [rules/sending.md rules 20 to 22, RFC 2861].

use super::Sender;
use crate::clock::TimeInUnits;
use crate::congestion::CaState;

/// Packets of the initial window.
const INITIAL_CWND: u32 = 10;

impl Sender {
    /// [rules/sending.md rule 21]
    #[inline]
    pub(super) fn is_cwnd_limited(&self) -> bool {
        let slow_start = self.cc_window.cwnd < self.cc_window.ssthresh;
        self.usage.limited || (slow_start && self.cc_window.cwnd < 2 * self.usage.max_out)
    }

    /// Validates cwnd after the send routine, which was limited by cwnd or not.
    #[inline]
    pub(super) fn validate_cwnd(&mut self, now: TimeInUnits, limited: bool) {
        let out = self.queue.packets_out();
        let usage = &mut self.usage;
        if self.una >= usage.seq || limited || (!usage.limited && out > usage.max_out) {
            usage.limited = limited;
            usage.max_out = out;
            usage.seq = self.nxt;
        }
        if self.is_cwnd_limited() {
            self.usage.used = 0;
            self.usage.stamp = now.jiffies;
            return;
        }
        self.usage.used = self.usage.used.max(out);
        let idle = now.jiffies.saturating_sub(self.usage.stamp) >= self.rtt.rto;
        let on = self.sysctl.tcp_slow_start_after_idle != 0;
        if on && idle && !self.full_control {
            self.decay_unused_cwnd(now);
        }
    }

    /// The application did not use the window for an RTO.
    fn decay_unused_cwnd(&mut self, now: TimeInUnits) {
        if self.state == CaState::Open && !self.writer.waits_for_space() {
            let used = self.usage.used.max(INITIAL_CWND);
            if used < self.cc_window.cwnd {
                self.cc_window.ssthresh = self.current_ssthresh();
                self.cc_window.cwnd = (self.cc_window.cwnd + used) >> 1;
            }
            self.usage.used = 0;
        }
        self.usage.stamp = now.jiffies;
    }
}
