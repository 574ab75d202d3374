//! `inflight_longterm`: data in flight that the path carries without too many losses [rules/bbr3.md rules 20 to 22].

use super::parameters::{BETA, INFINITY, LOSS_THRESH, PERCENT, share};
use super::probe::AckPhase;
use super::undo::Origin;
use super::{Bbr3, State};
use crate::congestion::{LostPacket, RateSample, TcpSock, Window};

/// Returns whether of `in_flight` packets more than the threshold are lost.
pub(super) fn exceeds_threshold(lost: u32, in_flight: u32) -> bool {
    u64::from(lost) * u64::from(PERCENT) > u64::from(in_flight) * u64::from(LOSS_THRESH)
}

/// Losses of one per round are all that shows without SACK.
fn is_too_high(sack: bool, lost: u32, in_flight: u32) -> bool {
    exceeds_threshold(lost, in_flight) || (lost > 0 && !sack)
}

/// Packets in flight when the losses reached the threshold: those before this packet, plus the missing fraction of it.
fn inflight_at_loss(lost: &LostPacket) -> u32 {
    let before = u64::from(lost.tx_in_flight.saturating_sub(1));
    let allowed = before * u64::from(LOSS_THRESH);
    let missing =
        allowed.saturating_sub(u64::from(lost.lost.saturating_sub(1)) * u64::from(PERCENT));
    (before + missing / u64::from(PERCENT - LOSS_THRESH)) as u32
}

impl Bbr3 {
    /// Follows the feedback of a probe. Whether that decided the next state.
    pub(super) fn adapt_long_term(&mut self, f: &TcpSock, w: &Window, s: &RateSample) -> bool {
        if self.rounds.round_start && self.next_ack_phase(f, s) {
            return true;
        }
        if self.inflight_longterm != INFINITY && !is_too_high(f.sack, s.lost, s.tx_in_flight) {
            self.inflight_longterm = self.inflight_longterm.max(s.tx_in_flight);
            if self.state == State::Up {
                self.grow_long_term(f, w, s);
            }
        }
        false
    }

    /// A round began. True: the probe that stopped early was safe, and another follows at once.
    fn next_ack_phase(&mut self, f: &TcpSock, s: &RateSample) -> bool {
        if self.cycle.ack_phase == AckPhase::ProbeStarting {
            self.cycle.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.cycle.ack_phase != AckPhase::ProbeStopping {
            return false;
        }
        self.cycle.is_probe_sample = false;
        self.cycle.ack_phase = AckPhase::Init;
        if !self.state.is_probe_bw() {
            return false;
        }
        if !s.app_limited {
            self.max_bw.advance();
        }
        let is_retransmission = self.cycle.precautionary && !self.cycle.too_high;
        if is_retransmission {
            self.start_refill(f);
        }
        is_retransmission
    }

    /// Raises the bound if the bound limits the sender.
    fn grow_long_term(&mut self, f: &TcpSock, w: &Window, s: &RateSample) {
        if !f.cwnd_used || w.cwnd < self.inflight_longterm {
            return;
        }
        let packets = self.growth.add(s.acked_sacked);
        self.inflight_longterm = self.inflight_longterm.saturating_add(packets);
        if self.rounds.round_start {
            self.growth.raise_slope(w.cwnd);
        }
    }

    /// A packet of a probe was lost.
    pub(super) fn check_probe_loss(&mut self, f: &TcpSock, w: &Window, lost: &LostPacket) {
        if is_too_high(f.sack, lost.lost, lost.tx_in_flight) {
            self.lower_long_term(f, w, lost);
        }
    }

    fn lower_long_term(&mut self, f: &TcpSock, w: &Window, lost: &LostPacket) {
        self.cycle.too_high = true;
        self.cycle.is_probe_sample = false;
        if !lost.app_limited {
            let floor = share(self.target_inflight(w), BETA);
            self.inflight_longterm = inflight_at_loss(lost).max(floor);
        }
        if self.state == State::Up {
            self.undo.origin = Some(Origin::Up);
            self.start_down(f);
        }
    }
}
