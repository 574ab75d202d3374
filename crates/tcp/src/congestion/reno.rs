//! Slow start and congestion avoidance in bytes [RFC 5681 3.1].

use super::control::{AckSample, CongestionControl, Law, Loss, flight, uses_window};
use crate::view::View;
use crate::window::Window;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The growth of Reno and NewReno.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reno {}

impl Law for Reno {
    type Control = Control;

    fn control(&self) -> Control {
        Control::default()
    }
}

/// What was acknowledged since congestion avoidance last added a segment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Control {
    acked: u64,
}

impl CongestionControl for Control {
    fn on_ack(&mut self, view: &View, ack: &AckSample) -> Window {
        if !uses_window(view, ack) {
            return view.cwnd;
        }
        if view.cwnd < view.ssthresh {
            return slow_start(view, ack);
        }
        // One segment per window acknowledged: the recommended way of counting.
        self.acked += ack.amount;
        let window = view.cwnd.floor();
        if self.acked < window {
            return view.cwnd;
        }
        self.acked -= window;
        view.cwnd.plus(view.mss)
    }

    fn on_loss(&mut self, view: &View, loss: &Loss) -> Window {
        self.acked = 0;
        Window::whole((flight(view, loss.window) / 2).max(2 * u64::from(view.mss))) // eq. (4)
    }
}

/// `min(N, SMSS)` more [RFC 5681, eq. (2)], or `min(N, L SMSS)` [RFC 3465 2.2] up to the threshold: an ACK
/// that fills a hole may cover many windows. L is the same after a timeout, where RFC 3465 2.3 has 1.
pub(super) fn slow_start(view: &View, ack: &AckSample) -> Window {
    let one = view.cwnd.plus(ack.amount.min(u64::from(view.mss)) as u32);
    let most = view.cwnd.plus(ack.amount.min(ack.slow_start) as u32);
    let most = most.min(view.ssthresh);
    if one < most { most } else { one }
}
