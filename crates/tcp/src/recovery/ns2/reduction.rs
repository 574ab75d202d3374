//! The last reduction of the window by a variant of ns.

use crate::ns::NsSettings;
use crate::plan::{Cwnd, SendingPlan};
use crate::reduction_cause::ReductionCause;
use crate::view::View;
use crate::window::Window;
use serde::Serialize;

/// The highest packet sent when the window was last reduced: losses up to there are of one event and
/// bring no second fast retransmit. It starts at 0, so a loss of packet 1 never brings one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct RecoverMark(u64);

impl RecoverMark {
    pub(super) fn set_to_highest_sent(&mut self, view: &View) {
        self.0 = view.high - 1;
    }

    /// Returns whether the cumulative ACK lies beyond it.
    pub(super) fn is_passed(self, view: &View) -> bool {
        view.una > self.0 + 1
    }

    /// Returns whether the cumulative ACK has reached it.
    pub(super) fn is_reached(self, view: &View) -> bool {
        view.una > self.0
    }

    /// Returns whether the cumulative ACK is exactly at the mark.
    pub(super) fn is_at_mark(self, view: &View) -> bool {
        view.una == self.0 + 1
    }
}

/// Cause of the last change of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) enum LastReductionCause {
    #[default]
    None,
    DuplicateAcks,
    Exited,
    Timeout,
    Mark,
}

/// Answer to duplicate ACKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThirdDuplicate {
    /// A reduction and a retransmission.
    Loss,
    /// A retransmission: the window was reduced already, for a mark.
    AfterMark,
    /// Nothing: the loss is of an event that was answered.
    Old,
}

/// The last reduction, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Reduction {
    pub(super) recover: RecoverMark,
    pub(super) cause: LastReductionCause,
}

impl Reduction {
    /// Response to the current duplicate ACKs.
    pub(super) fn judge_third_duplicate(&self, view: &View) -> ThirdDuplicate {
        let NsSettings { bugfix, bugfix_ss, ecn, .. } = *view.ns();
        if self.recover.is_passed(view) || !(bugfix || ecn) || bugfix_ss && view.una == 1 {
            ThirdDuplicate::Loss
        } else if ecn && self.cause == LastReductionCause::Mark {
            ThirdDuplicate::AfterMark
        } else if bugfix {
            ThirdDuplicate::Old
        } else {
            ThirdDuplicate::Loss
        }
    }

    pub(super) fn reduce_by_duplicate_acks(&mut self, view: &View, plan: &mut SendingPlan) {
        self.recover.set_to_highest_sent(view);
        self.cause = LastReductionCause::DuplicateAcks;
        plan.halve_and_retransmit(view);
    }

    /// Does what is left after a mark has brought the window down: the retransmission.
    pub(super) fn reduce_after_mark(&mut self, view: &View, plan: &mut SendingPlan) {
        self.cause = LastReductionCause::DuplicateAcks;
        plan.retransmit = Some(view.una);
        plan.fast_retransmit = true;
    }

    pub(super) fn reduce_by_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        if view.una == view.high {
            self.reduce_by_idle_timeout(view, plan);
        } else {
            self.recover.set_to_highest_sent(view);
            plan.inflation = Some(0);
            plan.answer_timeout(view, ReductionCause::Timeout);
            if self.cause == LastReductionCause::Mark {
                plan.reduce = None;
            }
        }
        self.cause = LastReductionCause::Timeout;
    }

    /// Nothing was outstanding: the threshold stays, and the timer's length.
    fn reduce_by_idle_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        let window = Window::from_packets(1);
        if view.ns().slow_start_restart {
            self.recover.set_to_highest_sent(view);
            plan.cwnd = Some(Cwnd::Exactly(window));
        } else {
            plan.cwnd = Some(Cwnd::Exactly(view.cwnd.max(window)));
        }
        plan.inflation = Some(0);
        plan.keeps_backoff = true;
    }

    /// Answers an ACK of all below `ack` that echoes a mark: halves the window once per window of data. True if it did.
    pub(super) fn reduce_by_mark(&mut self, view: &View, ack: u64, plan: &mut SendingPlan) -> bool {
        let reduces = ack > self.recover.0 + 1 || self.cause == LastReductionCause::Timeout;
        if reduces {
            self.recover.set_to_highest_sent(view);
            self.cause = LastReductionCause::Mark;
            plan.reduce = Some(ReductionCause::FastRetransmit);
            plan.cwnd = Some(Cwnd::Exactly(view.half_of_cwnd()));
        }
        reduces
    }
}
