//! The K-th duplicate ACK in a row shows that the first unacknowledged segment is lost [RFC 5681 3.2]. During recovery,
//! a variant that reads SACK blocks treats all missing data below the highest block as lost [Fall and Floyd 1996,
//! section 3].

use super::detect::{DetectedLosses, DetectionRule, Detector};
use crate::view::View;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Duplicate ACKs counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DuplicateAcks {}

impl DetectionRule for DuplicateAcks {
    type Detector = DuplicateAcks;

    fn detector(&self) -> DuplicateAcks {
        *self
    }
}

impl Detector for DuplicateAcks {
    #[inline]
    fn on_ack(&mut self, view: &View, duplicates: u32) -> DetectedLosses {
        let highest = view.segments.sacked_ranges().ranges().last();
        let lost_below = highest.map_or(0, |(start, _)| *start);
        DetectedLosses { is_first_lost: duplicates >= view.dupack_threshold, lost_below }
    }
}
