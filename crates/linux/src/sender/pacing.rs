//! The pacing rate, and the clock of departures [rules/sending.md rules 12, 14].

use super::Sender;
use super::nagle::SmallSegmentMode;
use super::xmit::XmitLimit;
use crate::clock::TimeInUnits;
use airtcp_core::Instant;

/// Data segments that leave without pacing.
const UNPACED_SEGMENTS: u64 = 10;

impl Sender {
    /// Returns whether TCP or the queueing discipline paces.
    #[inline]
    pub(super) fn is_pacing(&self) -> bool {
        self.options.fq || self.requires_pacing || self.options.max_pacing_rate != u64::MAX
    }

    /// Returns whether pacing forbids to send now; then a timer calls again.
    #[inline]
    pub(super) fn pacing_holds(&mut self, now: TimeInUnits) -> bool {
        if self.departure <= now.instant.nanos() || self.options.fq || !self.is_pacing() {
            return false;
        }
        self.pacing_timer = Instant::from_nanos(self.departure);
        true
    }

    /// A burst of `bytes` left; the departure clock was `prior` before.
    #[inline]
    pub(super) fn advance_departure(&mut self, prior: i64, bytes: u32) {
        let rate = self.cc_window.pacing_rate;
        let limited = rate != 0 && rate != u64::MAX;
        if !self.is_pacing() || !limited || self.totals.data_segs < UNPACED_SEGMENTS {
            return;
        }
        let mut wait = (u64::from(bytes) * 1_000_000_000 / rate) as i64;
        wait -= (wait / 2).min(self.departure - prior);
        self.departure += wait;
    }

    /// Pacing lets the next burst go.
    pub(super) fn on_pacing_timer(&mut self, now: TimeInUnits) {
        if self.queue.lost > self.queue.retrans && self.cc_window.cwnd > self.queue.in_flight() {
            self.retransmit(now);
        }
        if !self.unsent.is_empty() {
            self.write_xmit(now, SmallSegmentMode::from_options(&self.options), XmitLimit::All);
        }
    }

    /// [rules/sending.md rule 12]
    #[inline]
    pub(super) fn update_pacing_rate(&mut self) {
        let slow_start = self.cc_window.cwnd < self.cc_window.ssthresh / 2;
        let ratio = if slow_start {
            self.sysctl.tcp_pacing_ss_ratio
        } else {
            self.sysctl.tcp_pacing_ca_ratio
        };
        let packets = u64::from(self.cc_window.cwnd.max(self.queue.packets_out()));
        let rate = u64::from(self.mss_cache) * 80_000 * ratio;
        let mut rate = rate.saturating_mul(packets);
        if self.rtt.srtt8 > 0 {
            rate /= u64::from(self.rtt.srtt8);
        }
        self.cc_window.pacing_rate = rate.min(self.options.max_pacing_rate);
    }
}
