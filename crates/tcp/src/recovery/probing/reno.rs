//! Reno-Probing: Immediate Recovery if both probes were good; otherwise Reno's reaction to such a loss: Fast Recovery
//! after duplicate ACKs, Slow Start after a timeout.

use super::decision::ProbeDecision;
use super::outcome::Outcome;
use crate::reduction_cause::ReductionCause;
use crate::report::Report;
use serde::Serialize;

/// No state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Reno;

impl ProbeDecision for Reno {
    fn outcome(&self, report: &Report, _slow_start: bool) -> Outcome {
        match (report.good, report.cause) {
            ([true, true], _) => Outcome::Immediate,
            (_, ReductionCause::FastRetransmit) => Outcome::FastRecovery,
            (_, ReductionCause::Timeout) => Outcome::SlowStart,
        }
    }
}
