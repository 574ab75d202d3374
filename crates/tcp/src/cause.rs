//! Why a window is reduced.

use serde::Serialize;

/// Why the window is reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Cause {
    /// Duplicate ACKs.
    FastRetransmit,
    /// The retransmission timer.
    Timeout,
}
