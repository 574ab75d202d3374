//! Tahoe: the K-th duplicate ACK counts as a timeout: window 1, go back to the first
//! unacknowledged packet [zorzi, section II].

use crate::plan::SendingPlan;
use crate::reduction_cause::ReductionCause;
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// No state: a fast retransmit starts afresh.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Tahoe;

impl Strategy for Tahoe {
    #[inline]
    fn on_new_ack(&mut self, _view: &View, _acked: u64, plan: &mut SendingPlan) {
        plan.grows_window = true;
    }

    #[inline]
    fn grows_on_new_ack(&mut self, _view: &View, _acked: u64) -> bool {
        true
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan) {
        if view.dupacks == view.dupack_threshold {
            plan.answer_timeout(view, ReductionCause::FastRetransmit);
        }
    }

    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        plan.answer_timeout(view, ReductionCause::Timeout);
    }
}
