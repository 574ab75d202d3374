//! Detection of full bandwidth: faster sending brings no more bandwidth [rules/bbr3.md rule 11].

use super::bandwidth::delivery_rate;
use super::parameters::{FULL_BW_GROWTH, FULL_BW_ROUNDS, PERCENT};
use crate::congestion::RateSample;

/// The search for a plateau.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullBw {
    pub(super) bw: u32,
    pub(super) count: u32,
    /// Found since the search last began, and ever.
    pub(super) reached_this_round: bool,
    pub(super) reached: bool,
}

impl FullBw {
    /// Begins a search from `bw` on.
    pub(super) fn restart(&mut self, bw: u32) {
        (self.bw, self.count, self.reached_this_round) = (bw, 0, false);
    }

    /// Takes the sample of an ACK, which may begin a round.
    pub(super) fn check(&mut self, round_start: bool, s: &RateSample) {
        if !self.reached_this_round && round_start && !s.app_limited {
            self.raise_estimate(delivery_rate(s));
        }
    }

    fn raise_estimate(&mut self, rate: u32) {
        let growth = u64::from(self.bw) * u64::from(FULL_BW_GROWTH);
        if u64::from(rate) * u64::from(PERCENT) >= growth {
            return self.restart(rate);
        }
        self.count += 1;
        self.reached_this_round = self.count >= FULL_BW_ROUNDS;
        self.reached |= self.reached_this_round;
    }
}
