//! The end of startup, and the emptying of its queue [rules/bbr.md rules 10 and 11].

use super::parameters::UNIT;
use super::{Bbr, Mode};
use crate::congestion::{RateSample, TcpSock, Window};

/// Bandwidth growth per round below which startup ends.
const FULL_BW_GROWTH: u64 = UNIT as u64 * 5 / 4;
/// Rounds without it that end startup.
const FULL_BW_ROUNDS: u32 = 3;

impl Bbr {
    pub(super) fn check_full_pipe(&mut self, s: &RateSample) {
        if self.full_pipe || !self.round_start || s.app_limited {
            return;
        }
        let max = self.max_bandwidth();
        if u64::from(max) >= (u64::from(self.full_bw) * FULL_BW_GROWTH) >> 8 {
            (self.full_bw, self.full_bw_count) = (max, 0);
            return;
        }
        self.full_bw_count += 1;
        self.full_pipe = self.full_bw_count >= FULL_BW_ROUNDS;
    }

    pub(super) fn check_drain(&mut self, f: &TcpSock, w: &mut Window) {
        let bw = self.max_bandwidth();
        if self.mode == Mode::Startup && self.full_pipe {
            self.mode = Mode::Drain;
            w.ssthresh = self.target_inflight(f, w, bw, UNIT);
        }
        if self.mode == Mode::Drain
            && self.in_network(f, w, f.in_flight) <= self.target_inflight(f, w, bw, UNIT)
        {
            self.enter_probe_bw(f);
        }
    }
}
