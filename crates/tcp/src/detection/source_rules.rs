//! Detection for a source of rules that has one only: the repairs of that source count duplicate ACKs as the source
//! does, and mark nothing.

use super::detect::{DetectedLosses, Detector};
use crate::view::View;
use serde::Serialize;

/// No state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct SourceRules;

impl Detector for SourceRules {
    #[inline]
    fn on_ack(&mut self, view: &View, duplicates: u32) -> DetectedLosses {
        DetectedLosses { is_first_lost: duplicates >= view.dupack_threshold, lost_below: 0 }
    }
}
