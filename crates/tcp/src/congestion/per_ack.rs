//! Slow start and congestion avoidance in packets, one increase per ACK however much it covers
//! [zorzi, section II, rules 1 to 3; the same in ns].

use super::control::{AckSample, CongestionControl, LossEvent};
use crate::view::View;
use crate::window::Window;
use serde::Serialize;

/// Rounding of the threshold after a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum PerAck {
    Idealised,
    Ns2,
}

impl PerAck {
    /// The window after an ACK of new data, whatever that covers.
    #[inline]
    pub(super) fn window_after_ack(view: &View) -> Window {
        let cwnd = view.cwnd;
        if cwnd < view.ssthresh { cwnd.plus(1) } else { cwnd.increased_by_inverse() }
    }
}

impl CongestionControl for PerAck {
    fn on_ack(&mut self, view: &View, _ack: &AckSample) -> Window {
        PerAck::window_after_ack(view)
    }

    fn on_loss(&mut self, view: &View, _loss: &LossEvent) -> Window {
        match self {
            PerAck::Idealised => view.cwnd.half_rounded_up(),
            PerAck::Ns2 => Window::from_packets(view.half_window().max(2)),
        }
    }
}
