//! Strategy that the variants that probe share.

use super::decision::ProbeDecision;
use super::outcome;
use crate::plan::SendingPlan;
use crate::reduction_cause::ReductionCause;
use crate::report::ProbeReport;
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// A variant that probes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Probing<D> {
    decision: D,
    /// The window is inflated: later duplicate ACKs inflate it further, the first new ACK ends that.
    inflated: bool,
    /// True if the current cycle interrupted slow start.
    slow_start: bool,
}

impl<D: ProbeDecision> Strategy for Probing<D> {
    #[inline]
    fn on_new_ack(&mut self, _view: &View, _acked: u64, plan: &mut SendingPlan) {
        plan.inflation = Some(0);
        plan.grows_window = true;
        self.inflated = false;
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan) {
        if self.inflated {
            plan.inflation = Some(view.inflation_amount + u64::from(view.mss));
        } else if view.is_first_lost {
            self.on_loss(view, plan);
        } else {
            plan.limited_transmit(view);
        }
    }

    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        self.probe_the_path(view, ReductionCause::Timeout, plan);
    }

    fn on_report(&mut self, view: &View, report: &ProbeReport, plan: &mut SendingPlan) {
        plan.suspend = Some(false);
        let outcome = self.decision.outcome(report, self.slow_start);
        self.inflated = outcome.apply(view, report, plan);
    }
}

impl<D: ProbeDecision> Probing<D> {
    fn on_loss(&mut self, view: &View, plan: &mut SendingPlan) {
        if self.decision.probes_at_duplicates(view) {
            self.probe_the_path(view, ReductionCause::FastRetransmit, plan);
        } else {
            self.inflated = outcome::fast_retransmit(view, 0, plan);
            plan.reduce_to_threshold(ReductionCause::FastRetransmit);
        }
    }

    /// An inflated window is beyond the threshold: neither fast recovery, whose window is the threshold without that,
    /// nor the same after Immediate Recovery is slow start.
    fn probe_the_path(&mut self, view: &View, cause: ReductionCause, plan: &mut SendingPlan) {
        self.slow_start = view.cwnd <= view.ssthresh && !self.inflated;
        self.inflated = false;
        plan.inflation = Some(0);
        plan.suspend = Some(true);
        plan.probes_path_for = Some(cause);
    }
}
