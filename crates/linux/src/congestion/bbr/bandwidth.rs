//! Bandwidth and rounds [rules/bbr.md rules 7 and 17].

use super::Bbr;
use super::parameters::BW_SCALE;
use crate::congestion::{RateSample, TcpSock};
use crate::rate::is_after;

/// Rounds over which the maximum is kept.
const WINDOW: u32 = 10;

impl Bbr {
    /// Largest bandwidth of the last ten rounds.
    pub(super) fn max_bandwidth(&self) -> u32 {
        self.bw.best_value()
    }

    /// The current estimate: the maximum, or the rate that a policer seems to allow [rules/bbr.md rule 17].
    #[must_use]
    pub fn bandwidth(&self) -> u32 {
        if self.long_term.in_use { self.long_term.bw } else { self.max_bandwidth() }
    }

    /// Counts rounds and takes the sample into the maximum [rules/bbr.md rule 7].
    pub(super) fn update_bandwidth(&mut self, f: &TcpSock, s: &RateSample) {
        self.round_start = false;
        if !s.has_rate() {
            return;
        }
        if !is_after(self.next_round, s.prior_delivered) {
            self.next_round = f.delivered;
            self.rounds = self.rounds.wrapping_add(1);
            self.round_start = true;
            self.packet_conservation = false;
        }
        self.sample_long_term(f, s.losses, s.app_limited);
        let bw = ((s.delivered as u64) << BW_SCALE) / s.interval_us as u64;
        if !s.app_limited || bw >= u64::from(self.max_bandwidth()) {
            self.bw.running_max(WINDOW, self.rounds, bw as u32);
        }
    }
}
