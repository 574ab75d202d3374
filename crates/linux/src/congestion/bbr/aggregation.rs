//! Packets acknowledged at once beyond those expected [rules/bbr.md rule 8].

use super::parameters::{BW_SCALE, UNIT};
use crate::congestion::{TcpSock, Window};

/// Packets acknowledged after which an epoch restarts.
const EPOCH_LIMIT: u32 = 1 << 20;
/// Rounds for which one of the two maxima is filled.
const SLOT_ROUNDS: u32 = 5;
/// Longest stall that cwnd makes up for, in us.
const MAX_STALL: u64 = 100_000;

/// The current epoch, and the excess of the last five to ten rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    start_us: u64,
    pub(super) acked: u32,
    pub(super) extra: [u16; 2],
    slot: usize,
    slot_rounds: u32,
}

impl Aggregation {
    /// An epoch that starts at `us`.
    pub(super) fn from_start(us: u64) -> Self {
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

    /// A round began.
    pub(super) fn advance_round(&mut self) {
        self.slot_rounds = (self.slot_rounds + 1).min(31);
        if self.slot_rounds >= SLOT_ROUNDS {
            self.slot_rounds = 0;
            self.slot = 1 - self.slot;
            self.extra[self.slot] = 0;
        }
    }
    /// Takes an ACK with a rate sample; `bw` is the current estimate.
    pub(super) fn update(&mut self, f: &TcpSock, w: &Window, acked: u32, bw: u32) {
        let elapsed = f.delivered_us.saturating_sub(self.start_us);
        let mut expected = (u64::from(bw).wrapping_mul(elapsed) >> BW_SCALE) as u32;
        if self.acked <= expected || self.acked.saturating_add(acked) >= EPOCH_LIMIT {
            self.restart(f.delivered_us);
            expected = 0;
        }
        self.acked = self.acked.saturating_add(acked).min(EPOCH_LIMIT - 1);
        let extra = self.acked.wrapping_sub(expected).min(w.cwnd);
        let slot = &mut self.extra[self.slot];
        if extra > u32::from(*slot) {
            *slot = extra as u16;
        }
    }

    /// Packets added to cwnd for aggregation at `bw` [rules/bbr.md rule 15c].
    pub(super) fn cwnd(&self, bw: u32) -> u32 {
        let limit = (u64::from(bw) * MAX_STALL) >> BW_SCALE;
        let extra = (UNIT * self.extra()) >> 8;
        extra.min(limit as u32)
    }
}
