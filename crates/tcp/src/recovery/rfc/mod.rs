//! The variants of the RFCs, in bytes.
//!
//! The flight at a loss is what was sent since the last go-back and is not acknowledged, but no more
//! than the window, the uninflated one: that leaves out what limited transmit sent [RFC 5681 3.2,
//! step 2] and what recovery did. RFC 5681's FlightSize is an upper bound ("no more than", 3.1); with
//! it alone a second loss in a row could raise the threshold, which must fall twice (4.3).

mod newreno;
mod reno;
mod sack;
mod scoreboard;
mod tahoe;

pub(super) use newreno::NewReno;
pub(super) use reno::Reno;
pub(super) use sack::Sack;
pub(super) use tahoe::Tahoe;

use super::{Cwnd, Plan, View};
use crate::growth::Cause;
use serde::Serialize;

/// Segments beyond the window that the first duplicate ACKs may send [RFC 3042, section 2].
const LIMITED_TRANSMIT: u32 = 2;

/// The segment that the timer resent last.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Resent(Option<u64>);

impl Resent {
    /// Loss window and go back, from a window that fast recovery has `inflated` or not; the
    /// threshold is held where the timer already resent this segment [RFC 5681 3.1].
    fn on_timeout(&mut self, view: &View, inflated: bool, plan: &mut Plan) {
        plan.collapse(view, Cause::Timeout);
        plan.inflated = inflated;
        if self.0 == Some(view.una) {
            plan.reduce = None;
        }
        self.0 = Some(view.una);
    }
}

impl Plan {
    /// `amount` may be sent beyond the window, as long as nothing is to be sent again [RFC 3042].
    fn allow(&mut self, view: &View, amount: u64) {
        if view.limited_transmit && view.next == view.high {
            self.inflate = Some(amount);
        }
    }

    /// A duplicate ACK that brings no fast retransmit.
    pub(in crate::recovery) fn limited_transmit(&mut self, view: &View) {
        let segments = view.dupacks.min(LIMITED_TRANSMIT);
        self.allow(view, u64::from(segments) * u64::from(view.mss));
    }

    /// On the K-th duplicate ACK: threshold half the flight, window K segments above it, the first
    /// unacknowledged segment again [RFC 5681 3.2, steps 2 and 3].
    fn enter_fast_recovery(&mut self, view: &View) {
        self.reduce = Some(Cause::FastRetransmit);
        self.cwnd = Some(Cwnd::Threshold { plus: view.dupack_threshold });
        self.inflate = Some(0);
        self.retransmit = Some(view.una);
        self.fast_retransmit = true;
    }

    /// One more segment has left the network [RFC 5681 3.2, step 4].
    fn inflate_window(&mut self, view: &View) {
        self.cwnd = Some(Cwnd::Exactly(view.cwnd.plus(view.mss)));
    }
}
