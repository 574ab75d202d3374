//! Consequence of a probing cycle for the window [lahanas reading, section 2].

use crate::plan::{Cwnd, SendingPlan};
use crate::reduction_cause::ReductionCause;
use crate::report::ProbeReport;
use crate::view::View;
use crate::window::Window;

/// Outcome of a cycle: how the sender continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CycleOutcome {
    /// Immediate Recovery: window and threshold are kept.
    Immediate,
    /// As `Immediate` after slow start was interrupted: both become 3/4 of the window.
    ThreeQuarters,
    /// Fast Recovery: half the window.
    FastRecovery,
    /// Slow Start: half the threshold, a window of one segment.
    SlowStart,
}

impl CycleOutcome {
    /// Carries the outcome out, and returns whether the window is inflated.
    pub(super) fn apply(self, view: &View, report: &ProbeReport, plan: &mut SendingPlan) -> bool {
        match self {
            CycleOutcome::Immediate => {}
            CycleOutcome::ThreeQuarters => {
                plan.cwnd = Some(Cwnd::AndThreshold(three_quarters(view)));
            }
            CycleOutcome::FastRecovery => plan.reduce_to_threshold(report.cause),
            CycleOutcome::SlowStart => {
                plan.answer_timeout(view, report.cause);
                plan.fast_retransmit &= view.una < view.high;
                return false;
            }
        }
        match report.cause {
            ReductionCause::Timeout if report.rewind => plan.goes_back = true,
            ReductionCause::Timeout => plan.retransmit = (view.una < view.high).then_some(view.una),
            ReductionCause::FastRetransmit => return fast_retransmit(view, report.dupacks, plan),
        }
        false
    }
}

/// The one segment at `una`, if it is still outstanding, and a window inflated by K segments and one for each later
/// duplicate ACK; further ones are counted as before. Returns whether there was such a segment.
pub(super) fn fast_retransmit(view: &View, later: u32, plan: &mut SendingPlan) -> bool {
    if view.una == view.high {
        return false;
    }
    let segments = view.dupack_threshold.saturating_add(later);
    plan.inflation = Some(u64::from(segments) * u64::from(view.mss));
    plan.retransmit = Some(view.una);
    plan.fast_retransmit = true;
    plan.dupack_count = Some(view.dupack_threshold);
    true
}

impl SendingPlan {
    /// Threshold as the congestion control sets it, and the window equal to it.
    pub(super) fn reduce_to_threshold(&mut self, cause: ReductionCause) {
        self.reduce = Some(cause);
        self.cwnd = Some(Cwnd::Threshold { packets_above: 0 });
    }
}

/// 3/4 of the smaller of the two windows; at least one segment.
fn three_quarters(view: &View) -> Window {
    let window = view.cwnd.floor().min(view.rwnd);
    Window::from_whole((3 * window / 4).max(view.mss.into()))
}
