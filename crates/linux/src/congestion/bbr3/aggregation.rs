//! Packets acknowledged at once beyond those expected [rules/bbr3.md rule 10].

use super::parameters::BW_SCALE;
use crate::minmax::MinMax;

/// The current interval, and the largest excess of the last rounds in packets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aggregation {
    start_us: u64,
    delivered: u32,
    excess: MinMax,
}

impl Aggregation {
    /// An interval that starts at `us`.
    pub(super) fn from_start(us: u64) -> Self {
        Aggregation { start_us: us, delivered: 0, excess: MinMax::new(0, 0) }
    }

    /// Starts an interval; the maximum stays.
    pub(super) fn restart(&mut self, us: u64) {
        (self.start_us, self.delivered) = (us, 0);
    }

    pub(super) fn extra_acked(&self) -> u32 {
        self.excess.best_value()
    }

    /// Packets beyond those that `bw` would have delivered, with `acked` new ones.
    pub(super) fn add(&mut self, us: u64, bw: u32, acked: u32) -> u32 {
        let interval = us.saturating_sub(self.start_us);
        let mut expected = u64::from(bw).saturating_mul(interval) >> BW_SCALE;
        if u64::from(self.delivered) <= expected {
            self.restart(us);
            expected = 0;
        }
        self.delivered = self.delivered.saturating_add(acked);
        u64::from(self.delivered).saturating_sub(expected) as u32
    }
    /// Takes the excess of an ACK into the maximum of the last `rounds` rounds, in the round of number `round`.
    pub(super) fn update(&mut self, excess: u32, rounds: u32, round: u32) {
        self.excess.running_max(rounds, round, excess);
    }
}
