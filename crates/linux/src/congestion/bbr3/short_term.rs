//! What the last round delivered, and the bounds that a round with losses lowers to it [linux/bbr3.md rules 8 and 9].

use super::Bbr3;
use super::bandwidth::delivery_rate;
use super::parameters::{BETA, INFINITY, share};
use super::rounds::has_data;
use crate::congestion::{Facts, LostPacket, RateSample, Window};
use crate::rate::is_after;

/// The most that was delivered in the present round of losses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Latest {
    bw: u32,
    pub(super) inflight: u32,
    /// Whether this ACK ends the round, and `delivered` of the packets that end it.
    pub(super) round_start: bool,
    round_delivered: u32,
    /// Whether something was lost in it.
    pub(super) loss: bool,
    /// Ranges of numbers that were, and where the last of them ends.
    pub(super) ranges: u32,
    range_end: u64,
}

impl Latest {
    pub(super) fn update(&mut self, f: &Facts, s: &RateSample) {
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

    /// At the end of an ACK that ends the round.
    pub(super) fn advance(&mut self, s: &RateSample) {
        if self.round_start {
            (self.bw, self.inflight) = (delivery_rate(s), s.delivered as u32);
            self.ranges = 0;
        }
    }

    pub(super) fn reset(&mut self) {
        (self.loss, self.bw, self.inflight) = (false, 0, 0);
    }

    /// The first loss of a round lets it last for another round trip.
    pub(super) fn note_loss(&mut self, f: &Facts) {
        if !self.loss {
            self.round_delivered = f.delivered;
        }
        self.loss = true;
    }

    pub(super) fn note_range(&mut self, lost: &LostPacket) {
        self.ranges += u32::from(lost.seq != self.range_end);
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
}

impl Bbr3 {
    pub(super) fn update_congestion_signals(&mut self, f: &Facts, w: &Window, s: &RateSample) {
        self.update_max_bw(f, s);
        if self.latest.round_start {
            if self.latest.loss && !self.state.is_probing() {
                self.lower_bounds(w);
            }
            self.latest.loss = false;
        }
    }

    fn lower_bounds(&mut self, w: &Window) {
        let bounds = &mut self.short_term;
        if bounds.bw == INFINITY {
            bounds.bw = self.max_bw.get();
        }
        if bounds.inflight == INFINITY {
            bounds.inflight = w.cwnd;
        }
        bounds.bw = self.latest.bw.max(share(bounds.bw, BETA));
        bounds.inflight = self.latest.inflight.max(share(bounds.inflight, BETA));
    }
}
