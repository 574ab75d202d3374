//! A window that was not used at all [rules/sending.md rule 23, RFC 2861].

use super::Sender;
use crate::clock::TimeInUnits;

/// cwnd does not fall below this.
const INITIAL_CWND: u32 = 10;

impl Sender {
    /// Halves cwnd for each RTO of silence.
    pub(super) fn check_idle(&mut self, now: TimeInUnits) {
        let on = self.sysctl.tcp_slow_start_after_idle != 0;
        if !on || !self.queue.is_empty() || self.full_control {
            return;
        }
        let rto = self.rtt.rto;
        let mut idle = now.jiffies.saturating_sub(self.last_sent);
        if idle <= rto {
            return;
        }
        self.cc_window.ssthresh = self.current_ssthresh();
        let floor = self.cc_window.cwnd.min(INITIAL_CWND);
        let mut cwnd = self.cc_window.cwnd;
        idle -= rto;
        while idle > 0 && cwnd > floor {
            cwnd >>= 1;
            idle = idle.saturating_sub(rto);
        }
        self.cc_window.cwnd = cwnd.max(floor);
        self.usage.stamp = now.jiffies;
        self.usage.used = 0;
    }
}
