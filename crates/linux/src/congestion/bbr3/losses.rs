//! Losses, and the return to the model of before if there were none [rules/bbr3.md rules 3, 23 and 24].

use super::parameters::INFINITY;
use super::undo::{Origin, UndoState};
use super::{Bbr3, State};
use crate::congestion::{CaState, LostPacket, TcpSock, Window};

impl Bbr3 {
    pub(super) fn on_packet_lost(&mut self, f: &TcpSock, w: &Window, lost: &LostPacket) {
        self.record_loss(f, w);
        self.latest.record_loss_range(lost);
        if self.cycle.is_probe_sample {
            self.check_probe_loss(f, w, lost);
        }
    }

    /// Records a loss. An undo returns to the state at the first loss of a recovery: packets are marked before the
    /// state changes, and the probe that they end must not be what is kept.
    pub(super) fn record_loss(&mut self, f: &TcpSock, w: &Window) {
        self.latest.record_loss(f);
        if self.undo.is_saved {
            return;
        }
        self.save_cwnd(f, w);
        self.undo = UndoState {
            origin: None,
            short_term: self.short_term,
            inflight_longterm: self.inflight_longterm,
            is_saved: true,
        };
    }

    /// Recovery begins or ends.
    pub(super) fn on_ca_state(&mut self, f: &TcpSock, w: &mut Window, state: CaState) {
        let before = std::mem::replace(&mut self.recovery, state);
        if state == CaState::Recovery && before != CaState::Recovery {
            self.recovery_delivered = f.delivered;
        }
        if state < CaState::Recovery {
            self.undo.is_saved = false;
            if before >= CaState::Recovery {
                self.restore_cwnd(w);
            }
        }
    }

    /// Undoes the reduction after losses that were none.
    pub(super) fn undo_reduction(&mut self, f: &TcpSock, w: &mut Window) {
        self.restore_cwnd(w);
        self.latest.loss_in_round = false;
        self.full_bw.restart(0);
        let kept = &self.undo;
        self.short_term.bw = self.short_term.bw.max(kept.short_term.bw);
        self.short_term.inflight = self.short_term.inflight.max(kept.short_term.inflight);
        self.inflight_longterm = self.inflight_longterm.max(kept.inflight_longterm);
        match self.undo.origin.take() {
            Some(Origin::Startup) if self.state != State::Startup => self.return_to_startup(),
            Some(Origin::Up) if !matches!(self.state, State::Up | State::ProbeRtt) => {
                self.start_refill(f);
            }
            _ => {}
        }
    }

    fn return_to_startup(&mut self) {
        self.full_bw.reached = false;
        if self.state != State::ProbeRtt {
            self.state = State::Startup;
        }
    }

    /// Keeps cwnd for the time after a recovery or `ProbeRTT`.
    pub(super) fn save_cwnd(&mut self, f: &TcpSock, w: &Window) {
        let disturbed = f.state >= CaState::Recovery || self.state == State::ProbeRtt;
        self.prior_cwnd = if disturbed { self.prior_cwnd.max(w.cwnd) } else { w.cwnd };
    }

    pub(super) fn restore_cwnd(&mut self, w: &mut Window) {
        debug_assert!(self.prior_cwnd < INFINITY);
        w.cwnd = w.cwnd.max(self.prior_cwnd);
    }
}
