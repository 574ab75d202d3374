//! Adaptive Probing: Immediate Recovery if both probes were good, gentler if the cycle interrupted slow
//! start; Fast Recovery if the path has become good; Slow Start if it has not, or no longer is.

use super::decision::Decision;
use super::outcome::Outcome;
use crate::report::Report;
use serde::Serialize;

/// No state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Adaptive;

impl Decision for Adaptive {
    fn outcome(&self, report: &Report, slow_start: bool) -> Outcome {
        match report.good {
            [true, true] if slow_start => Outcome::ThreeQuarters,
            [true, true] => Outcome::Immediate,
            [false, true] => Outcome::FastRecovery,
            _ => Outcome::SlowStart,
        }
    }
}
