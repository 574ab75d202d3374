//! Explicit congestion notification in a sender [RFC 3168]: what an echo does to the window, and what data says of marks.

use super::{Cause, CongestionControl, Instant, Loss, Sack, Sender};
use crate::congestion::Echo;
use airtcp_core::Ecn;

impl Sender {
    /// Takes an ACK that echoes a mark (ECE) [RFC 3168 6.1.2].
    pub fn on_marked_ack(&mut self, now: Instant, next: u64, sack: &Sack, echo: u32) {
        if self.view.ns.ecn {
            return self.on_marked_ack_of_ns(now, next, sack, echo);
        }
        if self.counts_marks {
            self.count_marks(now, next, true);
        }
        self.reduce_for_mark(next);
        self.is_marked = self.reaction.is_some();
        self.on_ack_alone(now, next, sack, echo);
        self.is_marked = false;
    }

    /// Once per window of data.
    fn reduce_for_mark(&mut self, next: u64) {
        let high = self.view.high;
        let reduces = next <= high
            && !self.suspended
            && self.reaction.as_mut().is_some_and(|reaction| reaction.reduces(next, high));
        if !reduces {
            return;
        }
        self.view.ssthresh = if self.counts_marks {
            self.control.on_mark(&self.view)
        } else {
            let loss = Loss { cause: Cause::FastRetransmit, window: self.view.cwnd };
            self.control.on_loss(&self.view, &loss)
        };
        self.view.cwnd = self.view.ssthresh;
    }

    /// An ACK of all below `next`, of a receiver that echoes every mark once [RFC 8257 3.3].
    pub(super) fn count_marks(&mut self, now: Instant, next: u64, marked: bool) {
        if next > self.view.high {
            return;
        }
        self.view.now = now;
        let (acked, srtt) = (next.saturating_sub(self.view.una), self.timers.srtt());
        self.control.on_echo(&self.view, &Echo { next, acked, marked, srtt });
    }

    /// What data says: only what is new confirms, and takes marks [RFC 3168 6.1.2, 6.1.5] where those are not counted.
    #[inline]
    pub(super) fn marks_of(&mut self, again: bool) -> (Ecn, bool) {
        match &mut self.reaction {
            None => (Ecn::NotEct, false),
            Some(_) if again && !self.counts_marks => (Ecn::NotEct, false),
            Some(_) if again => (self.ect, false),
            Some(reaction) => (self.ect, reaction.confirm()),
        }
    }
}
