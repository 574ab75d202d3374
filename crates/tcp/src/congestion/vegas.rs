//! TCP Vegas [brakmo1995]: once per round trip it compares the rate that the window would give at the minimum round
//! trip, `W / BaseRTT`, with the actual rate, `W / RTT`. Their difference times BaseRTT estimates the queued segments:
//! below alpha the window grows by a segment, above beta it shrinks by one, down to two. Slow start doubles the window
//! every other round trip, and ends when more than gamma segments are queued.
//!
//! Alpha, beta and gamma are in segments ("extra buffers"), as the paper prefers: 1 and 3 there, and 1 for gamma ("one
//! router buffer"). W is the data in flight with the segment whose round trip is measured, the first one sent in the
//! round. After a loss half the flight remains, as in Reno, and slow start goes up to that threshold. Left out: the
//! retransmission checks of the paper (its section III-A) and its smaller reduction after them. Vegas has its own slow
//! start, so `slow_start` cannot be set.

use super::control::{
    AckSample, CongestionControl, LossEvent, ParameterFault, Parameters, half_flight_size,
    is_window_used,
};
use super::round_trips::RoundTrips;
use crate::scoreboard::RateSample;
use crate::slow_start::SlowStartState;
use crate::view::View;
use crate::window::Window;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of Vegas.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Vegas {
    /// Number of segments queued in the network below which the window grows [Brakmo and Peterson 1995]. Example:
    /// `2`.
    #[schemars(range(min = 0, max = 1000))]
    pub alpha: f64,
    /// Number of segments queued in the network above which the window shrinks; at least alpha [Brakmo and Peterson
    /// 1995]. Example: `4`.
    #[schemars(range(min = 0, max = 1000))]
    pub beta: f64,
    /// Number of segments queued in the network above which slow start ends [Brakmo and Peterson 1995]. Example: `2`.
    #[schemars(range(min = 0, max = 1000))]
    pub gamma: f64,
}

impl Default for Vegas {
    fn default() -> Self {
        Vegas { alpha: 1.0, beta: 3.0, gamma: 1.0 }
    }
}

impl Parameters for Vegas {
    const NEEDS_RATE_SAMPLES: bool = true;
    const HAS_OWN_SLOW_START: bool = true;
    type Control = Control;

    fn control(&self, _: SlowStartState) -> Control {
        let trips = RoundTrips::default();
        Control {
            parameters: *self,
            trips,
            adjusts_this_round: None,
            doubles_this_round: false,
            threshold: None,
        }
    }

    fn contradiction(&self) -> Option<ParameterFault> {
        let message = || format!("{} is below alpha, {}", self.beta, self.alpha);
        (self.beta < self.alpha).then(|| ("beta", message()))
    }
}

/// State of the round trips.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Control {
    parameters: Vegas,
    trips: RoundTrips,
    /// Set if the current ACK ends a round: true if the window was in use. The round trip of that ACK is that of the
    /// first segment of the round.
    adjusts_this_round: Option<bool>,
    /// True if slow start doubles the window in the current round.
    doubles_this_round: bool,
    /// Threshold at the end of slow start. It follows a shrinking window, or slow start would resume.
    threshold: Option<Window>,
}

impl CongestionControl for Control {
    fn on_ack(&mut self, view: &View, ack: &AckSample) -> Window {
        let (ends, used) = (self.trips.is_round_over(view), is_window_used(view, ack));
        self.adjusts_this_round = ends.then_some(used);
        if view.cwnd >= view.ssthresh {
            return view.cwnd;
        }
        self.doubles_this_round ^= ends;
        let grown = || SlowStartState::Standard.grow(view, ack.amount, ack.slow_start);
        if used && self.doubles_this_round { grown() } else { view.cwnd }
    }

    fn on_loss(&mut self, view: &View, loss: &LossEvent) -> Window {
        self.trips.on_loss(view);
        (self.adjusts_this_round, self.doubles_this_round, self.threshold) = (None, false, None);
        half_flight_size(view, loss.window)
    }

    /// The comparison of a round. In slow start only one in which the window stayed can be compared.
    fn on_sample(&mut self, view: &View, sample: &RateSample) -> Option<Window> {
        self.trips.on_sample(sample);
        let (used, rtt) = self.adjusts_this_round.take().zip(sample.rtt)?;
        let window = sample.sent_in_flight as f64 / f64::from(view.mss);
        let backlog = self.trips.packets_in_queue(window, rtt);
        if view.cwnd >= view.ssthresh {
            return self.window_after_round(view, backlog, used);
        }
        let ends = self.doubles_this_round && backlog > self.parameters.gamma;
        self.threshold = ends.then_some(view.cwnd);
        None
    }

    fn on_round_trip(&mut self, _view: &View, _sample: &RateSample) -> Option<Window> {
        self.threshold.take()
    }
}

impl Control {
    /// A segment more where less than alpha waits, one less where more than beta does, but for the last two.
    fn window_after_round(&mut self, view: &View, backlog: f64, used: bool) -> Option<Window> {
        if backlog < self.parameters.alpha {
            return used.then(|| view.cwnd.plus(view.mss));
        }
        if backlog <= self.parameters.beta {
            return None;
        }
        let least = Window::from_packets(2 * view.mss).min(view.cwnd);
        self.threshold = Some(view.cwnd.minus(view.mss.into()).max(least));
        self.threshold
    }
}
