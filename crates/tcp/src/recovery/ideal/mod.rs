//! The idealised variants [zorzi, sections II and IV; SACK: section V].

mod fast;
mod newreno;
mod oldtahoe;
mod reno;
mod sack;
mod tahoe;

pub(super) use newreno::NewReno;
pub(super) use oldtahoe::OldTahoe;
pub(super) use reno::Reno;
pub(super) use sack::Sack;
pub(super) use tahoe::Tahoe;

use super::{Cwnd, Plan, View};
use crate::growth::Cause;

impl Plan {
    /// On the K-th duplicate ACK: threshold `ceil(W/2)`, window K above it, resend the first
    /// unacknowledged packet alone [zorzi, section II, on Reno; RFC 5681 3.2].
    fn fast_retransmit(&mut self, view: &View) {
        self.reduce = Some(Cause::FastRetransmit);
        self.cwnd = Some(Cwnd::Threshold { plus: view.dupack_threshold });
        self.retransmit = Some(view.una);
        self.suspend = Some(!view.inflation);
        self.fast_retransmit = true;
    }

    /// Recovery is complete: the window is the threshold.
    fn leave(&mut self) {
        self.cwnd = Some(Cwnd::Threshold { plus: 0 });
        self.suspend = Some(false);
    }

    /// A partial ACK takes `acked` packets out of the inflated window and adds one
    /// [RFC 6582 3.2, step 3].
    fn deflate(&mut self, view: &View, acked: u64) {
        self.cwnd = Some(Cwnd::Exactly(view.cwnd.minus(acked).plus(1)));
    }

    /// One more packet has left the network.
    fn inflate(&mut self, view: &View) {
        self.cwnd = Some(Cwnd::Exactly(view.cwnd.plus(1)));
    }
}
