//! Reno: fast retransmit and fast recovery until the first ACK of new data [RFC 5681 3.2].

use super::resent::RetransmittedAtTimeout;
use crate::plan::{Cwnd, SendingPlan};
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// State of fast recovery, and end of the data sent by the timer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Reno {
    recovering: bool,
    resent: RetransmittedAtTimeout,
}

impl Strategy for Reno {
    #[inline]
    fn on_new_ack(&mut self, _view: &View, _acked: u64, plan: &mut SendingPlan) {
        plan.inflation = Some(0);
        if self.recovering {
            self.recovering = false;
            plan.cwnd = Some(Cwnd::Threshold { packets_above: 0 }); // Step 6.
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
            plan.inflate_window(view); // Step 4; step 5 is sending by the window.
        } else if view.is_first_lost {
            self.recovering = true;
            plan.enter_fast_recovery(view); // Steps 2 and 3.
        } else {
            plan.limited_transmit(view); // Step 1.
        }
    }

    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        self.resent.on_timeout(view, self.recovering, plan);
        self.recovering = false;
    }
    fn on_undo(&mut self, _view: &View) {
        self.resent = RetransmittedAtTimeout::default();
    }
}
