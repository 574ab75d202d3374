//! What ns's sender remembers of marks [ns 2.35, tcp.cc: `ect_`, `ecn_burst_`, `ecn_backoff_`, `cong_action_`].

use crate::ns_settings::NsSettings;
use airtcp_core::Ecn;
use serde::Serialize;

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct NsMarks {
    /// Both ends take part: the first ACK has come.
    negotiated: bool,
    /// The last ACK echoed a mark.
    row: bool,
    /// A mark has come while the window was no more than 1.
    backs_off: bool,
    /// The next packet says that the window was reduced.
    pub(super) owes: bool,
}

impl NsMarks {
    /// A mark has reduced the window, which was `small` before, no more than 1: whether the one before had found that too.
    pub(super) fn reduce(&mut self, small: bool) -> bool {
        let again = small && self.backs_off;
        (self.backs_off, self.owes) = (small, true);
        again
    }

    /// Whether an ACK with or without a mark is taken for one with.
    pub(super) fn takes(&self, marked: bool, ns: &NsSettings) -> bool {
        marked && self.negotiated && !(ns.old_ecn && self.row)
    }

    /// Whether the timer stays backed off.
    pub(super) fn holds_backoff(&self, marked: bool) -> bool {
        marked && self.negotiated && self.backs_off
    }

    /// New data was acknowledged; before that it was `before`.
    pub(super) fn acknowledged(&mut self, before: NsMarks, marked: bool) {
        if before.negotiated {
            self.row = marked;
            self.backs_off &= marked;
        }
        self.negotiated |= marked;
    }

    /// What the packet at `seq`, sent before or not, says of marks, and whether it says that the window was reduced.
    pub(super) fn of_packet(&mut self, seq: u64, again: bool, ns: &NsSettings) -> (Ecn, bool) {
        let confirms = self.owes && (!again || ns.set_cwr_on_retransmit);
        self.owes &= !confirms;
        (if ns.ecn && seq > 0 { Ecn::Ect0 } else { Ecn::NotEct }, confirms)
    }
}
