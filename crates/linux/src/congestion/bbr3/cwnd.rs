//! cwnd [rules/bbr3.md rules 30 to 32].

use super::pacing::send_quantum;
use super::parameters::{
    BW_SCALE, INFINITY, MIN_PIPE_CWND, OFFLOAD_QUANTA, PERCENT, PROBE_RTT_CWND_GAIN,
};
use super::{Bbr3, State};
use crate::congestion::{RateSample, TcpSock, Window};

impl Bbr3 {
    /// Packets that fill the pipe at `gain`, rounded up.
    fn bdp_multiple(&self, bw: u32, gain: u32) -> u32 {
        if self.min_rtt.rtt == INFINITY {
            return self.initial_cwnd;
        }
        let pipe = u64::from(bw) * u64::from(self.min_rtt.rtt);
        let scaled = pipe.saturating_mul(u64::from(gain)) / u64::from(PERCENT);
        let packets = scaled.div_ceil(1 << BW_SCALE);
        packets.min(u64::from(INFINITY - 1)) as u32
    }

    pub(super) fn bdp(&self) -> u32 {
        self.bdp_multiple(self.bw, PERCENT)
    }

    /// Enough for what both hosts hold back, and for delayed ACKs.
    fn quantize(&self, f: &TcpSock, w: &Window, packets: u32) -> u32 {
        let least = (OFFLOAD_QUANTA * send_quantum(f, w)).max(MIN_PIPE_CWND);
        let probing = if self.state == State::Up { 2 } else { 0 };
        packets.max(least).saturating_add(probing)
    }

    /// Inflight(bw, gain) of the draft.
    pub(super) fn inflight_at(&self, f: &TcpSock, w: &Window, bw: u32, gain: u32) -> u32 {
        self.quantize(f, w, self.bdp_multiple(bw, gain))
    }

    fn max_inflight(&self, f: &TcpSock, w: &Window) -> u32 {
        let pipe = self.bdp_multiple(self.bw, self.state.cwnd_gain());
        self.quantize(f, w, pipe.saturating_add(self.aggregation.extra_acked()))
    }

    pub(super) fn probe_rtt_cwnd(&self) -> u32 {
        self.bdp_multiple(self.bw, PROBE_RTT_CWND_GAIN).max(MIN_PIPE_CWND)
    }

    pub(super) fn set_cwnd(&self, f: &TcpSock, w: &mut Window, s: &RateSample) {
        let grown = w.cwnd.saturating_add(s.acked_sacked);
        let target = self.max_inflight(f, w);
        if self.full_bw.reached {
            w.cwnd = grown.min(target);
        } else if w.cwnd < target || f.delivered < self.initial_cwnd {
            w.cwnd = grown;
        }
        w.cwnd = w.cwnd.max(MIN_PIPE_CWND);
        if self.state == State::ProbeRtt {
            w.cwnd = w.cwnd.min(self.probe_rtt_cwnd());
        }
        w.cwnd = w.cwnd.min(self.model_cap()).min(w.clamp);
    }

    /// Largest cwnd that losses allow.
    fn model_cap(&self) -> u32 {
        let long_term = match self.state {
            State::Down | State::Refill | State::Up => self.inflight_longterm,
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Startup | State::Drain => INFINITY,
        };
        long_term.min(self.short_term.inflight).max(MIN_PIPE_CWND)
    }
}
