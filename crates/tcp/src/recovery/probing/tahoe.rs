//! Tahoe-Probing: Immediate Recovery if both probes were good, else Slow Start.

use super::decision::ProbeDecision;
use super::outcome::Outcome;
use crate::report::Report;
use serde::Serialize;

/// No state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Tahoe;

impl ProbeDecision for Tahoe {
    fn outcome(&self, report: &Report, _slow_start: bool) -> Outcome {
        match report.good {
            [true, true] => Outcome::Immediate,
            _ => Outcome::SlowStart,
        }
    }
}
