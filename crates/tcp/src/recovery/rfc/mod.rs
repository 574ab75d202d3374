//! The variants of the RFCs, in bytes. FlightSize is what was sent since the last go-back and is not
//! acknowledged; after a timeout that is less than all ever sent [RFC 5681 3.1: "no more than"].

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
    /// Loss window and go back; the threshold is held where the timer already resent this segment
    /// [RFC 5681 3.1].
    fn on_timeout(&mut self, view: &View, plan: &mut Plan) {
        plan.collapse(view, Cause::Timeout);
        if self.0 == Some(view.una) {
            plan.reduce = None;
        }
        self.0 = Some(view.una);
    }
}

/// Limited transmit [RFC 3042]: new data on the first duplicate ACKs, which the flight at the loss
/// does not count [RFC 5681 3.2, step 2].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Limited {
    /// The first number not sent when the first duplicate ACK came.
    before: u64,
}

impl Limited {
    /// The first duplicate ACK.
    fn begin(&mut self, view: &View) {
        self.before = view.next;
    }

    /// `amount` may be sent beyond the window, as long as nothing is to be sent again.
    fn allow(view: &View, amount: u64, plan: &mut Plan) {
        if view.limited_transmit && view.next == view.high {
            plan.inflate = Some(amount);
        }
    }

    /// A duplicate ACK that brings no fast retransmit.
    fn on_duplicate_ack(view: &View, plan: &mut Plan) {
        let segments = view.dupacks.min(LIMITED_TRANSMIT);
        Limited::allow(view, u64::from(segments) * u64::from(view.mss), plan);
    }

    /// What was sent that way.
    fn sent(&self, view: &View) -> u64 {
        let within = self.before.max(view.una + view.cwnd.floor());
        view.next.saturating_sub(within)
    }
}

impl Plan {
    /// On the K-th duplicate ACK: threshold half the flight, window K segments above it, the first
    /// unacknowledged segment again [RFC 5681 3.2, steps 2 and 3].
    fn enter_fast_recovery(&mut self, view: &View, limited: &Limited) {
        self.reduce = Some(Cause::FastRetransmit);
        self.limited = limited.sent(view);
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
