//! Reno: fast retransmit and fast recovery until the first ACK of new data, which removes the inflation of the window
//! [RFC 2581 3.2]. As in BSD, that ACK then also opens the window as any other would: by a segment, at the threshold.

use crate::plan::{Cwnd, SendingPlan};
use crate::reduction_cause::ReductionCause;
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// State of fast recovery.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Reno {
    recovering: bool,
}

impl Strategy for Reno {
    #[inline]
    fn on_new_ack(&mut self, _view: &View, _acked: u64, plan: &mut SendingPlan) {
        if self.recovering {
            self.recovering = false;
            plan.cwnd = Some(Cwnd::Threshold { packets_above: 1 });
        } else {
            plan.grows_window = true;
        }
    }

    #[inline]
    fn grows_on_new_ack(&mut self, _view: &View, _acked: u64) -> bool {
        !self.recovering
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan) {
        if self.recovering {
            plan.cwnd = Some(Cwnd::Exactly(view.cwnd.plus(view.mss)));
        } else if view.dupacks == view.dupack_threshold {
            self.recovering = true;
            plan.retransmit_with_one_packet(view);
            plan.cwnd = Some(Cwnd::Threshold { packets_above: view.dupack_threshold });
        }
    }

    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        self.recovering = false;
        plan.answer_timeout(view, ReductionCause::Timeout);
    }
}
