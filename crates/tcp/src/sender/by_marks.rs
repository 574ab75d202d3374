//! Explicit congestion notification in a sender [RFC 3168]: what an echo does to the window, and what data says of marks.

use super::{Cause, CongestionControl, Instant, Loss, Sack, Sender};
use airtcp_core::Ecn;

impl Sender {
    /// Takes an ACK that echoes a mark (ECE) [RFC 3168 6.1.2].
    pub fn on_marked_ack(&mut self, now: Instant, next: u64, sack: &Sack, echo: u32) {
        if self.view.ns.ecn {
            return self.on_marked_ack_of_ns(now, next, sack, echo);
        }
        let high = self.view.high;
        let reduces = next <= high
            && !self.suspended
            && self.reaction.as_mut().is_some_and(|reaction| reaction.reduces(next, high));
        if reduces {
            let loss = Loss { cause: Cause::FastRetransmit, window: self.view.cwnd };
            self.view.ssthresh = self.control.on_loss(&self.view, &loss);
            self.view.cwnd = self.view.ssthresh;
        }
        self.is_marked = self.reaction.is_some();
        self.on_ack(now, next, sack, echo);
        self.is_marked = false;
    }

    /// What data says: only what is new takes marks, and confirms [RFC 3168 6.1.2, 6.1.5].
    #[inline]
    pub(super) fn marks_of(&mut self, again: bool) -> (Ecn, bool) {
        let reaction = self.reaction.as_mut().filter(|_| !again);
        reaction.map_or((Ecn::NotEct, false), |one| (Ecn::Ect0, one.confirm()))
    }
}
