//! The cycle of pacing gains of `PROBE_BW` [rules/bbr.md rules 9, 11 and 13].

use super::parameters::UNIT;
use super::{Bbr, Mode};
use crate::congestion::{RateSample, TcpSock, Window};

/// Probe for bandwidth, drain what that queued, cruise.
pub(super) const GAINS: [u32; 8] = [320, 192, UNIT, UNIT, UNIT, UNIT, UNIT, UNIT];

impl Bbr {
    /// Pacing gain of the present phase; with a long-term bandwidth there is no probing.
    pub(super) fn cycle_gain(&self) -> u32 {
        if self.long_term.in_use { UNIT } else { GAINS[self.cycle_index as usize] }
    }

    /// Enters `PROBE_BW` in any phase but the draining one, by chance [rules/bbr.md rule 11].
    pub(super) fn enter_probe_bw(&mut self, f: &TcpSock) {
        self.mode = Mode::ProbeBw;
        self.cycle_index = match self.forced_phase {
            Some(index) => (index + 7) % 8,
            None => 7 - draw_below_7(self.random.next_u64()),
        };
        self.advance_cycle(f);
    }

    fn advance_cycle(&mut self, f: &TcpSock) {
        self.cycle_index = (self.cycle_index + 1) % 8;
        self.cycle_start_us = f.delivered_us;
    }

    /// [rules/bbr.md rule 9]
    pub(super) fn update_cycle(&mut self, f: &TcpSock, w: &Window, s: &RateSample) {
        if self.mode == Mode::ProbeBw && self.phase_is_over(f, w, s) {
            self.advance_cycle(f);
        }
    }

    pub(super) fn phase_is_over(&self, f: &TcpSock, w: &Window, s: &RateSample) -> bool {
        let full = f.delivered_us.saturating_sub(self.cycle_start_us) > u64::from(self.min_rtt);
        if self.pacing_gain == UNIT {
            return full;
        }
        let in_flight = self.in_network(f, w, s.prior_in_flight);
        let bw = self.max_bandwidth();
        if self.pacing_gain > UNIT {
            full && (s.losses > 0 || in_flight >= self.target_inflight(f, w, bw, self.pacing_gain))
        } else {
            full || in_flight <= self.target_inflight(f, w, bw, UNIT)
        }
    }
}

/// A number from 0 to 6.
fn draw_below_7(bits: u64) -> u32 {
    ((u128::from(bits) * 7) >> 64) as u32
}
