//! Tahoe: the third duplicate ACK counts as a loss of the window: one packet, go back.

use super::reduction::Recover;
use crate::cause::Cause;
use crate::plan::Plan;
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// Only what no second fast retransmit may answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Tahoe {
    recover: Recover,
}

impl Strategy for Tahoe {
    #[inline]
    fn on_new_ack(&mut self, _view: &View, _acked: u64, plan: &mut Plan) {
        plan.grow = true;
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut Plan) {
        if view.dupacks == view.dupack_threshold && self.recover.passed(view) {
            self.recover.mark(view);
            plan.collapse(view, Cause::FastRetransmit);
        }
    }

    /// Duplicate ACKs are not forgotten.
    fn on_timeout(&mut self, view: &View, plan: &mut Plan) {
        self.recover.mark(view);
        plan.collapse(view, Cause::Timeout);
        plan.dupacks = Some(view.dupacks);
    }
}
