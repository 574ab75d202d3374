//! SACK with a pipe: during recovery the sender transmits while its estimate of the packets in flight is below the
//! window, first packets known to be missing, then new data [Fall and Floyd 1996, section 3].

use super::reduction::{RecoverMark, Reduction, ThirdDuplicate};
use crate::plan::{AckTimerEffect, NextPacket, SendingPlan};
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// Packets that a partial ACK sends regardless of the pipe, if that setting of ns is on: no fewer than slow start
/// would.
const PACKETS_PER_PARTIAL_ACK: u32 = 2;

/// Pipe and mode. The scoreboard is cleared at a timeout, at the end of a recovery, and at every new ACK outside
/// recovery.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Sack {
    last: Reduction,
    recovering: bool,
    /// True if a timeout occurred since the last new ACK; duplicate ACKs are ignored then.
    timed_out: bool,
    pipe: i64,
    /// The lowest packet that was not resent yet.
    hole: u64,
    /// True if a partial ACK arrived in this recovery; then packets it may still send regardless of the pipe, and where
    /// they start.
    has_partial_ack: bool,
    owed_packets: u32,
    resent_after: u64,
}

impl Sack {
    /// The lowest packet to resend, if it is known to be missing.
    fn next_hole(&mut self, view: &View) -> Option<u64> {
        self.hole = view.segments.sacked_ranges().first_hole(self.hole.max(view.una))?;
        Some(self.hole)
    }

    fn mark_resent(&mut self, seq: u64) {
        if seq >= self.hole {
            self.hole = seq + 1;
        }
    }

    /// Enters recovery after the current duplicate ACKs, unless they concern an earlier loss.
    fn enter(&mut self, view: &View, plan: &mut SendingPlan) {
        let outstanding = (view.high - view.una).cast_signed();
        let by_window = view.cwnd.floor().cast_signed();
        let begin = match self.last.judge_third_duplicate(view) {
            ThirdDuplicate::Old => return,
            ThirdDuplicate::Loss => {
                self.last.reduce_by_duplicate_acks(view, plan);
                if view.ns().old_code { by_window } else { outstanding }
            }
            ThirdDuplicate::AfterMark => {
                self.last.reduce_after_mark(view, plan);
                outstanding
            }
        };
        self.recovering = true;
        self.pipe = begin - i64::from(threshold(view));
        self.mark_resent(view.una);
    }

    fn leave(&mut self, plan: &mut SendingPlan) {
        self.recovering = false;
        self.last.recover = RecoverMark::default();
        self.owed_packets = 0;
        self.clear_state(plan);
    }

    fn clear_state(&mut self, plan: &mut SendingPlan) {
        plan.clears_sack = true;
        self.hole = 0;
    }

    fn on_partial_ack(&mut self, view: &View, plan: &mut SendingPlan) {
        plan.dupack_count = Some(view.dupacks);
        plan.timer_effect = AckTimerEffect::ClearBackoff;
        if view.ns().partial_ack {
            if std::mem::replace(&mut self.has_partial_ack, true) {
                plan.timer_effect = AckTimerEffect::Nothing;
            }
            self.owed_packets = PACKETS_PER_PARTIAL_ACK;
            self.resent_after = self.resent_after.max(view.una);
        } else {
            // The ACK itself, and the retransmission that it answers, have left the network.
            self.pipe -= 2;
        }
    }

    /// Chooses the next packet that is not reported, which a partial ACK sends whatever the pipe.
    fn next_owed(&mut self, view: &View) -> NextPacket {
        self.owed_packets -= 1;
        let reports = view.segments.sacked_ranges();
        let seq =
            reports.first_hole(self.resent_after).unwrap_or(self.resent_after.max(reports.end()));
        self.resent_after = seq + 1;
        self.mark_resent(seq);
        NextPacket::Retransmit(seq)
    }

    fn on_duplicate_in_recovery(&mut self, view: &View, plan: &mut SendingPlan) {
        self.pipe -= 1;
        if view.segments.sacked_bytes() == 0 {
            plan.dupack_count = Some(view.dupacks - 1);
        }
    }
}

/// Duplicate ACKs that indicate a loss; a share of the window if larger and that setting of ns is on.
fn threshold(view: &View) -> u32 {
    match view.ns().numdupacks_frac {
        0 => view.dupack_threshold,
        share => view.dupack_threshold.max(view.cwnd.floor() as u32 / share),
    }
}

impl Strategy for Sack {
    #[inline]
    fn on_new_ack(&mut self, view: &View, _acked: u64, plan: &mut SendingPlan) {
        self.timed_out = false;
        if !self.recovering {
            self.has_partial_ack = false;
            self.clear_state(plan);
            plan.grows_window = true;
        } else if self.last.recover.is_reached(view) {
            self.leave(plan);
        } else {
            self.on_partial_ack(view, plan);
        }
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan) {
        if self.recovering {
            self.on_duplicate_in_recovery(view, plan);
            return;
        }
        let counts = !self.timed_out && view.segments.sacked_bytes() > 0;
        let dupacks = view.dupacks - u32::from(!counts);
        plan.dupack_count = Some(dupacks);
        if dupacks > 0 {
            plan.send_nothing();
        }
        let enough = threshold(view);
        if counts && dupacks == enough {
            self.enter(view, plan);
        } else if counts && dupacks < enough {
            plan.allow_one_more(view);
        }
    }

    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        self.leave(plan);
        self.timed_out = true;
        self.last.recover.set_to_highest_sent(view);
        self.last.reduce_by_timeout(view, plan);
    }

    fn on_mark(&mut self, view: &View, ack: u64, plan: &mut SendingPlan) -> bool {
        self.last.reduce_by_mark(view, ack, plan)
    }

    #[inline]
    fn next_segment(&mut self, view: &View) -> NextPacket {
        if !self.recovering {
            return NextPacket::Window;
        }
        if self.owed_packets > 0 {
            return self.next_owed(view);
        }
        if self.pipe >= view.cwnd.floor().cast_signed() {
            return NextPacket::Nothing;
        }
        if let Some(hole) = self.next_hole(view).filter(|h| *h < view.una + view.rwnd) {
            self.mark_resent(hole);
            self.pipe += 1;
            NextPacket::Retransmit(hole)
        } else if view.can_send_new() {
            self.pipe += 1;
            NextPacket::New
        } else {
            NextPacket::Nothing
        }
    }
}
