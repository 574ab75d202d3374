//! An interval over which the bandwidth that a policer allows is measured [rules/bbr.md rule 16].

use super::parameters::BW_SCALE;
use crate::congestion::TcpSock;

/// Loss ratio of an interval that indicates a policer, in 1/256 of the delivered packets.
const LOSS_RATIO_THRESHOLD: u64 = 50;
/// An interval so long, in ms, is dropped.
const MAX_INTERVAL_MS: u32 = u32::MAX / 1000;

/// The interval, and the bandwidth that it had.
#[derive(Clone, Debug, Default)]
pub(super) struct LongTerm {
    /// The bandwidth of the latest interval, or the one in use; 0: none.
    pub(super) bw: u32,
    pub(super) in_use: bool,
    pub(super) sampling: bool,
    pub(super) rounds: u32,
    start_ms: u32,
    delivered: u32,
    lost: u32,
}

impl LongTerm {
    /// Starts an interval.
    pub(super) fn begin_interval(&mut self, f: &TcpSock) {
        self.start_ms = (f.delivered_us / 1000) as u32;
        (self.delivered, self.lost, self.rounds) = (f.delivered, f.lost, 0);
    }

    /// Forgets all.
    pub(super) fn reset(&mut self, f: &TcpSock) {
        (self.bw, self.in_use, self.sampling) = (0, false, false);
        self.begin_interval(f);
    }

    /// The bandwidth of an interval that lost enough, once it took at least a millisecond.
    pub(super) fn measure(&mut self, f: &TcpSock) -> Option<u32> {
        let lost = u64::from(f.lost.wrapping_sub(self.lost));
        let delivered = u64::from(f.delivered.wrapping_sub(self.delivered));
        if delivered == 0 || (lost << 8) < LOSS_RATIO_THRESHOLD * delivered {
            return None;
        }
        let ms = ((f.delivered_us / 1000) as u32).wrapping_sub(self.start_ms);
        if (ms as i32) < 1 {
            return None;
        }
        if ms >= MAX_INTERVAL_MS {
            self.reset(f);
            return None;
        }
        Some(((delivered << BW_SCALE) / (u64::from(ms) * 1000)) as u32)
    }
}
