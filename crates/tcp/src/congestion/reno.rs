//! Slow start and congestion avoidance in bytes [RFC 5681 3.1].

use super::control::{
    AckSample, CongestionControl, LossEvent, Parameters, half_flight_size, is_window_used,
};
use crate::scoreboard::RateSample;
use crate::slow_start::SlowStartState;
use crate::view::View;
use crate::window::Window;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The growth of Reno and NewReno.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reno {}

impl Parameters for Reno {
    type Control = Control;

    fn control(&self, start: SlowStartState) -> Control {
        Control { acked: 0, start }
    }
}

/// Sequence numbers acknowledged since congestion avoidance last added a segment, and slow start before it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Control {
    acked: u64,
    start: SlowStartState,
}

impl CongestionControl for Control {
    fn on_ack(&mut self, view: &View, ack: &AckSample) -> Window {
        if !is_window_used(view, ack) {
            return view.cwnd;
        }
        if view.cwnd < view.ssthresh {
            return self.start.grow(view, ack.amount, ack.slow_start);
        }
        self.congestion_avoidance(view, ack.amount, 1)
    }

    fn on_loss(&mut self, view: &View, loss: &LossEvent) -> Window {
        self.acked = 0;
        self.start.on_loss();
        half_flight_size(view, loss.window)
    }

    fn on_round_trip(&mut self, view: &View, sample: &RateSample) -> Option<Window> {
        self.start.on_sample(view, sample)
    }
}

impl Control {
    /// Ends slow start after a mark, for controls with their own response to marks.
    pub(super) fn end_slow_start(&mut self) {
        self.start.on_loss();
    }

    /// Congestion avoidance: one segment per `windows` windows acknowledged; with 1, the recommended byte counting.
    #[inline]
    pub(super) fn congestion_avoidance(&mut self, view: &View, acked: u64, windows: u64) -> Window {
        self.acked += acked;
        let enough = windows * view.cwnd.floor();
        if self.acked < enough {
            return view.cwnd;
        }
        self.acked -= enough;
        view.cwnd.plus(view.mss)
    }
}
