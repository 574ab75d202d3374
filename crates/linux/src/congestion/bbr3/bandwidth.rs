//! The largest bandwidth of two cycles [linux/bbr3.md rules 7 and 12].

use super::Bbr3;
use super::parameters::BW_SCALE;
use crate::congestion::{Facts, RateSample};

/// Maxima of the cycle before and of the present one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaxBw {
    cycles: [u32; 2],
}

impl MaxBw {
    #[cfg(test)]
    pub(super) fn of(bw: u32) -> Self {
        MaxBw { cycles: [0, bw] }
    }

    pub(super) fn get(&self) -> u32 {
        self.cycles[0].max(self.cycles[1])
    }

    fn add(&mut self, bw: u32) {
        self.cycles[1] = self.cycles[1].max(bw);
    }

    /// A cycle ends. One without a sample leaves what is known.
    pub(super) fn advance(&mut self) {
        if self.cycles[1] > 0 {
            self.cycles = [self.cycles[1], 0];
        }
    }
}

/// Rate of delivery in packets per us; 0 without one.
pub(super) fn delivery_rate(s: &RateSample) -> u32 {
    if s.delivered < 0 || s.interval_us <= 0 {
        return 0;
    }
    let rate = ((s.delivered as u64) << BW_SCALE) / s.interval_us as u64;
    rate.min(u64::from(u32::MAX)) as u32
}

impl Bbr3 {
    pub(super) fn update_max_bw(&mut self, f: &Facts, s: &RateSample) {
        self.rounds.update(f, s);
        let rate = delivery_rate(s);
        if rate > 0 && (rate >= self.max_bw.get() || !s.app_limited) {
            self.max_bw.add(rate);
        }
    }

    /// The estimate in use: the maximum, or less after losses.
    pub(super) fn bound_bw(&mut self) {
        self.bw = self.max_bw.get().min(self.short_term.bw);
    }
}
