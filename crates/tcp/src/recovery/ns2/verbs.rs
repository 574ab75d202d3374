//! Verbs of the variants of ns.

use crate::cause::Cause;
use crate::plan::{Cwnd, Plan};
use crate::view::View;
use crate::window::Window;

impl Plan {
    /// Half the window, and the first unacknowledged packet again.
    pub(super) fn halve_and_retransmit(&mut self, view: &View) {
        self.reduce = Some(Cause::FastRetransmit);
        self.cwnd = Some(Cwnd::Exactly(Window::packets(view.half_window().max(1))));
        self.retransmit = Some(view.una);
        self.fast_retransmit = true;
    }

    /// Nothing is sent by the window.
    pub(super) fn hold(&mut self) {
        self.burst = Some(0);
    }
}
