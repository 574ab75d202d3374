//! Variants that probe the path at a loss before they do anything about it [lahanas; its reading,
//! section 2]. They go by the rules of any source that has a timer of its own: the threshold after a
//! loss and the growth of the window are the source's.
//!
//! The ACK that ends an inflation also opens the window, as in BSD. Nothing keeps the duplicates of what
//! is sent again from beginning another cycle, once there are K of them after the last one.

mod adaptive;
mod outcome;
mod reno;
mod skip;
mod tahoe;

pub(super) use adaptive::Adaptive;
pub(super) use reno::Reno;
pub(super) use skip::Skip;
pub(super) use tahoe::Tahoe;

use super::{Plan, Strategy, View};
use crate::growth::Cause;
use crate::probing::Report;
use outcome::Outcome;
use serde::Serialize;

/// Tahoe-Probing.
pub(super) type TahoeProbing = Probing<Tahoe>;
/// Reno-Probing.
pub(super) type RenoProbing = Probing<Reno>;
/// Adaptive Probing.
pub(super) type AdaptiveProbing = Probing<Adaptive>;
/// Skip-Probing, also called Selective Probing.
pub(super) type SkipProbing = Probing<Skip>;

/// What the variants differ in.
pub trait Decision {
    /// What follows from a cycle; whether it interrupted slow start.
    fn outcome(&self, report: &Report, slow_start: bool) -> Outcome;
    /// Whether the K-th duplicate ACK begins a cycle, or fast recovery at once.
    fn probes_at_duplicates(&self, _view: &View) -> bool {
        true
    }
}

/// A variant that probes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Probing<D> {
    decision: D,
    /// The window is inflated: later duplicate ACKs inflate it further, the first new ACK ends that.
    inflated: bool,
    /// The cycle under way interrupted slow start.
    slow_start: bool,
}

impl<D: Decision> Strategy for Probing<D> {
    #[inline]
    fn on_new_ack(&mut self, _view: &View, _acked: u64, plan: &mut Plan) {
        plan.inflate = Some(0);
        plan.grow = true;
        self.inflated = false;
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut Plan) {
        if self.inflated {
            plan.inflate = Some(view.inflate + u64::from(view.mss));
        } else if view.dupacks < view.dupack_threshold {
            plan.limited_transmit(view);
        } else if view.dupacks == view.dupack_threshold {
            self.on_loss(view, plan);
        }
    }

    fn on_timeout(&mut self, view: &View, plan: &mut Plan) {
        self.probe_the_path(view, Cause::Timeout, plan);
    }

    fn on_report(&mut self, view: &View, report: &Report, plan: &mut Plan) {
        plan.suspend = Some(false);
        let outcome = self.decision.outcome(report, self.slow_start);
        self.inflated = outcome.apply(view, report, plan);
    }
}

impl<D: Decision> Probing<D> {
    fn on_loss(&mut self, view: &View, plan: &mut Plan) {
        if self.decision.probes_at_duplicates(view) {
            self.probe_the_path(view, Cause::FastRetransmit, plan);
        } else {
            self.inflated = outcome::fast_retransmit(view, 0, plan);
            plan.reduce_to_threshold(Cause::FastRetransmit);
        }
    }

    /// An inflated window is beyond the threshold: neither fast recovery, whose window is the threshold without that,
    /// nor the same after Immediate Recovery is slow start.
    fn probe_the_path(&mut self, view: &View, cause: Cause, plan: &mut Plan) {
        self.slow_start = view.cwnd <= view.ssthresh && !self.inflated;
        self.inflated = false;
        plan.inflate = Some(0);
        plan.suspend = Some(true);
        plan.probe = Some(cause);
    }
}
