//! TCP Veno [fu2003]: Reno that uses the round trip to decide whether a loss means congestion. It estimates the queued
//! segments as `N = (cwnd / BaseRTT - cwnd / RTT) BaseRTT`. If N is below beta, a loss counts as random, and the window
//! falls to 4/5, not to 1/2. In congestion avoidance with N of at least beta, the window grows only every other round
//! trip.
//!
//! RTT is the smoothed one (SRTT of RFC 6298); BaseRTT is the minimum since the last loss. At a loss, the window falls
//! to a share of the data in flight, as in RFC 5681. After a timeout, and for a loss before BaseRTT is known, the share
//! is 1/2. An echoed ECN mark is treated as a loss.

use super::control::{
    AckSample, CongestionControl, LossEvent, Parameters, flight_size, is_window_used,
};
use super::reno::{self, Reno};
use super::round_trips::RoundTrips;
use crate::reduction_cause::ReductionCause;
use crate::scoreboard::RateSample;
use crate::slow_start::SlowStartState;
use crate::view::View;
use crate::window::Window;
use airtcp_core::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of Veno.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Veno {
    /// Number of segments queued in the network from which a loss counts as congestion (beta) [Fu and Liew 2003].
    /// Example: `4`.
    #[schemars(range(min = 0, max = 1000))]
    pub beta: f64,
    /// Share of the window that remains after a loss that counts as random [Fu and Liew 2003]. Example: `0.75`.
    #[schemars(range(min = 0.5, max = 1))]
    pub random: f64,
}

impl Default for Veno {
    fn default() -> Self {
        Veno { beta: 3.0, random: 0.8 }
    }
}

impl Parameters for Veno {
    const NEEDS_RATE_SAMPLES: bool = true;
    type Control = Control;

    fn control(&self, start: SlowStartState) -> Control {
        Control {
            parameters: *self,
            growth: Reno {}.control(start),
            trips: RoundTrips::default(),
            srtt: None,
        }
    }
}

/// State of Reno, and measurements of the round trip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Control {
    parameters: Veno,
    growth: reno::Control,
    trips: RoundTrips,
    srtt: Option<Span>,
}

impl CongestionControl for Control {
    fn on_ack(&mut self, view: &View, ack: &AckSample) -> Window {
        self.srtt = ack.srtt;
        if view.cwnd < view.ssthresh || !is_window_used(view, ack) {
            return self.growth.on_ack(view, ack);
        }
        let congested =
            self.packets_in_queue(view, view.cwnd).is_some_and(|n| n >= self.parameters.beta);
        self.growth.congestion_avoidance(view, ack.amount, if congested { 2 } else { 1 })
    }

    fn on_loss(&mut self, view: &View, loss: &LossEvent) -> Window {
        let half = self.growth.on_loss(view, loss);
        let backlog = self.packets_in_queue(view, loss.window);
        self.trips.forget_base();
        let random = backlog.is_some_and(|n| n < self.parameters.beta);
        if !random || loss.cause == ReductionCause::Timeout {
            return half;
        }
        let least = 2.0 * f64::from(view.mss);
        Window::from_f64(
            (flight_size(view, loss.window) as f64 * self.parameters.random).max(least),
        )
    }

    fn on_sample(&mut self, _view: &View, sample: &RateSample) -> Option<Window> {
        self.trips.on_sample(sample);
        None
    }

    fn on_round_trip(&mut self, view: &View, sample: &RateSample) -> Option<Window> {
        self.growth.on_round_trip(view, sample)
    }
}

impl Control {
    /// N: segments of `window` that wait in queues.
    fn packets_in_queue(&self, view: &View, window: Window) -> Option<f64> {
        let segments = window.to_f64() / f64::from(view.mss);
        self.trips.min_rtt()?;
        Some(self.trips.packets_in_queue(segments, self.srtt?))
    }
}
