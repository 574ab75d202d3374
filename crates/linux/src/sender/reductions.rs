//! Reductions of the window and the states they belong to [rules/recovery.md rules 36, 37, 43, 45, 46].

use super::Sender;
use super::prr::{Prr, PrrInput};
use crate::clock::TimeInUnits;
use crate::congestion::{CaState, Event, INFINITE_SSTHRESH};

impl Sender {
    /// [rules/recovery.md rule 37]
    pub(super) fn current_ssthresh(&self) -> u32 {
        if self.is_reducing() {
            return self.cc_window.ssthresh;
        }
        self.cc_window.ssthresh.max((self.cc_window.cwnd >> 1) + (self.cc_window.cwnd >> 2))
    }

    /// Returns whether PRR governs cwnd.
    #[inline]
    pub(super) fn is_reducing(&self) -> bool {
        matches!(self.state, CaState::Cwr | CaState::Recovery)
    }

    /// [rules/recovery.md rule 43]
    pub(super) fn start_reduction(&mut self, now: TimeInUnits) {
        self.high_seq = self.nxt;
        self.probe.high_seq = None;
        self.cc_window.cwnd_count = 0;
        self.cc_window.prior_cwnd = self.cc_window.cwnd;
        self.prr = Prr::default();
        let tcp_sock = self.tcp_sock(now);
        self.cc_window.ssthresh = self.control.ssthresh(&tcp_sock, &mut self.cc_window);
        self.cwr_pending |= self.ecn;
    }

    /// [rules/recovery.md rule 45]
    pub(super) fn end_reduction(&mut self, now: TimeInUnits) {
        if self.full_control {
            return;
        }
        let counts = self.state == CaState::Cwr || self.undo.marker.is_some();
        if self.cc_window.ssthresh < INFINITE_SSTHRESH && counts {
            self.cc_window.cwnd = self.cc_window.ssthresh;
            self.usage.stamp = now.jiffies;
        }
        let tcp_sock = self.tcp_sock(now);
        self.control.event(&tcp_sock, &mut self.cc_window, Event::CompleteCwr);
    }

    /// [rules/recovery.md rule 46]
    pub(super) fn enter_cwr(&mut self, now: TimeInUnits) {
        self.undo.ssthresh = 0;
        if self.state < CaState::Cwr {
            self.undo.marker = None;
            self.start_reduction(now);
            self.set_state(now, CaState::Cwr);
        }
    }

    /// [rules/recovery.md rule 36]
    pub(super) fn enter_recovery(&mut self, now: TimeInUnits, ece: bool) {
        self.forget_retransmissions();
        self.undo.ssthresh = 0;
        self.save_undo_state();
        if !self.is_reducing() {
            if !ece {
                self.undo.ssthresh = self.current_ssthresh();
            }
            self.start_reduction(now);
        }
        self.set_state(now, CaState::Recovery);
    }

    /// From here on, retransmissions may be found spurious.
    pub(super) fn save_undo_state(&mut self) {
        self.undo.marker = Some(self.una);
        let probe = i64::from(self.probe.high_seq.is_some() && self.probe.retransmission);
        let retrans = i64::from(self.queue.retrans) + probe;
        self.undo.retrans = if retrans == 0 { -1 } else { retrans };
    }

    /// PRR's step [rules/recovery.md rule 47].
    pub(super) fn apply_prr(&mut self, delivered: u32, lost: u32, advanced: bool) {
        if delivered == 0 {
            return;
        }
        if self.options.changed.no_prr {
            self.cc_window.cwnd = self.cc_window.ssthresh;
            return;
        }
        self.cc_window.cwnd = self.prr.allowed_packets(&PrrInput {
            in_flight: self.queue.in_flight(),
            ssthresh: self.cc_window.ssthresh,
            prior_cwnd: self.cc_window.prior_cwnd,
            delivered,
            lost,
            advanced,
            smss: 1,
        });
    }

    pub(super) fn set_state(&mut self, now: TimeInUnits, state: CaState) {
        let left_loss = self.totals.rto_stamp.take_if(|_| state != CaState::Loss);
        if let Some(stamp) = left_loss {
            self.totals.rto_time += (now.us / 1000).saturating_sub(stamp);
        }
        self.state = state;
        let tcp_sock = self.tcp_sock(now);
        self.control.set_state(&tcp_sock, &mut self.cc_window, state);
    }
}
