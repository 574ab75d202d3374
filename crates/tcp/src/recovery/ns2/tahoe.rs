//! Tahoe: the third duplicate ACK counts as the loss of the whole window: the window becomes 1 packet, and the sender
//! resends from the first unacknowledged packet.

use super::reduction::{LastReductionCause, Reduction, ThirdDuplicate};
use crate::plan::SendingPlan;
use crate::reduction_cause::ReductionCause;
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// Recovery of Tahoe: no state but the last reduction, after which duplicate ACKs may not cause a second one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Tahoe {
    last: Reduction,
}

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
        if view.dupacks < view.dupack_threshold {
            plan.allow_one_more(view);
        }
        if view.dupacks != view.dupack_threshold {
            return;
        }
        let verdict = self.last.judge_third_duplicate(view);
        if verdict == ThirdDuplicate::Old {
            return;
        }
        plan.answer_timeout(view, ReductionCause::FastRetransmit);
        if verdict == ThirdDuplicate::AfterMark {
            plan.reduce = None;
        } else {
            self.last.recover.set_to_highest_sent(view);
        }
        self.last.cause = LastReductionCause::DuplicateAcks;
    }

    /// Duplicate ACKs are not forgotten.
    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        self.last.reduce_by_timeout(view, plan);
        plan.dupack_count = Some(view.dupacks);
    }

    fn on_mark(&mut self, view: &View, ack: u64, plan: &mut SendingPlan) -> bool {
        self.last.reduce_by_mark(view, ack, plan)
    }
}
