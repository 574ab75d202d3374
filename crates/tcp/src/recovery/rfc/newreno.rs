//! NewReno: fast recovery until everything sent before the fast retransmit is acknowledged; an ACK of part of it
//! resends the next missing segment [RFC 6582 3.2]. It is the impatient variant: only the first partial ACK restarts
//! the timer. Left out: the optional heuristics of section 4.

use super::resent::RetransmittedAtTimeout;
use crate::plan::{AckTimerEffect, Cwnd, SendingPlan};
use crate::strategy::Strategy;
use crate::view::View;
use crate::window::Window;
use serde::Serialize;

/// Phase of the recovery, and the segment resent by the timer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct NewReno {
    /// The number after the highest that was sent at the last fast retransmit or timeout. The letter
    /// of steps 1 and 2 is that an ACK must lie beyond it: the very first segment, and the one just
    /// after it, are resent by the timer only.
    recover: u64,
    phase: Phase,
    retransmitted: RetransmittedAtTimeout,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
enum Phase {
    #[default]
    Open,
    /// Recovery without a partial ACK yet.
    Entered,
    /// Recovery after the first partial ACK.
    Partial,
}

impl NewReno {
    /// Step 3, full ACK, option 1: a window that one segment fits into, up to the threshold.
    fn leave(&mut self, view: &View, plan: &mut SendingPlan) {
        self.phase = Phase::Open;
        let mss = u64::from(view.mss);
        let window = Window::from_whole(view.flight_size().max(mss) + mss);
        plan.cwnd = Some(Cwnd::Exactly(window.min(view.ssthresh)));
    }

    /// Step 3, partial ACK.
    fn on_partial_ack(&mut self, view: &View, acked: u64, plan: &mut SendingPlan) {
        if self.phase == Phase::Partial {
            plan.timer_effect = AckTimerEffect::Keep;
        }
        self.phase = Phase::Partial;
        let back = if acked >= u64::from(view.mss) { view.mss } else { 0 };
        plan.cwnd = Some(Cwnd::Exactly(view.cwnd.minus(acked).plus(back)));
        plan.retransmit = Some(view.una);
    }
}

impl Strategy for NewReno {
    #[inline]
    fn on_new_ack(&mut self, view: &View, acked: u64, plan: &mut SendingPlan) {
        plan.inflation = Some(0);
        if self.phase == Phase::Open {
            plan.grows_window = true;
        } else if view.una >= self.recover {
            self.leave(view, plan);
        } else {
            self.on_partial_ack(view, acked, plan);
        }
    }

    #[inline]
    fn grows_on_new_ack(&mut self, _view: &View, _acked: u64) -> bool {
        self.phase == Phase::Open
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan) {
        if self.phase != Phase::Open {
            plan.inflate_window(view);
        } else if !view.is_first_lost {
            plan.limited_transmit(view);
        } else if view.una > self.recover {
            self.recover = view.high; // Step 2.
            self.phase = Phase::Entered;
            plan.enter_fast_recovery(view);
        }
    }

    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        self.recover = view.high; // Step 4.
        self.retransmitted.on_timeout(view, self.phase != Phase::Open, plan);
        self.phase = Phase::Open;
    }
    fn on_undo(&mut self, view: &View) {
        self.recover = view.una;
        self.retransmitted = RetransmittedAtTimeout::default();
    }
}
