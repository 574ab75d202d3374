//! Adaptive Probing: both probes decide. If both were good: Immediate Recovery, with a smaller window if the cycle
//! interrupted slow start. If only the second was good, the path has become good: Fast Recovery. In all other cases:
//! Slow Start.

use super::decision::ProbeDecision;
use super::outcome::CycleOutcome;
use crate::report::ProbeReport;
use serde::Serialize;

/// No state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Adaptive;

impl ProbeDecision for Adaptive {
    fn outcome(&self, report: &ProbeReport, slow_start: bool) -> CycleOutcome {
        match report.good {
            [true, true] if slow_start => CycleOutcome::ThreeQuarters,
            [true, true] => CycleOutcome::Immediate,
            [false, true] => CycleOutcome::FastRecovery,
            _ => CycleOutcome::SlowStart,
        }
    }
}
