//! Tahoe: fast retransmit without fast recovery [Jacobson 1988; RFC 2001, sections 2 and 3]: the K-th
//! duplicate ACK sets the window to one segment and goes back.
//!
//! No RFC defines it. What was sent before a reduction brings no second one (the test of RFC 6582 3.2,
//! step 2): the duplicates of what is resent after going back would bring one after the other for
//! ever.

use super::resent::RetransmittedAtTimeout;
use crate::plan::Plan;
use crate::reduction_cause::ReductionCause;
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// End of the data sent at the last reduction, and by the timer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Tahoe {
    /// The number after the highest sent at the last reduction, if there was one.
    recover: Option<u64>,
    resent: RetransmittedAtTimeout,
}

impl Strategy for Tahoe {
    #[inline]
    fn on_new_ack(&mut self, _view: &View, _acked: u64, plan: &mut Plan) {
        plan.inflate = Some(0);
        plan.grow = true;
    }

    #[inline]
    fn grows_on_new_ack(&mut self, _view: &View, _acked: u64) -> bool {
        true
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut Plan) {
        if !view.loss {
            plan.limited_transmit(view);
        } else if self.recover.is_none_or(|recover| view.una > recover) {
            self.recover = Some(view.high);
            plan.inflate = Some(0);
            plan.collapse(view, ReductionCause::FastRetransmit);
        }
    }

    fn on_timeout(&mut self, view: &View, plan: &mut Plan) {
        self.recover = Some(view.high);
        self.resent.on_timeout(view, false, plan);
    }
    fn on_undo(&mut self, view: &View) {
        self.recover = Some(view.una);
        self.resent = RetransmittedAtTimeout::default();
    }
}
