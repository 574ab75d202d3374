//! Verbs of the idealised variants.

use crate::plan::{Cwnd, SendingPlan};
use crate::reduction_cause::ReductionCause;
use crate::view::View;

impl SendingPlan {
    /// On the K-th duplicate ACK: threshold `ceil(W/2)`, window K above it, resend the first
    /// unacknowledged packet alone [zorzi, section II, on Reno; RFC 5681 3.2].
    pub(super) fn fast_retransmit(&mut self, view: &View) {
        self.reduce = Some(ReductionCause::FastRetransmit);
        self.cwnd = Some(Cwnd::Threshold { packets_above: view.dupack_threshold });
        self.retransmit = Some(view.una);
        self.suspend = Some(!view.inflation);
        self.fast_retransmit = true;
    }

    /// Recovery is complete: the window is the threshold.
    pub(super) fn leave(&mut self) {
        self.cwnd = Some(Cwnd::Threshold { packets_above: 0 });
        self.suspend = Some(false);
    }

    /// A partial ACK takes `acked` packets out of the inflated window and adds one
    /// [RFC 6582 3.2, step 3].
    pub(super) fn deflate(&mut self, view: &View, acked: u64) {
        self.cwnd = Some(Cwnd::Exactly(view.cwnd.minus(acked).plus(1)));
    }

    /// One more packet has left the network.
    pub(super) fn inflate(&mut self, view: &View) {
        self.cwnd = Some(Cwnd::Exactly(view.cwnd.plus(1)));
    }
}
