//! Reno: the third duplicate ACK halves the window and resends one packet; each further duplicate ACK releases a
//! packet. The first ACK of new data ends the recovery.

use super::reduction::{LastReductionCause, Reduction, ThirdDuplicate};
use crate::plan::SendingPlan;
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// The last reduction, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Reno {
    last: Reduction,
}

impl Reno {
    fn on_third_duplicate(&mut self, view: &View, plan: &mut SendingPlan) {
        let verdict = match self.last.cause {
            LastReductionCause::DuplicateAcks => ThirdDuplicate::Loss,
            _ => self.last.judge_third_duplicate(view),
        };
        match verdict {
            ThirdDuplicate::Loss => self.last.reduce_by_duplicate_acks(view, plan),
            ThirdDuplicate::AfterMark => self.last.reduce_after_mark(view, plan),
            ThirdDuplicate::Old => {}
        }
        // In the ns of 1998 also where nothing is resent: the window opens.
        if verdict != ThirdDuplicate::Old || !view.ns().exit_fast_retrans {
            plan.inflation = Some(view.dupack_threshold.into());
        }
    }
}

impl Strategy for Reno {
    #[inline]
    fn on_new_ack(&mut self, view: &View, acked: u64, plan: &mut SendingPlan) {
        plan.inflation = Some(0);
        plan.grows_window = self.grows_on_new_ack(view, acked);
    }

    #[inline(always)]
    fn grows_on_new_ack(&mut self, _view: &View, _acked: u64) -> bool {
        if self.last.cause == LastReductionCause::DuplicateAcks {
            self.last.cause = LastReductionCause::Exited;
        }
        true
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan) {
        if view.dupacks < view.dupack_threshold {
            plan.allow_one_more(view);
            plan.send_nothing();
        } else if view.dupacks == view.dupack_threshold {
            self.on_third_duplicate(view, plan);
        } else if !view.ns().exit_fast_retrans
            || self.last.cause == LastReductionCause::DuplicateAcks
        {
            plan.inflation = Some(view.inflation_amount + 1);
        }
    }

    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        self.last.reduce_by_timeout(view, plan);
    }

    fn on_mark(&mut self, view: &View, ack: u64, plan: &mut SendingPlan) -> bool {
        self.last.reduce_by_mark(view, ack, plan)
    }
}
