//! Growth of `inflight_longterm` during a probe [rules/bbr3.md rule 21].

use super::parameters::INFINITY;

/// Slope at which `ProbeBW_UP` raises the bound: by 1, 2, 4 packets per round and so on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    pub(super) rounds: u32,
    pub(super) acked: u32,
    /// Packets acknowledged for one more.
    pub(super) acked_per_packet: u32,
}

impl Default for Growth {
    fn default() -> Self {
        Growth { rounds: 0, acked: 0, acked_per_packet: INFINITY }
    }
}

impl Growth {
    pub(super) fn stop(&mut self) {
        self.acked_per_packet = INFINITY;
    }

    pub(super) fn reset(&mut self) {
        (self.rounds, self.acked) = (0, 0);
    }

    pub(super) fn raise_slope(&mut self, cwnd: u32) {
        self.acked_per_packet = (cwnd >> self.rounds).max(1);
        self.rounds = (self.rounds + 1).min(30);
    }

    /// Packets by which the bound grows after `acked` more are acknowledged.
    pub(super) fn add(&mut self, acked: u32) -> u32 {
        self.acked = self.acked.saturating_add(acked);
        let packets = self.acked / self.acked_per_packet;
        self.acked %= self.acked_per_packet;
        packets
    }
}
