//! Marks that a sender of ns has met, and its answers to them [ns 2.35, tcp.cc: `ect_`, `ecn_burst_`, `ecn_backoff_`, `cong_action_`].

use super::settings::NsSettings;
use airtcp_core::Ecn;
use serde::Serialize;

/// Marks that ACKs have echoed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Marks {
    /// ECN is negotiated: the first ACK has arrived.
    negotiated: bool,
    /// The last ACK echoed a mark.
    in_mark_run: bool,
    /// A mark has arrived while the window was no more than 1.
    backed_off_for_mark: bool,
    /// The next packet carries CWR.
    pub(crate) cwr_pending: bool,
}

impl Marks {
    /// Records a reduction by a mark; `small` if the window was at most 1 before. Returns whether the previous mark
    /// also met a small window.
    pub(crate) fn record_reduction(&mut self, small: bool) -> bool {
        let is_retransmission = small && self.backed_off_for_mark;
        (self.backed_off_for_mark, self.cwr_pending) = (small, true);
        is_retransmission
    }

    /// Returns whether an ACK, `marked` or not, counts as marked.
    pub(crate) fn responds_to(&self, marked: bool, ns: &NsSettings) -> bool {
        marked && self.negotiated && !(ns.old_ecn && self.in_mark_run)
    }

    /// Returns whether the timer stays backed off.
    pub(crate) fn keeps_backoff(&self, marked: bool) -> bool {
        marked && self.negotiated && self.backed_off_for_mark
    }

    /// New data was acknowledged; before that it was `before`.
    pub(crate) fn on_acknowledged(&mut self, before: Marks, marked: bool) {
        if before.negotiated {
            self.in_mark_run = marked;
            self.backed_off_for_mark &= marked;
        }
        self.negotiated |= marked;
    }

    /// ECN field of the packet at `seq`, new or a retransmission, and whether it carries CWR.
    pub(crate) fn marks_of_packet(
        &mut self,
        seq: u64,
        is_retransmission: bool,
        ns: &NsSettings,
    ) -> (Ecn, bool) {
        let confirms = self.cwr_pending && (!is_retransmission || ns.set_cwr_on_retransmit);
        self.cwr_pending &= !confirms;
        (if seq > 0 { Ecn::Ect0 } else { Ecn::NotEct }, confirms)
    }
}
