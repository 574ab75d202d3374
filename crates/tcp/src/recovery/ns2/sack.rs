//! SACK with a pipe: recovery sends while the estimate of what is under way is below the window,
//! first what is known to be missing, then new data [Fall and Floyd 1996, section 3].

use super::reduction::Recover;
use crate::cause::Cause;
use crate::plan::{AckTiming, Choice, Plan};
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// Pipe and mode. The scoreboard is what is reported while it counts: all is forgotten at a timeout, at the
/// end of a recovery, and at every new ACK outside one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Sack {
    recover: Recover,
    recovering: bool,
    /// A timeout since the last new ACK: duplicate ACKs say nothing.
    timed_out: bool,
    pipe: i64,
    /// The lowest packet that was not resent yet.
    hole: u64,
}

impl Sack {
    /// The lowest packet to resend, if it is known to be missing.
    fn next_hole(&mut self, view: &View) -> Option<u64> {
        self.hole = view.segments.reports().hole(self.hole.max(view.una))?;
        Some(self.hole)
    }

    fn mark(&mut self, seq: u64) {
        if seq >= self.hole {
            self.hole = seq + 1;
        }
    }

    fn enter(&mut self, view: &View, plan: &mut Plan) {
        self.recover.mark(view);
        self.recovering = true;
        self.pipe = view.cwnd.floor().cast_signed() - i64::from(view.dupack_threshold);
        self.mark(view.una);
        plan.halve_and_retransmit(view);
    }

    fn leave(&mut self, plan: &mut Plan) {
        self.recovering = false;
        self.recover = Recover::default();
        self.forget(plan);
    }

    fn forget(&mut self, plan: &mut Plan) {
        plan.forget_reports = true;
        self.hole = 0;
    }

    fn on_partial_ack(&mut self, view: &View, plan: &mut Plan) {
        // The ACK itself, and the retransmission that it answers, have left the network.
        self.pipe -= 2;
        plan.timing = AckTiming::ClearBackoff;
        plan.dupacks = Some(view.dupacks);
    }

    fn on_duplicate_in_recovery(&mut self, view: &View, plan: &mut Plan) {
        self.pipe -= 1;
        if view.segments.reported() == 0 {
            plan.dupacks = Some(view.dupacks - 1);
        }
    }
}

impl Strategy for Sack {
    #[inline]
    fn on_new_ack(&mut self, view: &View, _acked: u64, plan: &mut Plan) {
        self.timed_out = false;
        if !self.recovering {
            self.forget(plan);
            plan.grow = true;
        } else if self.recover.reached(view) {
            self.leave(plan);
        } else {
            self.on_partial_ack(view, plan);
        }
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut Plan) {
        if self.recovering {
            self.on_duplicate_in_recovery(view, plan);
            return;
        }
        let counts = !self.timed_out && view.segments.reported() > 0;
        let dupacks = view.dupacks - u32::from(!counts);
        plan.dupacks = Some(dupacks);
        if dupacks > 0 {
            plan.hold();
        }
        if counts && dupacks == view.dupack_threshold && self.recover.passed(view) {
            self.enter(view, plan);
        }
    }

    fn on_timeout(&mut self, view: &View, plan: &mut Plan) {
        self.leave(plan);
        self.timed_out = true;
        self.recover.mark(view);
        plan.collapse(view, Cause::Timeout);
    }

    #[inline]
    fn choose(&mut self, view: &View) -> Choice {
        if !self.recovering {
            return Choice::Window;
        }
        if self.pipe >= view.cwnd.floor().cast_signed() {
            return Choice::Nothing;
        }
        if let Some(hole) = self.next_hole(view).filter(|h| *h < view.una + view.rwnd) {
            self.mark(hole);
            self.pipe += 1;
            Choice::Again(hole)
        } else if view.can_send_new() {
            self.pipe += 1;
            Choice::New
        } else {
            Choice::Nothing
        }
    }
}
