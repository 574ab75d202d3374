//! Deliveries of the last round, and the bounds that a round with losses lowers to them [rules/bbr3.md rules 8 and 9].

use super::bandwidth::delivery_rate;
use super::parameters::{BETA, INFINITY, share};
use super::rounds::has_data;
use crate::congestion::{LostPacket, RateSample, TcpSock};
use crate::rate::is_after;

/// The most that was delivered in the present round of losses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LatestSignals {
    bw: u32,
    pub(super) inflight: u32,
    /// True if this ACK ends the round, and `delivered` of the packets that end it.
    pub(super) round_start: bool,
    round_delivered: u32,
    /// True if a packet was lost in this round.
    pub(super) loss_in_round: bool,
    /// Lost ranges of this round, and the end of the last one.
    pub(super) loss_ranges: u32,
    range_end: u64,
}

impl LatestSignals {
    pub(super) fn update(&mut self, f: &TcpSock, s: &RateSample) {
        self.round_start = false;
        if !has_data(s) {
            return;
        }
        self.bw = self.bw.max(delivery_rate(s));
        self.inflight = self.inflight.max(s.delivered as u32);
        if !is_after(self.round_delivered, s.prior_delivered) {
            self.round_delivered = f.delivered;
            self.round_start = true;
        }
    }

    /// Restarts the maxima after an ACK that ends the round.
    pub(super) fn advance(&mut self, s: &RateSample) {
        if self.round_start {
            (self.bw, self.inflight) = (delivery_rate(s), s.delivered as u32);
            self.loss_ranges = 0;
        }
    }

    pub(super) fn reset(&mut self) {
        (self.loss_in_round, self.bw, self.inflight) = (false, 0, 0);
    }

    /// The first loss of a round lets it last for another round trip.
    pub(super) fn record_loss(&mut self, f: &TcpSock) {
        if !self.loss_in_round {
            self.round_delivered = f.delivered;
        }
        self.loss_in_round = true;
    }

    pub(super) fn record_loss_range(&mut self, lost: &LostPacket) {
        self.loss_ranges += u32::from(lost.seq != self.range_end);
        self.range_end = lost.end;
    }
}

/// Bounds that last until the next probe for bandwidth.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortTerm {
    pub(super) bw: u32,
    pub(super) inflight: u32,
}

impl ShortTerm {
    pub(super) const NONE: ShortTerm = ShortTerm { bw: INFINITY, inflight: INFINITY };

    /// Lowers them to the round of `latest`, from `max_bw` and `cwnd` where there were none.
    pub(super) fn reduce(&mut self, latest: &LatestSignals, max_bw: u32, cwnd: u32) {
        if self.bw == INFINITY {
            self.bw = max_bw;
        }
        if self.inflight == INFINITY {
            self.inflight = cwnd;
        }
        self.bw = latest.bw.max(share(self.bw, BETA));
        self.inflight = latest.inflight.max(share(self.inflight, BETA));
    }
}
