//! What ns has beside the rest: limited transmit as it does it, the window of a connection that is set up, marks.

use super::{Instant, NsSettings, Plan, Sender, Strategy, Window};
use crate::segment::Sack;
use airtcp_core::Ecn;
use serde::Serialize;

/// What ns's sender remembers of marks [ns 2.35, tcp.cc: `ect_`, `ecn_burst_`, `ecn_backoff_`, `cong_action_`].
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

impl Sender {
    /// An ACK that echoes a mark, by the rules of ns.
    pub(super) fn on_marked_ack_of_ns(&mut self, now: Instant, next: u64, sack: &Sack, echo: u32) {
        self.view.now = now;
        let (small, mut plan) = (self.view.cwnd <= Window::ONE, Plan::default());
        if next > 0 && self.recovery.on_mark(&self.view, next, &mut plan) {
            let backed = small && self.ns_marks.backs_off;
            self.ns_marks.backs_off = small;
            if backed {
                self.timers.back_off();
            }
            self.resize(&plan, 0);
            self.ns_marks.owes = true;
        }
        self.take_ack_of_ns(now, (next, sack, echo), true);
    }

    /// An ACK, by the rules of ns that has marks.
    pub(super) fn take_ack_of_ns(
        &mut self,
        now: Instant,
        (next, sack, echo): (u64, &Sack, u32),
        marked: bool,
    ) {
        let (new, before) = (next > self.view.una, self.ns_marks);
        self.is_marked = marked && before.negotiated && !(self.view.ns.old_ecn && before.row);
        self.timers.hold_backoff(marked && before.negotiated && before.backs_off);
        self.on_ack_alone(now, next, sack, echo);
        self.is_marked = false;
        if new {
            let marks = &mut self.ns_marks;
            if before.negotiated {
                marks.row = marked;
                marks.backs_off = marked && marks.backs_off;
            }
            marks.negotiated |= marked;
        }
    }

    /// The first packet is acknowledged: the window of a connection that is set up.
    #[cold]
    pub(super) fn open_by_ns(&mut self) {
        self.view.cwnd = Window::packets(self.window_init);
    }

    /// Whether the packet at `seq` takes marks, and whether it says that the window was reduced.
    pub(super) fn marks_of_ns(&mut self, seq: u64) -> (Ecn, bool) {
        let ns: &NsSettings = &self.view.ns;
        let again = seq + 1 < self.view.high;
        let confirms = self.ns_marks.owes && (!again || ns.set_cwr_on_retransmit);
        self.ns_marks.owes &= !confirms;
        (if ns.ecn && seq > 0 { Ecn::Ect0 } else { Ecn::NotEct }, confirms)
    }
}
