//! Causes of a reduction of the window.

use serde::Serialize;

/// Cause of a reduction of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum ReductionCause {
    /// Duplicate ACKs; of a reduction also the echo of a mark, which counts as they do [RFC 3168 6.1.2].
    FastRetransmit,
    /// The retransmission timer.
    Timeout,
}
