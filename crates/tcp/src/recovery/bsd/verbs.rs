//! Verbs of the variants of BSD.

use crate::plan::SendingPlan;
use crate::reduction_cause::ReductionCause;
use crate::view::View;

impl SendingPlan {
    /// The first unacknowledged segment again, and a lower threshold.
    pub(super) fn retransmit_with_one_packet(&mut self, view: &View) {
        self.reduce = Some(ReductionCause::FastRetransmit);
        self.retransmit = Some(view.una);
        self.fast_retransmit = true;
    }
}
