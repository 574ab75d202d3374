//! How much more than expected comes acknowledged at once [linux/bbr.md rule 8].

use super::bandwidth::is_valid;
use super::{BW_SCALE, Bbr, UNIT};
use crate::congestion::{Facts, RateSample, Window};

/// An epoch that acknowledged so much starts anew.
const EPOCH_LIMIT: u32 = 1 << 20;
/// Rounds for which one of the two maxima is filled.
const SLOT_ROUNDS: u32 = 5;
/// Longest stall that cwnd makes up for, in us.
const MAX_STALL: u64 = 100_000;

/// The epoch under way and the excess of the last five to ten rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    start_us: u64,
    pub(super) acked: u32,
    pub(super) extra: [u16; 2],
    slot: usize,
    age: u32,
}

impl Aggregation {
    /// An epoch that starts at `us`.
    pub(super) fn starting(us: u64) -> Self {
        Aggregation { start_us: us, ..Aggregation::default() }
    }

    /// Starts an epoch; the maxima stay.
    pub(super) fn restart(&mut self, us: u64) {
        (self.start_us, self.acked) = (us, 0);
    }

    /// The largest excess, in packets.
    pub(super) fn extra(&self) -> u32 {
        u32::from(self.extra[0].max(self.extra[1]))
    }

    fn age(&mut self) {
        self.age = (self.age + 1).min(31);
        if self.age >= SLOT_ROUNDS {
            self.age = 0;
            self.slot = 1 - self.slot;
            self.extra[self.slot] = 0;
        }
    }
}

impl Bbr {
    pub(super) fn update_aggregation(&mut self, f: &Facts, w: &Window, s: &RateSample) {
        if s.acked_sacked == 0 || !is_valid(s) {
            return;
        }
        let bw = u64::from(self.bandwidth());
        let epoch = &mut self.aggregation;
        if self.round_start {
            epoch.age();
        }
        let elapsed = f.delivered_us.saturating_sub(epoch.start_us);
        let mut expected = (bw.wrapping_mul(elapsed) >> BW_SCALE) as u32;
        if epoch.acked <= expected || epoch.acked.saturating_add(s.acked_sacked) >= EPOCH_LIMIT {
            epoch.restart(f.delivered_us);
            expected = 0;
        }
        epoch.acked = epoch.acked.saturating_add(s.acked_sacked).min(EPOCH_LIMIT - 1);
        let extra = epoch.acked.wrapping_sub(expected).min(w.cwnd);
        let slot = &mut epoch.extra[epoch.slot];
        if extra > u32::from(*slot) {
            *slot = extra as u16;
        }
    }

    /// Packets that cwnd gets for it, once the pipe is full [linux/bbr.md rule 15c].
    pub(super) fn aggregation_cwnd(&self) -> u32 {
        if !self.full_pipe {
            return 0;
        }
        let limit = (u64::from(self.bandwidth()) * MAX_STALL) >> BW_SCALE;
        let extra = (UNIT * self.aggregation.extra()) >> 8;
        extra.min(limit as u32)
    }
}
