//! The segment that the timer resent last.

use crate::plan::SendingPlan;
use crate::reduction_cause::ReductionCause;
use crate::view::View;
use serde::Serialize;

/// The segment that the timer resent last.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct RetransmittedAtTimeout(Option<u64>);

impl RetransmittedAtTimeout {
    /// Loss window and go back, from a window that fast recovery has `inflated` or not; the
    /// threshold is held where the timer already resent this segment [RFC 5681 3.1].
    pub(super) fn on_timeout(&mut self, view: &View, inflated: bool, plan: &mut SendingPlan) {
        plan.answer_timeout(view, ReductionCause::Timeout);
        plan.keeps_inflation = inflated;
        if self.0 == Some(view.una) {
            plan.reduce = None;
        }
        self.0 = Some(view.una);
    }
}
