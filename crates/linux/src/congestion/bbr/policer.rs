//! The bandwidth that a policer allows in the long term: two intervals with many losses and about the
//! same rate [rules/bbr.md rule 16].

use super::pacing::bytes_per_second;
use super::parameters::UNIT;
use super::{Bbr, Mode};
use crate::congestion::TcpSock;

/// Rounds of an interval, at least; four times that at most.
const MIN_INTERVAL_ROUNDS: u32 = 4;
/// Difference of two rates that count as equal: 1/8, or 500 bytes/s.
const BW_RATIO_DIVISOR: u64 = 32;
const BW_DIFFERENCE: u64 = 500;
/// Rounds for which the bandwidth is used.
const USE_ROUNDS: u32 = 48;

impl Bbr {
    /// Takes a sample with `losses` packets newly lost.
    pub(super) fn sample_long_term(&mut self, f: &TcpSock, losses: u32, app_limited: bool) {
        if self.long_term.in_use {
            self.use_long_term(f);
            return;
        }
        if !self.long_term.sampling {
            if losses == 0 {
                return;
            }
            self.long_term.begin_interval(f);
            self.long_term.sampling = true;
        }
        if app_limited {
            self.long_term.reset(f);
            return;
        }
        self.long_term.rounds += u32::from(self.round_start);
        if self.long_term.rounds < MIN_INTERVAL_ROUNDS {
            return;
        }
        if self.long_term.rounds > 4 * MIN_INTERVAL_ROUNDS {
            self.long_term.reset(f);
            return;
        }
        if losses > 0
            && let Some(bw) = self.long_term.measure(f)
        {
            self.end_interval(f, bw);
        }
    }

    /// After 48 rounds BBR probes again.
    fn use_long_term(&mut self, f: &TcpSock) {
        if self.mode == Mode::ProbeBw && self.round_start {
            self.long_term.rounds += 1;
            if self.long_term.rounds >= USE_ROUNDS {
                self.long_term.reset(f);
                self.enter_probe_bw(f);
            }
        }
    }

    pub(super) fn end_interval(&mut self, f: &TcpSock, bw: u32) {
        let term = &mut self.long_term;
        let difference = bw.abs_diff(term.bw);
        let is_close = u64::from(difference) << 8 <= BW_RATIO_DIVISOR * u64::from(term.bw)
            || bytes_per_second(difference, f.mss, UNIT) <= BW_DIFFERENCE;
        if term.bw != 0 && is_close {
            term.bw = bw.midpoint(term.bw);
            (term.in_use, term.rounds) = (true, 0);
            self.pacing_gain = UNIT;
        } else {
            term.bw = bw;
            term.begin_interval(f);
        }
    }
}
