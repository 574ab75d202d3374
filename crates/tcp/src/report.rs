//! Result of a pause for probes.

use crate::reduction_cause::ReductionCause;

/// Result of a probing cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeReport {
    /// Event that began it.
    pub cause: ReductionCause,
    /// Verdict on each of the two probes: good if it was as quick as the best round trip of data so far.
    pub good: [bool; 2],
    /// Duplicate ACKs during the cycle, since `una` last moved.
    pub dupacks: u32,
    /// True: everything not acknowledged is retransmitted if a timeout began it; else one segment.
    pub rewind: bool,
}
