//! Verbs of the variants of the RFCs.

use crate::plan::{Cwnd, SendingPlan};
use crate::reduction_cause::ReductionCause;
use crate::view::View;

/// Segments beyond the window that the first duplicate ACKs may send [RFC 3042, section 2].
const LIMITED_TRANSMIT: u32 = 2;

impl SendingPlan {
    /// `amount` may be sent beyond the window, as long as nothing is to be retransmitted [RFC 3042].
    pub(super) fn allow_beyond_window(&mut self, view: &View, amount: u64) {
        if view.limited_transmit && view.next == view.high {
            self.inflation = Some(amount);
        }
    }

    /// A duplicate ACK that brings no fast retransmit.
    pub(in crate::recovery) fn limited_transmit(&mut self, view: &View) {
        let segments = view.dupacks.min(LIMITED_TRANSMIT);
        self.allow_beyond_window(view, u64::from(segments) * u64::from(view.mss));
    }

    /// On the K-th duplicate ACK: threshold half the flight, window K segments above it, the first
    /// unacknowledged segment again [RFC 5681 3.2, steps 2 and 3].
    pub(super) fn enter_fast_recovery(&mut self, view: &View) {
        self.reduce = Some(ReductionCause::FastRetransmit);
        self.cwnd = Some(Cwnd::Threshold { packets_above: view.dupack_threshold });
        self.inflation = Some(0);
        self.retransmit = Some(view.una);
        self.fast_retransmit = true;
    }

    /// One more segment has left the network [RFC 5681 3.2, step 4].
    pub(super) fn inflate_window(&mut self, view: &View) {
        self.cwnd = Some(Cwnd::Exactly(view.cwnd.plus(view.mss)));
    }
}
