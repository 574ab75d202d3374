//! Verbs of the variants of ns.

use crate::plan::{Cwnd, SendingPlan};
use crate::reduction_cause::ReductionCause;
use crate::view::View;
use crate::window::Window;

impl View {
    /// Half of the data that may be outstanding: whole packets, or to the fraction.
    pub(super) fn half_of_cwnd(&self) -> Window {
        if self.ns().precision_reduce {
            let inflated = self.cwnd.to_f64() + self.inflation_amount as f64;
            Window::from_f64(inflated.min(self.rwnd as f64) / 2.0)
        } else {
            Window::from_packets(self.half_window())
        }
    }
}

impl SendingPlan {
    /// Half the window, and the first unacknowledged packet again.
    pub(super) fn halve_and_retransmit(&mut self, view: &View) {
        self.reduce = Some(ReductionCause::FastRetransmit);
        self.cwnd = Some(Cwnd::Exactly(view.half_of_cwnd().max(Window::ONE)));
        self.retransmit = Some(view.una);
        self.fast_retransmit = true;
    }

    /// Sends nothing by the window.
    pub(super) fn send_nothing(&mut self) {
        self.burst_limit = Some(0);
    }

    /// Allows one new packet if it fits the window plus the number of duplicate ACKs (limited transmit).
    pub(super) fn allow_one_more(&mut self, view: &View) {
        let beyond = (view.next - view.una + 1) as f64;
        let allowed = view.cwnd.to_f64() + f64::from(view.dupacks);
        self.extra_packet = view.ns().singledup && view.can_send_new() && beyond <= allowed;
    }
}
