//! Detection for a source of rules that has one only: the repairs of that source count duplicate ACKs as the source
//! does, and mark nothing.

use super::detect::{Detector, Finding};
use crate::view::View;
use serde::Serialize;

/// No state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct OfSource;

impl Detector for OfSource {
    #[inline]
    fn on_ack(&mut self, view: &View, duplicates: u32) -> Finding {
        Finding { loss: duplicates >= view.dupack_threshold, lost_below: 0 }
    }
}
