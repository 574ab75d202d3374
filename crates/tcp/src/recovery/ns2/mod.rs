//! The variants of ns as the papers used it, 1998 to 2000 [readings of the recorded traces, sections
//! 2, 4 and 5]. Packets are numbered; the window never loses what it gains beyond the advertised one;
//! recovery inflates beside the window, not in it.

mod newreno;
mod reno;
mod sack;
mod tahoe;

pub(super) use newreno::NewReno;
pub(super) use reno::Reno;
pub(super) use sack::Sack;
pub(super) use tahoe::Tahoe;

use super::{Cwnd, Plan, View};
use crate::growth::Cause;
use crate::window::Window;
use serde::Serialize;

/// The highest packet sent when the window was last reduced: losses up to there are of one event and
/// bring no second fast retransmit. It starts at 0, so a loss of packet 1 never brings one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
struct Recover(u64);

impl Recover {
    fn mark(&mut self, view: &View) {
        self.0 = view.high - 1;
    }

    /// Whether the cumulative ACK lies beyond it.
    fn passed(self, view: &View) -> bool {
        view.una > self.0 + 1
    }

    /// Whether the cumulative ACK has reached it.
    fn reached(self, view: &View) -> bool {
        view.una > self.0
    }
}

/// What the window was last changed by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
enum Action {
    #[default]
    None,
    DuplicateAcks,
    Exited,
    Timeout,
}

/// The last reduction, and why: what Reno and NewReno remember.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
struct Reduction {
    recover: Recover,
    action: Action,
}

impl Reduction {
    fn by_duplicate_acks(&mut self, view: &View, plan: &mut Plan) {
        self.recover.mark(view);
        self.action = Action::DuplicateAcks;
        plan.halve_and_retransmit(view);
    }

    fn by_timeout(&mut self, view: &View, plan: &mut Plan) {
        self.recover.mark(view);
        self.action = Action::Timeout;
        plan.inflate = Some(0);
        plan.collapse(view, Cause::Timeout);
    }
}

impl Plan {
    /// Half the window, and the first unacknowledged packet again.
    fn halve_and_retransmit(&mut self, view: &View) {
        self.reduce = Some(Cause::FastRetransmit);
        self.cwnd = Some(Cwnd::Exactly(Window::packets(view.half_window().max(1))));
        self.retransmit = Some(view.una);
        self.fast_retransmit = true;
    }

    /// Nothing is sent by the window.
    fn hold(&mut self) {
        self.burst = Some(0);
    }
}
