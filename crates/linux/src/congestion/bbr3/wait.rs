//! Time of the next probe for bandwidth: after a random wait, or after as many round trips as Reno takes from loss to loss [rules/bbr3.md rule 19].

use super::Bbr3;
use super::parameters::{PROBE_WAIT, PROBE_WAIT_SPREAD, RENO_ROUNDS};
use crate::congestion::{TcpSock, Window};

impl Bbr3 {
    /// Draws the wait of a cycle, so that flows do not probe at once.
    pub(super) fn choose_probe_wait(&mut self) {
        self.rounds.since_probe = (self.random.next_u64() >> 63) as u32;
        let spread = (u128::from(self.random.next_u64()) * u128::from(PROBE_WAIT_SPREAD)) >> 64;
        self.cycle.wait_us = PROBE_WAIT + spread as u64;
    }

    pub(super) fn is_time_to_probe(&self, f: &TcpSock, w: &Window) -> bool {
        f.now.us > self.cycle.start_us + self.cycle.wait_us
            || self.rounds.since_probe >= self.target_inflight(w).min(RENO_ROUNDS)
    }

    /// Packets that should be in flight: the pipe's contents, unless cwnd was cut.
    pub(super) fn target_inflight(&self, w: &Window) -> u32 {
        self.bdp().min(w.cwnd)
    }
}
