//! The end of Startup, and Drain [rules/bbr3.md rules 13 and 14].

use super::long_term::exceeds_threshold;
use super::parameters::{DRAIN_ROUNDS, FULL_LOSS_RANGES, PERCENT};
use super::undo::Origin;
use super::{Bbr3, State};
use crate::congestion::{CaState, RateSample, TcpSock, Window};
use crate::rate::is_after;

impl Bbr3 {
    pub(super) fn check_startup_done(&mut self, f: &TcpSock, s: &RateSample) {
        if self.state != State::Startup {
            return;
        }
        if self.startup_exceeds_loss_limit(f, s) {
            self.undo.origin = Some(Origin::Startup);
            (self.full_bw.reached_this_round, self.full_bw.reached) = (true, true);
            self.inflight_longterm = self.bdp().max(self.latest.inflight);
        }
        if self.full_bw.reached {
            self.state = State::Drain;
            self.drain_start_round = self.rounds.count;
        }
    }

    /// Returns whether a round of recovery had many losses in several ranges. Without SACK only one loss per round is
    /// visible.
    fn startup_exceeds_loss_limit(&self, f: &TcpSock, s: &RateSample) -> bool {
        if !f.sack {
            return s.losses > 0 && f.state >= CaState::Recovery;
        }
        self.latest.round_start
            && f.state == CaState::Recovery
            && !is_after(self.recovery_delivered, s.prior_delivered)
            && self.latest.loss_ranges >= FULL_LOSS_RANGES
            && exceeds_threshold(s.lost, s.tx_in_flight)
    }

    pub(super) fn check_drain_done(&mut self, f: &TcpSock, w: &Window) {
        if self.state != State::Drain {
            return;
        }
        let rounds = self.rounds.count.wrapping_sub(self.drain_start_round);
        if f.in_flight <= self.inflight_at(f, w, self.bw, PERCENT) || rounds > DRAIN_ROUNDS {
            self.start_down(f);
        }
    }
}
