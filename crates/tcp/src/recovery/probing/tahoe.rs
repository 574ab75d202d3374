//! Tahoe-Probing: Immediate Recovery if both probes were good, else Slow Start.

use super::decision::ProbeDecision;
use super::outcome::CycleOutcome;
use crate::report::ProbeReport;
use serde::Serialize;

/// No state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Tahoe;

impl ProbeDecision for Tahoe {
    fn outcome(&self, report: &ProbeReport, _slow_start: bool) -> CycleOutcome {
        match report.good {
            [true, true] => CycleOutcome::Immediate,
            _ => CycleOutcome::SlowStart,
        }
    }
}
