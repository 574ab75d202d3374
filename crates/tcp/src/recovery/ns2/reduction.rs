//! What the variants of ns remember of the last reduction of the window.

use crate::cause::Cause;
use crate::plan::Plan;
use crate::view::View;
use serde::Serialize;

/// The highest packet sent when the window was last reduced: losses up to there are of one event and
/// bring no second fast retransmit. It starts at 0, so a loss of packet 1 never brings one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Recover(u64);

impl Recover {
    pub(super) fn mark(&mut self, view: &View) {
        self.0 = view.high - 1;
    }

    /// Whether the cumulative ACK lies beyond it.
    pub(super) fn passed(self, view: &View) -> bool {
        view.una > self.0 + 1
    }

    /// Whether the cumulative ACK has reached it.
    pub(super) fn reached(self, view: &View) -> bool {
        view.una > self.0
    }
}

/// What the window was last changed by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) enum Action {
    #[default]
    None,
    DuplicateAcks,
    Exited,
    Timeout,
}

/// The last reduction, and why: what Reno and NewReno remember.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Reduction {
    pub(super) recover: Recover,
    pub(super) action: Action,
}

impl Reduction {
    pub(super) fn by_duplicate_acks(&mut self, view: &View, plan: &mut Plan) {
        self.recover.mark(view);
        self.action = Action::DuplicateAcks;
        plan.halve_and_retransmit(view);
    }

    pub(super) fn by_timeout(&mut self, view: &View, plan: &mut Plan) {
        self.recover.mark(view);
        self.action = Action::Timeout;
        plan.inflate = Some(0);
        plan.collapse(view, Cause::Timeout);
    }
}
