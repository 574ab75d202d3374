//! Tahoe: fast retransmit without fast recovery [Jacobson 1988; RFC 2001, sections 2 and 3]: at the K-th duplicate ACK
//! the window becomes one segment, and the sender resends from the first unacknowledged one.
//!
//! No RFC defines Tahoe. Losses among the data sent before a reduction cause no second reduction (the test of RFC 6582
//! 3.2, step 2); otherwise the duplicate ACKs caused by the resent data would trigger reductions without end.

use super::resent::RetransmittedAtTimeout;
use crate::plan::SendingPlan;
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
    fn on_new_ack(&mut self, _view: &View, _acked: u64, plan: &mut SendingPlan) {
        plan.inflation = Some(0);
        plan.grows_window = true;
    }

    #[inline]
    fn grows_on_new_ack(&mut self, _view: &View, _acked: u64) -> bool {
        true
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan) {
        if !view.is_first_lost {
            plan.limited_transmit(view);
        } else if self.recover.is_none_or(|recover| view.una > recover) {
            self.recover = Some(view.high);
            plan.inflation = Some(0);
            plan.answer_timeout(view, ReductionCause::FastRetransmit);
        }
    }

    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        self.recover = Some(view.high);
        self.resent.on_timeout(view, false, plan);
    }
    fn on_undo(&mut self, view: &View) {
        self.recover = Some(view.una);
        self.resent = RetransmittedAtTimeout::default();
    }
}
