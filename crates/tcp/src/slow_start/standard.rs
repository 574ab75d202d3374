//! The window grows by the data that each ACK acknowledges, at most one segment [RFC 5681 3.1] or `abc_limit` segments
//! [RFC 3465 2.2], until a loss or until it reaches the threshold.

use crate::view::View;
use crate::window::Window;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The slow start of the standards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Standard {}

/// `min(N, SMSS)` more [RFC 5681, eq. (2)], or `min(N, L SMSS)` [RFC 3465 2.2] up to the threshold: an ACK
/// that fills a hole may cover many windows. L is the same after a timeout, where RFC 3465 2.3 has 1.
pub(super) fn grow(view: &View, acked: u64, most: u64) -> Window {
    let window = view.cwnd.plus(acked.min(u64::from(view.mss)) as u32);
    let most = view.cwnd.plus(acked.min(most) as u32);
    let most = most.min(view.ssthresh);
    if window < most { most } else { window }
}
