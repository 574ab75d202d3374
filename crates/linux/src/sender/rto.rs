//! Retransmission timeouts [rules/timers.md rules 11 to 15].

use super::Sender;
use super::socket::RETRY_AFTER_DROP;
use super::timer::TimerPurpose;
use crate::clock::{HZ, TimeInUnits};
use crate::congestion::INFINITE_SSTHRESH;

/// Timeouts after which a thin stream backs off all the same.
const MAX_LINEAR_TIMEOUTS: u32 = 6;
/// Packets of a thin stream are fewer.
const THIN_STREAM_PACKETS: u32 = 4;
/// Base of the time after which a connection ends, in jiffies.
const MIN_RTO_JIFFIES: u64 = HZ as u64 / 5;

impl Sender {
    /// The retransmission timer expired.
    pub(super) fn on_rto(&mut self, now: TimeInUnits) {
        if self.queue.is_empty() {
            return;
        }
        if self.snd_wnd == 0 && !self.orphan {
            if self.probes_exhausted(now) {
                self.gave_up = true;
                return;
            }
            self.enter_loss(now);
        } else {
            if self.retries_exhausted(now) {
                self.gave_up = true;
                return;
            }
            self.enter_loss(now);
            self.count_timeout(now);
        }
        let head = self.queue.head();
        if self.retransmit_buffer(now, head, 1).is_none() && self.drops_output {
            return self.arm(now, TimerPurpose::Rto, RETRY_AFTER_DROP);
        }
        if self.is_thin() {
            self.rtt.backoff = 0;
            let least = u64::from(self.rtt.rto_min) / crate::clock::TICK_US;
            self.rtt.rto = self.rtt.rto_without_backoff().max(least);
        } else {
            self.rtt.back_off();
        }
        self.arm(now, TimerPurpose::Rto, self.rtt.rto);
    }

    fn count_timeout(&mut self, now: TimeInUnits) {
        self.totals.rto += 1;
        if self.retransmits == 0 {
            self.totals.rto_recoveries += 1;
            self.totals.rto_stamp = Some(now.us / 1000);
        }
        self.retransmits += 1;
    }

    /// [rules/timers.md rule 14]
    fn is_thin(&self) -> bool {
        (self.sysctl.tcp_thin_linear_timeouts != 0 || self.options.thin_linear)
            && self.queue.packets_out() < THIN_STREAM_PACKETS
            && self.cc_window.ssthresh < INFINITE_SSTHRESH
            && self.retransmits <= MAX_LINEAR_TIMEOUTS
    }

    /// Milliseconds since the first retransmission, which pacing may have put off to a time to come.
    fn time_since_first_retransmission(&self, now: TimeInUnits) -> u64 {
        let ms = (now.instant.nanos() / 1_000_000) as u32;
        self.retrans_stamp.map_or(0, |stamp| (ms.wrapping_sub(stamp) as i32).max(0) as u64)
    }

    /// [rules/timers.md rule 11]
    fn probes_exhausted(&self, now: TimeInUnits) -> bool {
        let most = 2 * self.rtt.rto_max;
        self.timer.expiry.saturating_sub(self.last_ack) > most
            && self.time_since_first_retransmission(now) / 4 > most
    }

    /// [rules/timers.md rule 15]
    fn retries_exhausted(&self, now: TimeInUnits) -> bool {
        if self.retransmits == 0 {
            return false;
        }
        let ms = match self.options.user_timeout {
            0 => 4 * self.max_retry_time(self.retries()),
            ms => ms,
        };
        self.time_since_first_retransmission(now) >= ms
    }

    /// Timeouts that the connection may have [rules/timers.md rule 15].
    pub(super) fn retries(&self) -> u64 {
        match (self.orphan, self.sysctl.tcp_orphan_retries) {
            (false, _) => self.sysctl.tcp_retries2,
            (true, 0) if self.rtt.rto < self.rtt.rto_max => 8,
            (true, retries) => retries,
        }
    }

    /// Jiffies that `n` timeouts take.
    fn max_retry_time(&self, n: u64) -> u64 {
        let most = self.rtt.rto_max;
        let doublings = u64::from((most / MIN_RTO_JIFFIES).max(1).ilog2());
        if n <= doublings {
            ((2 << n) - 1) * MIN_RTO_JIFFIES
        } else {
            ((2 << doublings) - 1) * MIN_RTO_JIFFIES + (n - doublings) * most
        }
    }

    /// Returns whether the connection was given up.
    #[must_use]
    pub fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// Notes whether no process holds the connection any more.
    pub fn set_orphan(&mut self, orphan: bool) {
        self.orphan = orphan;
    }
}
