//! Bandwidth and losses of an ACK, taken into the model [rules/bbr3.md rules 7 to 9 and 12].

use super::Bbr3;
use super::bandwidth::delivery_rate;
use crate::congestion::{RateSample, TcpSock, Window};

impl Bbr3 {
    fn update_max_bw(&mut self, f: &TcpSock, s: &RateSample) {
        self.rounds.update(f, s);
        let rate = delivery_rate(s);
        if rate > 0 && (rate >= self.max_bw.bandwidth() || !s.app_limited) {
            self.max_bw.add(rate);
        }
    }

    /// The estimate in use: the maximum, or less after losses.
    pub(super) fn bound_bw(&mut self) {
        self.bw = self.max_bw.bandwidth().min(self.short_term.bw);
    }

    pub(super) fn update_congestion_signals(&mut self, f: &TcpSock, w: &Window, s: &RateSample) {
        self.update_max_bw(f, s);
        if self.latest.round_start {
            if self.latest.loss_in_round && !self.state.is_probing() {
                self.short_term.reduce(&self.latest, self.max_bw.bandwidth(), w.cwnd);
            }
            self.latest.loss_in_round = false;
        }
    }
}
