//! Fast recovery of Reno and NewReno: one episode, from the K-th duplicate ACK to the ACK
//! that ends it or the timeout.

use crate::plan::SendingPlan;
use crate::reduction_cause::ReductionCause;
use crate::view::View;
use serde::Serialize;

/// The packet that an ACK must cover to end fast recovery; `None` outside fast recovery.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct FastRecoveryEpisode(Option<u64>);

impl FastRecoveryEpisode {
    /// The first packet that was not sent when the episode began; `None` outside an episode.
    #[inline]
    pub(crate) fn recover(&self) -> Option<u64> {
        self.0
    }

    /// Begins on the K-th duplicate ACK; each later one shows that one more packet has left the network.
    pub(crate) fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan) {
        if self.0.is_some() {
            plan.inflate(view);
        } else if view.dupacks == view.dupack_threshold {
            self.0 = Some(view.next);
            plan.fast_retransmit(view);
        }
    }

    /// Everything that was sent is acknowledged.
    pub(crate) fn end_episode(&mut self, plan: &mut SendingPlan) {
        self.0 = None;
        plan.leave();
    }

    /// The timer ends the episode too.
    pub(crate) fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        self.0 = None;
        plan.answer_timeout(view, ReductionCause::Timeout);
    }
}
