//! A segment is lost once SACK reports K separate runs of data beyond it, or more than K - 1 segments. The first
//! unacknowledged segment is also lost after K duplicate ACKs, which are ACKs that report something new [RFC 6675,
//! sections 2, 4 and 5].

use super::detect::{DetectedLosses, DetectionRule, Detector};
use crate::view::View;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `IsLost()` of RFC 6675.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rfc6675 {}

impl DetectionRule for Rfc6675 {
    const NEEDS_SACK: bool = true;
    type Detector = Rfc6675;

    fn detector(&self) -> Rfc6675 {
        *self
    }
}

impl Detector for Rfc6675 {
    #[inline]
    fn on_ack(&mut self, view: &View, duplicates: u32) -> DetectedLosses {
        let lost_below = lost_below(view);
        let loss = duplicates >= view.dupack_threshold || view.una < lost_below;
        DetectedLosses { is_first_lost: loss, lost_below }
    }
}

/// The number below which missing data are lost: the begin of the highest range from which on there are K ranges, or
/// more than (K - 1) segments.
fn lost_below(view: &View) -> u64 {
    let most = u64::from(view.dupack_threshold - 1);
    let mut bytes = 0;
    for (above, (start, end)) in (0..).zip(view.segments.sacked_ranges().ranges().iter().rev()) {
        bytes += end - start;
        if above >= most || bytes > most * u64::from(view.mss) {
            return *start;
        }
    }
    0
}
