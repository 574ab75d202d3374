//! NewReno: as Reno, but a partial ACK, below the last packet sent before the fast retransmit, resends the next packet
//! and restarts the timer each time ("slow but steady").

use super::reduction::{LastReductionCause, Reduction, ThirdDuplicate};
use crate::plan::{AckTimerEffect, Cwnd, SendingPlan};
use crate::strategy::Strategy;
use crate::view::View;
use crate::window::Window;
use serde::Serialize;

/// Most packets by the window per ACK during recovery.
const BURST: u32 = 2;

/// The last reduction, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct NewReno {
    last_reduction: Reduction,
    /// True if a partial ACK arrived in this recovery.
    has_partial_ack: bool,
    /// Packets that the last ACK outside of a recovery covered.
    acked_at_partial: u64,
}

impl NewReno {
    fn judge_third_duplicate(&self, view: &View) -> ThirdDuplicate {
        let ns = view.ns();
        let few = self.acked_at_partial <= view.dupack_threshold.into() && view.cwnd > Window::ONE;
        match self.last_reduction.judge_third_duplicate(view) {
            ThirdDuplicate::Old
                if ns.less_careful && self.last_reduction.recover.is_at_mark(view) =>
            {
                ThirdDuplicate::Loss
            }
            ThirdDuplicate::Old if ns.bugfix_ack && few => ThirdDuplicate::Loss,
            verdict => verdict,
        }
    }

    fn on_third_duplicate(&mut self, view: &View, plan: &mut SendingPlan) {
        let verdict = self.judge_third_duplicate(view);
        match verdict {
            ThirdDuplicate::Loss => self.last_reduction.reduce_by_duplicate_acks(view, plan),
            ThirdDuplicate::AfterMark => self.last_reduction.reduce_after_mark(view, plan),
            ThirdDuplicate::Old => {}
        }
        if verdict != ThirdDuplicate::Old || !view.ns().exit_fast_retrans {
            plan.inflation = Some(view.dupack_threshold.into());
        }
    }

    /// Duplicate ACKs stay counted.
    fn on_partial_ack(&mut self, view: &View, acked: u64, plan: &mut SendingPlan) {
        plan.inflation = Some(0);
        if view.ns().partial_window_deflation {
            deflate(view, acked, plan);
        }
        plan.dupack_count = Some(view.dupacks);
        let is_retransmission = self.has_partial_ack && view.ns().newreno_changes1;
        plan.timer_effect =
            if is_retransmission { AckTimerEffect::DiscardAlone } else { AckTimerEffect::Discard };
        self.has_partial_ack = true;
        plan.retransmit = Some(view.una);
        plan.burst_limit = match view.dupacks {
            0 => None,
            dupacks if dupacks < view.dupack_threshold => Some(0),
            _ => Some(BURST),
        };
    }
}

/// Deflates the window by the data that a partial ACK covers, less the packet that leaves again [RFC 2582, section 3,
/// step 5].
fn deflate(view: &View, acked: u64, plan: &mut SendingPlan) {
    if view.inflation_amount > acked {
        plan.inflation = Some(view.inflation_amount - (acked - 1));
    } else {
        plan.inflation = Some(1);
        plan.cwnd = Some(Cwnd::Exactly(view.cwnd.minus(acked - view.inflation_amount)));
    }
}

impl Strategy for NewReno {
    #[inline]
    fn on_new_ack(&mut self, view: &View, acked: u64, plan: &mut SendingPlan) {
        if !self.grows_on_new_ack(view, acked) {
            self.on_partial_ack(view, acked, plan);
            return;
        }
        // Without inflation the mode stays, and ends by a timeout only: the test above is all that
        // asks for it.
        if view.inflation_amount > 0 {
            if self.last_reduction.cause == LastReductionCause::DuplicateAcks {
                self.last_reduction.cause = LastReductionCause::Exited;
            }
            if view.ns().exit_recovery_fix {
                let outstanding = Window::from_whole(view.high - view.una + 1);
                plan.window_before = Some(view.ssthresh.min(outstanding));
            }
        }
        plan.inflation = Some(0);
        plan.grows_window = true;
    }

    #[inline(always)]
    fn grows_on_new_ack(&mut self, view: &View, acked: u64) -> bool {
        let repairs = self.last_reduction.cause == LastReductionCause::DuplicateAcks
            && !self.last_reduction.recover.is_reached(view);
        if !repairs {
            (self.has_partial_ack, self.acked_at_partial) = (false, acked);
        }
        !repairs
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan) {
        if view.dupacks < view.dupack_threshold {
            plan.allow_one_more(view);
            plan.send_nothing();
            return;
        }
        plan.burst_limit = Some(BURST);
        if view.dupacks == view.dupack_threshold {
            self.on_third_duplicate(view, plan);
        } else if !view.ns().exit_fast_retrans
            || self.last_reduction.cause == LastReductionCause::DuplicateAcks
        {
            plan.inflation = Some(view.inflation_amount + 1);
        }
    }

    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        self.last_reduction.reduce_by_timeout(view, plan);
    }

    fn on_mark(&mut self, view: &View, ack: u64, plan: &mut SendingPlan) -> bool {
        self.last_reduction.reduce_by_mark(view, ack, plan)
    }
}
