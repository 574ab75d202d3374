//! Skip-Probing (Selective Probing): as Adaptive Probing, but duplicate ACKs begin a probe cycle only if the last cycle
//! began long ago, in round trips or in time; otherwise they cause Reno's Fast Retransmit and Fast Recovery. Timeouts
//! always begin a cycle.

use super::adaptive::Adaptive;
use super::decision::ProbeDecision;
use super::outcome::CycleOutcome;
use crate::report::ProbeReport;
use crate::view::View;
use serde::Serialize;

/// The decision after a cycle.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Skip(Adaptive);

impl ProbeDecision for Skip {
    fn outcome(&self, report: &ProbeReport, slow_start: bool) -> CycleOutcome {
        self.0.outcome(report, slow_start)
    }

    fn probes_at_duplicates(&self, view: &View) -> bool {
        view.probe_due
    }
}
