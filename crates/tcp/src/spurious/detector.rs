//! The watch over a timeout, whichever way.

use super::eifel::Eifel;
use super::f_rto::FRto;
use super::verdict::Verdict;
use crate::view::View;
use serde::Serialize;

/// The state of one sender's watch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) enum Detector {
    FRto(FRto),
    Eifel(Eifel),
}

impl Detector {
    pub(super) fn begin(&mut self, view: &View) {
        match self {
            Detector::FRto(detector) => detector.begin(view),
            Detector::Eifel(detector) => detector.begin(view),
        }
    }

    /// The timer expires while a watch may be under way.
    pub(super) fn again(&mut self) {
        match self {
            Detector::FRto(detector) => detector.again(),
            Detector::Eifel(_) => {} // `RetransmitTS` is that of the first retransmission.
        }
    }

    pub(super) fn stop(&mut self) {
        match self {
            Detector::FRto(detector) => detector.stop(),
            Detector::Eifel(detector) => detector.stop(),
        }
    }

    pub(super) fn on_new_ack(&mut self, view: &View, recover: u64) -> Verdict {
        match self {
            Detector::FRto(detector) => detector.on_new_ack(view, recover),
            Detector::Eifel(detector) => detector.on_new_ack(view),
        }
    }

    pub(super) fn on_duplicate_ack(&mut self, view: &View, recover: u64) -> Verdict {
        match self {
            Detector::FRto(detector) => detector.on_duplicate_ack(view, recover),
            Detector::Eifel(_) => Verdict::Nothing,
        }
    }

    pub(super) fn probes(&self) -> bool {
        matches!(self, Detector::FRto(detector) if detector.probes())
    }
}
