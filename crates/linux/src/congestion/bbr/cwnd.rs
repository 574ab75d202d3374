//! cwnd [rules/bbr.md rules 15 and 19].

use super::burst::burst;
use super::parameters::{BW_SCALE, MIN_CWND, NO_RTT};
use super::{Bbr, Mode};
use crate::congestion::{CaState, RateSample, TcpSock, Window};

/// The initial window.
const INITIAL_CWND: u32 = 10;

impl Bbr {
    /// Keeps cwnd for the time after a recovery or `PROBE_RTT` [rules/bbr.md rule 19].
    pub(super) fn save_cwnd(&mut self, w: &Window) {
        let undisturbed = self.prior_state < CaState::Recovery && self.mode != Mode::ProbeRtt;
        self.prior_cwnd = if undisturbed { w.cwnd } else { self.prior_cwnd.max(w.cwnd) };
    }

    /// [rules/bbr.md rule 15]
    pub(super) fn set_cwnd(&mut self, f: &TcpSock, w: &mut Window, s: &RateSample) {
        if s.acked_sacked > 0 {
            w.cwnd = self.next_cwnd(f, w, s);
        }
        w.cwnd = w.cwnd.min(w.clamp);
        if self.mode == Mode::ProbeRtt {
            w.cwnd = w.cwnd.min(MIN_CWND);
        }
    }

    fn next_cwnd(&mut self, f: &TcpSock, w: &Window, s: &RateSample) -> u32 {
        let acked = s.acked_sacked;
        let mut cwnd = self.recover_or_restore(f, w, s);
        if self.packet_conservation {
            return cwnd.max(f.in_flight.saturating_add(acked));
        }
        let bdp = self.bdp(self.bandwidth(), self.cwnd_gain);
        let target = self.quantize(f, w, bdp.wrapping_add(self.aggregation_cwnd()));
        if self.full_pipe {
            cwnd = cwnd.saturating_add(acked).min(target);
        } else if cwnd < target || f.delivered < INITIAL_CWND {
            cwnd = cwnd.saturating_add(acked);
        }
        cwnd.max(MIN_CWND)
    }

    /// Losses reduce cwnd by their number; the first round of a recovery conserves packets; its end restores cwnd
    /// [rules/bbr.md rule 15b].
    fn recover_or_restore(&mut self, f: &TcpSock, w: &Window, s: &RateSample) -> u32 {
        let mut cwnd = w.cwnd;
        if s.losses > 0 {
            cwnd = (cwnd.wrapping_sub(s.losses) as i32).max(1) as u32;
        }
        let before = std::mem::replace(&mut self.prior_state, f.state);
        if f.state == CaState::Recovery && before != CaState::Recovery {
            self.packet_conservation = true;
            self.next_round = f.delivered;
            cwnd = f.in_flight.saturating_add(s.acked_sacked);
        } else if before >= CaState::Recovery && f.state < CaState::Recovery {
            cwnd = cwnd.max(self.prior_cwnd);
            self.packet_conservation = false;
        }
        cwnd
    }

    /// Packets that cwnd gets for aggregated ACKs, once the pipe is full [rules/bbr.md rule 15c].
    pub(super) fn aggregation_cwnd(&self) -> u32 {
        if self.full_pipe { self.aggregation.cwnd(self.bandwidth()) } else { 0 }
    }

    /// Packets that fill the pipe at `gain`.
    fn bdp(&self, bw: u32, gain: u32) -> u32 {
        if self.min_rtt == NO_RTT {
            return INITIAL_CWND;
        }
        let pipe = u64::from(bw).wrapping_mul(u64::from(self.min_rtt));
        let scaled = pipe.wrapping_mul(u64::from(gain)) >> 8;
        (scaled.wrapping_add((1 << BW_SCALE) - 1) >> BW_SCALE) as u32
    }

    /// Room for bursts at both ends and for delayed ACKs.
    fn quantize(&self, f: &TcpSock, w: &Window, packets: u32) -> u32 {
        let even = packets.wrapping_add(3 * burst(f, w)).wrapping_add(1) & !1;
        let probing = self.mode == Mode::ProbeBw && self.cycle_index == 0;
        even.wrapping_add(if probing { 2 } else { 0 })
    }

    /// target(bw, gain) of the rules.
    pub(super) fn target_inflight(&self, f: &TcpSock, w: &Window, bw: u32, gain: u32) -> u32 {
        self.quantize(f, w, self.bdp(bw, gain))
    }
}
