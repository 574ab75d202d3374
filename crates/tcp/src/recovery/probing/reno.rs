//! Reno-Probing: Immediate Recovery if both probes were good; otherwise Reno's reaction to such a loss: Fast Recovery
//! after duplicate ACKs, Slow Start after a timeout.

use super::decision::ProbeDecision;
use super::outcome::CycleOutcome;
use crate::reduction_cause::ReductionCause;
use crate::report::ProbeReport;
use serde::Serialize;

/// No state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Reno;

impl ProbeDecision for Reno {
    fn outcome(&self, report: &ProbeReport, _slow_start: bool) -> CycleOutcome {
        match (report.good, report.cause) {
            ([true, true], _) => CycleOutcome::Immediate,
            (_, ReductionCause::FastRetransmit) => CycleOutcome::FastRecovery,
            (_, ReductionCause::Timeout) => CycleOutcome::SlowStart,
        }
    }
}
