//! The largest bandwidth of two cycles [rules/bbr3.md rules 7 and 12].

use super::parameters::BW_SCALE;
use crate::congestion::RateSample;

/// Maxima of the cycle before and of the present one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaxBw {
    cycles: [u32; 2],
}

impl MaxBw {
    #[cfg(test)]
    pub(super) fn from_bw(bw: u32) -> Self {
        MaxBw { cycles: [0, bw] }
    }

    pub(super) fn bandwidth(&self) -> u32 {
        self.cycles[0].max(self.cycles[1])
    }

    pub(super) fn add(&mut self, bw: u32) {
        self.cycles[1] = self.cycles[1].max(bw);
    }

    /// Ends a cycle. A cycle without a sample keeps the old maximum.
    pub(super) fn advance(&mut self) {
        if self.cycles[1] > 0 {
            self.cycles = [self.cycles[1], 0];
        }
    }
}

/// Rate of delivery in packets per us; 0 without one.
pub(super) fn delivery_rate(s: &RateSample) -> u32 {
    if !s.has_rate() {
        return 0;
    }
    let rate = ((s.delivered as u64) << BW_SCALE) / s.interval_us as u64;
    rate.min(u64::from(u32::MAX)) as u32
}
