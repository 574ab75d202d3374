//! Differences between the variants that probe.

use super::outcome::CycleOutcome;
use crate::report::ProbeReport;
use crate::view::View;

/// Decisions in which the variants differ.
pub(crate) trait ProbeDecision {
    /// The consequence of a cycle, which may have interrupted slow start.
    fn outcome(&self, report: &ProbeReport, slow_start: bool) -> CycleOutcome;
    /// Returns whether the K-th duplicate ACK begins a cycle, or fast recovery at once.
    fn probes_at_duplicates(&self, _view: &View) -> bool {
        true
    }
}
