//! Tahoe: the K-th duplicate ACK resends one segment and sets the window to one segment; then sending continues where
//! it was. Duplicate ACKs caused by the resent segment may trigger another fast retransmit.

use crate::plan::{Cwnd, SendingPlan};
use crate::reduction_cause::ReductionCause;
use crate::strategy::Strategy;
use crate::view::View;
use crate::window::Window;
use serde::Serialize;

/// No state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Tahoe;

impl Strategy for Tahoe {
    #[inline]
    fn on_new_ack(&mut self, _view: &View, _acked: u64, plan: &mut SendingPlan) {
        plan.grows_window = true;
    }

    #[inline]
    fn grows_on_new_ack(&mut self, _view: &View, _acked: u64) -> bool {
        true
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan) {
        if view.dupacks == view.dupack_threshold {
            plan.retransmit_with_one_packet(view);
            plan.cwnd = Some(Cwnd::Exactly(Window::from_packets(view.mss)));
        }
    }

    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        plan.answer_timeout(view, ReductionCause::Timeout);
    }
}
