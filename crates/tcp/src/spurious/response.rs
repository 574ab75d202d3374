//! The Eifel response to a spurious timeout: nothing more is sent again, the window and the threshold return to their
//! earlier values, and the timer becomes more conservative [RFC 4015 3.2]. RFC 5682 leaves the response to F-RTO open;
//! the same one is used.
//!
//! The window becomes FlightSize + min(bytes acknowledged, initial window), the threshold max(FlightSize, ssthresh),
//! both from before the timeout. The next round-trip sample sets SRTT to at least itself and RTTVAR to at least half of
//! itself. `recover` of NewReno (Tahoe, SACK) becomes the first unacknowledged segment, so that a loss after the delay
//! spike is repaired by fast retransmit. CUBIC begins a new stage at the restored window.
//!
//! The timer's part is in `timers/rfc6298.rs`. Left out: ECN.

use crate::plan::{Cwnd, SendingPlan};
use crate::view::View;
use crate::window::Window;
use serde::Serialize;

/// Windows stored when loss recovery began.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct EifelResponse {
    /// `pipe_prev`.
    pipe: Window,
    /// IW, in sequence numbers.
    initial_window: u64,
}

impl EifelResponse {
    pub(super) fn new(initial_window: u64) -> Self {
        EifelResponse { pipe: Window::from_packets(0), initial_window }
    }

    /// Keeps, before the window and the threshold change, `pipe_prev = max(FlightSize, ssthresh)`. SRTT and
    /// RTTVAR need no copy: nothing is measured until the response.
    pub(super) fn begin(&mut self, view: &View) {
        let flight = Window::from_whole(view.high - view.una);
        self.pipe = if flight > view.ssthresh { flight } else { view.ssthresh };
    }

    /// The answer to an ACK of `acked` that shows the timeout to be spurious.
    pub(super) fn apply(&self, view: &View, acked: u64, plan: &mut SendingPlan) {
        let flight = view.high - view.una;
        *plan = SendingPlan {
            dupack_count: plan.dupack_count,
            timer_effect: plan.timer_effect,
            advance_to_high: true, // SND.NXT <- SND.MAX
            cwnd: Some(Cwnd::Restored {
                window: Window::from_whole(flight + acked.min(self.initial_window)),
                threshold: self.pipe,
            }),
            inflation: Some(0),
            ..SendingPlan::default()
        };
    }
}
