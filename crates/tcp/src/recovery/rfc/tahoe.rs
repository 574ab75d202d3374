//! Tahoe: fast retransmit without fast recovery [Jacobson 1988; RFC 2001, sections 2 and 3]: the K-th
//! duplicate ACK sets the window to one segment and goes back.

use super::{Cause, Limited, Plan, Resent, View};
use crate::recovery::Strategy;
use serde::Serialize;

/// What was sent beyond the window, and by the timer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tahoe {
    limited: Limited,
    resent: Resent,
}

impl Strategy for Tahoe {
    #[inline]
    fn on_new_ack(&mut self, _view: &View, _acked: u64, plan: &mut Plan) {
        plan.inflate = Some(0);
        plan.grow = true;
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut Plan) {
        if view.dupacks == 1 {
            self.limited.begin(view);
        }
        if view.dupacks < view.dupack_threshold {
            Limited::on_duplicate_ack(view, plan);
        } else if view.dupacks == view.dupack_threshold {
            plan.inflate = Some(0);
            plan.limited = self.limited.sent(view);
            plan.collapse(view, Cause::FastRetransmit);
        }
    }

    fn on_timeout(&mut self, view: &View, plan: &mut Plan) {
        self.resent.on_timeout(view, plan);
    }
}
