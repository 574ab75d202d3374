//! Reno: the third duplicate ACK halves the window and resends one packet; each further one lets a
//! packet out. The first ACK of new data ends that.

use super::reduction::{Action, Reduction};
use crate::plan::Plan;
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// The last reduction, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Reno {
    last: Reduction,
}

impl Strategy for Reno {
    #[inline]
    fn on_new_ack(&mut self, _view: &View, _acked: u64, plan: &mut Plan) {
        if self.last.action == Action::DuplicateAcks {
            self.last.action = Action::Exited;
        }
        plan.inflate = Some(0);
        plan.grow = true;
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut Plan) {
        if view.dupacks < view.dupack_threshold {
            plan.hold();
        } else if view.dupacks > view.dupack_threshold {
            plan.inflate = Some(view.inflate + 1);
        } else {
            if self.last.recover.passed(view) || self.last.action == Action::DuplicateAcks {
                self.last.by_duplicate_acks(view, plan);
            }
            // Also where nothing is resent: the window opens.
            plan.inflate = Some(view.dupack_threshold.into());
        }
    }

    fn on_timeout(&mut self, view: &View, plan: &mut Plan) {
        self.last.by_timeout(view, plan);
    }
}
