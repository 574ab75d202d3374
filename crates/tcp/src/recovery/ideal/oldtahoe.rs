//! OldTahoe: losses are detected and repaired by timeout only [zorzi, section II].

use crate::plan::SendingPlan;
use crate::reduction_cause::ReductionCause;
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// No state: the window carries all there is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct OldTahoe;

impl Strategy for OldTahoe {
    #[inline]
    fn on_new_ack(&mut self, _view: &View, _acked: u64, plan: &mut SendingPlan) {
        plan.grows_window = true;
    }

    #[inline]
    fn grows_on_new_ack(&mut self, _view: &View, _acked: u64) -> bool {
        true
    }

    fn on_duplicate_ack(&mut self, _view: &View, _plan: &mut SendingPlan) {}

    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        plan.answer_timeout(view, ReductionCause::Timeout);
    }
}
