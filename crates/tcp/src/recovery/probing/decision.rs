//! What the variants that probe differ in.

use super::outcome::Outcome;
use crate::report::Report;
use crate::view::View;

/// What the variants differ in.
pub(crate) trait Decision {
    /// What follows from a cycle; whether it interrupted slow start.
    fn outcome(&self, report: &Report, slow_start: bool) -> Outcome;
    /// Whether the K-th duplicate ACK begins a cycle, or fast recovery at once.
    fn probes_at_duplicates(&self, _view: &View) -> bool {
        true
    }
}
