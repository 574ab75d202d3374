//! NewReno: as Reno, but an ACK below what was sent at the fast retransmit resends the next packet,
//! and the timer starts again each time ("slow but steady").

use super::reduction::{Action, Reduction};
use crate::plan::{AckTiming, Plan};
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// Most packets by the window per ACK during recovery.
const BURST: u32 = 2;

/// The last reduction, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct NewReno {
    last: Reduction,
}

impl Strategy for NewReno {
    #[inline]
    fn on_new_ack(&mut self, view: &View, _acked: u64, plan: &mut Plan) {
        if self.last.action == Action::DuplicateAcks && !self.last.recover.reached(view) {
            partial(view, plan);
            return;
        }
        // Without inflation the mode stays, and ends by a timeout only: the test above is all that
        // asks for it.
        if view.inflate > 0 && self.last.action == Action::DuplicateAcks {
            self.last.action = Action::Exited;
        }
        plan.inflate = Some(0);
        plan.grow = true;
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut Plan) {
        if view.dupacks < view.dupack_threshold {
            plan.hold();
            return;
        }
        plan.burst = Some(BURST);
        if view.dupacks > view.dupack_threshold {
            plan.inflate = Some(view.inflate + 1);
            return;
        }
        if self.last.recover.passed(view) {
            self.last.by_duplicate_acks(view, plan);
        }
        plan.inflate = Some(view.dupack_threshold.into());
    }

    fn on_timeout(&mut self, view: &View, plan: &mut Plan) {
        self.last.by_timeout(view, plan);
    }
}

/// Duplicate ACKs stay counted, the window stays as it is.
fn partial(view: &View, plan: &mut Plan) {
    plan.inflate = Some(0);
    plan.dupacks = Some(view.dupacks);
    plan.timing = AckTiming::Discard;
    plan.retransmit = Some(view.una);
    plan.burst = match view.dupacks {
        0 => None,
        dupacks if dupacks < view.dupack_threshold => Some(0),
        _ => Some(BURST),
    };
}
