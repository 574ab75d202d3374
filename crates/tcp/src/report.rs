//! What a pause for probes has found.

use crate::cause::Cause;

/// What a cycle has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// What began it.
    pub cause: Cause,
    /// Whether each of the two probes was good: as quick as the best round trip of data so far.
    pub good: [bool; 2],
    /// Duplicate ACKs during the cycle, since `una` last moved.
    pub dupacks: u32,
    /// True: everything not acknowledged is sent again if a timeout began it; else one segment.
    pub rewind: bool,
}
