//! The bandwidth that a policer allows in the long term: two intervals with many losses and about the
//! same rate [linux/bbr.md rule 16].

use super::pacing::bytes_per_second;
use super::{BW_SCALE, Bbr, Mode, UNIT};
use crate::congestion::Facts;

/// Rounds of an interval, at least; four times that at most.
const ROUNDS: u32 = 4;
/// Losses of an interval, in 1/256 of what was delivered.
const LOSS: u64 = 50;
/// How much two rates may differ: 1/8, or 500 bytes/s.
const RATIO: u64 = 32;
const DIFFERENCE: u64 = 500;
/// Rounds for which the bandwidth is used.
const USE_ROUNDS: u32 = 48;
/// An interval so long, in ms, is dropped.
const TOO_LONG: u32 = u32::MAX / 1000;

/// Its interval and its result.
#[derive(Clone, Debug, Default)]
pub(super) struct LongTerm {
    /// The bandwidth of the latest interval, or the one in use; 0: none.
    pub(super) bw: u32,
    pub(super) in_use: bool,
    pub(super) sampling: bool,
    rounds: u32,
    start_ms: u32,
    delivered: u32,
    lost: u32,
}

impl LongTerm {
    /// Starts an interval.
    pub(super) fn begin_interval(&mut self, f: &Facts) {
        self.start_ms = (f.delivered_us / 1000) as u32;
        (self.delivered, self.lost, self.rounds) = (f.delivered, f.lost, 0);
    }

    /// Forgets all.
    pub(super) fn reset(&mut self, f: &Facts) {
        (self.bw, self.in_use, self.sampling) = (0, false, false);
        self.begin_interval(f);
    }

    /// The bandwidth of an interval that lost enough, once it took at least a millisecond.
    fn measure(&mut self, f: &Facts) -> Option<u32> {
        let lost = u64::from(f.lost.wrapping_sub(self.lost));
        let delivered = u64::from(f.delivered.wrapping_sub(self.delivered));
        if delivered == 0 || (lost << 8) < LOSS * delivered {
            return None;
        }
        let ms = ((f.delivered_us / 1000) as u32).wrapping_sub(self.start_ms);
        if (ms as i32) < 1 {
            return None;
        }
        if ms >= TOO_LONG {
            self.reset(f);
            return None;
        }
        Some(((delivered << BW_SCALE) / (u64::from(ms) * 1000)) as u32)
    }
}

impl Bbr {
    /// Takes a sample with `losses` packets newly lost.
    pub(super) fn sample_long_term(&mut self, f: &Facts, losses: u32, app_limited: bool) {
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
        if self.long_term.rounds < ROUNDS {
            return;
        }
        if self.long_term.rounds > 4 * ROUNDS {
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
    fn use_long_term(&mut self, f: &Facts) {
        if self.mode == Mode::ProbeBw && self.round_start {
            self.long_term.rounds += 1;
            if self.long_term.rounds >= USE_ROUNDS {
                self.long_term.reset(f);
                self.enter_probe_bw(f);
            }
        }
    }

    pub(super) fn end_interval(&mut self, f: &Facts, bw: u32) {
        let term = &mut self.long_term;
        let difference = bw.abs_diff(term.bw);
        let alike = u64::from(difference) << 8 <= RATIO * u64::from(term.bw)
            || bytes_per_second(difference, f.mss, UNIT) <= DIFFERENCE;
        if term.bw != 0 && alike {
            term.bw = bw.midpoint(term.bw);
            (term.in_use, term.rounds) = (true, 0);
            self.pacing_gain = UNIT;
        } else {
            term.bw = bw;
            term.begin_interval(f);
        }
    }
}
