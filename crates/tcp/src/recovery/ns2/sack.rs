//! SACK with a pipe: recovery sends while the estimate of what is under way is below the window,
//! first what is known to be missing, then new data [Fall and Floyd 1996, section 3].

use super::reduction::Recover;
use crate::cause::Cause;
use crate::plan::{AckTiming, Choice, Plan};
use crate::ranges::RangeSet;
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// Scoreboard, pipe and mode.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Sack {
    recover: Recover,
    recovering: bool,
    /// A timeout since the last new ACK: duplicate ACKs say nothing.
    timed_out: bool,
    pipe: i64,
    board: Board,
}

/// What the receiver has reported beyond the cumulative ACK.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Board {
    sacked: RangeSet,
    /// The lowest packet that was not resent yet.
    hole: u64,
    /// Cumulative ACK at the last update.
    floor: u64,
}

impl Board {
    fn clear(&mut self) {
        self.sacked.clear();
        self.hole = 0;
    }

    /// Takes the blocks of an ACK; whether that changed anything.
    fn update(&mut self, view: &View) -> bool {
        let moved = view.una != self.floor && !self.sacked.is_empty();
        let before = self.sacked.total();
        self.floor = view.una;
        for block in view.sack.blocks(view.una) {
            self.sacked.insert(block.start, block.end);
        }
        self.sacked.remove_below(view.una);
        moved || self.sacked.total() != before
    }

    fn next_hole(&mut self) -> Option<u64> {
        let hole = self.sacked.hole(self.hole.max(self.floor))?;
        self.hole = hole;
        Some(hole)
    }

    fn mark(&mut self, seq: u64) {
        if seq >= self.hole {
            self.hole = seq + 1;
        }
    }
}

impl Sack {
    fn enter(&mut self, view: &View, plan: &mut Plan) {
        self.recover.mark(view);
        self.recovering = true;
        self.pipe = view.cwnd.floor().cast_signed() - i64::from(view.dupack_threshold);
        self.board.mark(view.una);
        plan.halve_and_retransmit(view);
    }

    fn leave(&mut self) {
        self.recovering = false;
        self.recover = Recover::default();
        self.board.clear();
    }

    fn on_partial_ack(&mut self, view: &View, plan: &mut Plan) {
        self.board.update(view);
        // The ACK itself, and the retransmission that it answers, have left the network.
        self.pipe -= 2;
        plan.timing = AckTiming::ClearBackoff;
        plan.dupacks = Some(view.dupacks);
    }

    fn on_duplicate_in_recovery(&mut self, view: &View, plan: &mut Plan) {
        self.pipe -= 1;
        if !self.board.update(view) {
            plan.dupacks = Some(view.dupacks - 1);
        }
    }
}

impl Strategy for Sack {
    #[inline]
    fn on_new_ack(&mut self, view: &View, _acked: u64, plan: &mut Plan) {
        self.timed_out = false;
        if !self.recovering {
            self.board.clear();
            plan.grow = true;
        } else if self.recover.reached(view) {
            self.leave();
        } else {
            self.on_partial_ack(view, plan);
        }
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut Plan) {
        if self.recovering {
            self.on_duplicate_in_recovery(view, plan);
            return;
        }
        let counts = !self.timed_out && self.board.update(view);
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
        self.leave();
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
        if let Some(hole) = self.board.next_hole().filter(|h| *h < view.una + view.rwnd) {
            self.board.mark(hole);
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
