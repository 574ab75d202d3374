//! Round trips, counted by packets [rules/bbr3.md rule 6].

use crate::congestion::{RateSample, TcpSock};
use crate::rate::is_after;

/// Rounds so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    pub(super) count: u32,
    /// Rounds since the last bandwidth probe began.
    pub(super) since_probe: u32,
    /// True if this ACK begins one.
    pub(super) round_start: bool,
    /// `delivered` of the packets whose delivery ends it.
    pub(super) next_delivered: u32,
}

impl Rounds {
    /// Starts a round with the next packet sent.
    pub(super) fn start_round(&mut self, f: &TcpSock) {
        self.next_delivered = f.delivered;
    }

    pub(super) fn update(&mut self, f: &TcpSock, s: &RateSample) {
        self.round_start = has_data(s) && !is_after(self.next_delivered, s.prior_delivered);
        if self.round_start {
            self.start_round(f);
            self.count = self.count.wrapping_add(1);
            self.since_probe = self.since_probe.saturating_add(1);
        }
    }
}

/// Returns whether an ACK delivered a packet whose record is known.
pub(super) fn has_data(s: &RateSample) -> bool {
    s.delivered >= 0
}
