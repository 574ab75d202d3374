//! Smoothed round trip and RTO [rules/rtt.md rules 5 to 9, 12].

use crate::clock::us_to_jiffies;

/// The estimator. `srtt8`, `mdev4`, `var4` and `max4` count in us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RttEstimator {
    /// Eight times SRTT; 0 before a sample.
    pub srtt8: u32,
    /// Four times the mean deviation.
    pub mdev4: u32,
    /// The term "4 RTTVAR" of the RTO.
    pub var4: u32,
    /// Maximum deviation in this round.
    pub max4: u32,
    /// Sequence number at which the round ends.
    pub seq: u64,
    /// RTO in jiffies, with backoff.
    pub rto: u64,
    /// Doublings of the RTO.
    pub backoff: u32,
    /// Smallest variance in us.
    pub rto_min: u32,
    /// Largest RTO in jiffies.
    pub rto_max: u64,
}

impl RttEstimator {
    /// The estimator before any sample [rules/rtt.md rules 6, 8].
    #[must_use]
    pub fn new(rto_min_us: u64, rto_max: u64) -> Self {
        let rto_min = (us_to_jiffies(rto_min_us) * crate::clock::TICK_US) as u32;
        RttEstimator {
            srtt8: 0,
            mdev4: 1_000_000,
            var4: 0,
            max4: 0,
            seq: 0,
            rto: u64::from(crate::clock::HZ),
            backoff: 0,
            rto_min,
            rto_max,
        }
    }

    /// A round trip of `m` us was measured [rules/rtt.md rules 5, 7, 4].
    #[inline]
    pub fn add_sample(&mut self, m: u64, una: u64, nxt: u64) {
        self.estimate(m as i64, una, nxt);
        self.rto = self.rto_without_backoff();
        self.backoff = 0;
    }

    /// RTO without backoff, in jiffies [rules/rtt.md rule 7].
    #[inline]
    #[must_use]
    pub fn rto_without_backoff(&self) -> u64 {
        us_to_jiffies(u64::from(self.srtt8 >> 3) + u64::from(self.var4)).min(self.rto_max)
    }

    fn estimate(&mut self, m: i64, una: u64, nxt: u64) {
        if self.srtt8 == 0 {
            self.srtt8 = (8 * m).max(1) as u32;
            self.mdev4 = (2 * m) as u32;
            self.var4 = self.mdev4.max(self.rto_min);
            self.max4 = self.var4;
            self.seq = nxt;
            return;
        }
        let error = m - i64::from(self.srtt8 >> 3);
        let srtt8 = i64::from(self.srtt8) + error;
        let mut change = error.abs() - i64::from(self.mdev4 >> 2);
        if error < 0 && change > 0 {
            change >>= 3;
        }
        self.mdev4 = (i64::from(self.mdev4) + change) as u32;
        if self.mdev4 > self.max4 {
            self.max4 = self.mdev4;
            self.var4 = self.var4.max(self.max4);
        }
        if una > self.seq {
            if self.max4 < self.var4 {
                self.var4 -= (self.var4 - self.max4) >> 2;
            }
            self.seq = nxt;
            self.max4 = self.rto_min;
        }
        self.srtt8 = srtt8.max(1) as u32;
    }

    /// No sample was to be had in the handshake [rules/rtt.md rule 9].
    pub fn set_initial_rto(&mut self) {
        self.rto = 3 * u64::from(crate::clock::HZ);
        (self.var4, self.mdev4, self.max4) = (3_000_000, 3_000_000, 3_000_000);
    }

    /// A timeout doubles the RTO [rules/timers.md rule 13].
    pub fn back_off(&mut self) {
        self.backoff += 1;
        self.rto = (2 * self.rto).min(self.rto_max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// rules/rtt.md rules 5 and 7; rules/README.md: SRTT 51.3 ms gives an RTO of 252 ms.
    #[test]
    fn the_first_sample_sets_the_rto() {
        let mut rtt = RttEstimator::new(200_000, 30_000);
        rtt.add_sample(51_300, 1, 1);
        assert_eq!((rtt.srtt8, rtt.mdev4, rtt.var4), (410_400, 102_600, 200_000));
        assert_eq!(rtt.rto * 4, 252);
    }

    #[test]
    fn the_variance_decays_by_a_quarter_per_round() {
        let mut rtt = RttEstimator::new(200_000, 30_000);
        rtt.add_sample(300_000, 1, 1);
        assert_eq!(rtt.var4, 600_000);
        rtt.add_sample(300_000, 1000, 5000); // ends the round: max4 is still that of the first sample
        assert_eq!((rtt.var4, rtt.max4), (600_000, 200_000));
        rtt.add_sample(300_000, 5001, 9000);
        // mdev4 600000 - 150000, then - 112500: above max4 at once, so the round's maximum is 450000.
        assert_eq!(rtt.mdev4, 337_500);
        assert_eq!(rtt.var4, 600_000 - (600_000 - 337_500) / 4);
    }

    #[test]
    fn a_shorter_round_trip_widens_the_deviation_by_an_eighth_only() {
        let mut rtt = RttEstimator::new(200_000, 30_000);
        rtt.add_sample(100_000, 1, 1);
        rtt.add_sample(20_000, 1, 2);
        // error -80000, deviation 50000: (80000 - 50000) / 8
        assert_eq!((rtt.mdev4, rtt.srtt8), (203_750, 720_000));
    }
}
