//! Slow start and congestion avoidance in packets, one increase per ACK however much it covers
//! [zorzi, section II, rules 1 to 3; the same in ns].

use crate::view::View;
use crate::window::Window;
use serde::Serialize;

/// How the threshold after a loss is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum PerAck {
    Idealised,
    Ns2,
}

/// The window after one ACK of new data.
#[inline]
pub(crate) fn increase(cwnd: Window, ssthresh: Window) -> Window {
    if cwnd < ssthresh { cwnd.plus(1) } else { cwnd.plus_inverse() }
}

impl PerAck {
    pub(crate) fn threshold(self, view: &View) -> Window {
        match self {
            PerAck::Idealised => view.cwnd.half_rounded_up(),
            PerAck::Ns2 => Window::packets(view.half_window().max(2)),
        }
    }
}
