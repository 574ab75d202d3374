//! TCP-Illinois [liu2008]: a loss decides when the window shrinks; the queueing delay decides by how much it shrinks,
//! and how fast it grows. Per window acknowledged it grows by `alpha(d_a)` segments, and a loss reduces it by the share
//! `beta(d_a)`, where `d_a` is the mean queueing delay of the last round trip and `d_m` the largest so far. `alpha`
//! falls from `alpha_max` at `eta1 d_m` to `alpha_min` at `d_m`, as `kappa1 / (kappa2 + d_a)`; `beta` rises from
//! `beta_min` at `eta2 d_m` to `beta_max` at `eta3 d_m`, as `kappa3 + kappa4 d_a`.
//!
//! Once `d_a` has exceeded `eta1 d_m`, alpha stays as it is until `d_a` has been below that for `theta` round trips;
//! then it returns to `alpha_max`. Below `w_thresh` segments alpha is 1 and beta 1/2, as in Reno; so they are after a
//! timeout, until a round trip after the end of slow start. At a loss the window falls to a share of the data in
//! flight, as in RFC 5681; growth counts acknowledged data, not ACKs.

use super::control::{
    AckSample, CongestionControl, LossEvent, ParameterFault, Parameters, flight_size,
    is_window_used,
};
use super::illinois_delays::RoundDelays;
use super::round_trips::RoundTrips;
use crate::reduction_cause::ReductionCause;
use crate::scoreboard::RateSample;
use crate::slow_start::SlowStartState;
use crate::view::View;
use crate::window::Window;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of Illinois.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Illinois {
    /// Largest increase of the window, in segments per round trip: with an empty queue [Liu et al. 2008]. Example:
    /// `5`.
    #[schemars(range(min = 0.01, max = 1000))]
    pub alpha_max: f64,
    /// Smallest increase of the window, in segments per round trip: at the largest queueing delay; at most alpha_max
    /// [Liu et al. 2008]. Example: `0.1`.
    #[schemars(range(min = 0.001, max = 1000))]
    pub alpha_min: f64,
    /// Share by which a loss reduces the window when the queue is almost empty; at most beta_max [Liu et al. 2008].
    /// Example: `0.1`.
    #[schemars(range(min = 0.01, max = 0.99))]
    pub beta_min: f64,
    /// Share by which a loss reduces the window at large queueing delays [Liu et al. 2008]. Example: `0.4`.
    #[schemars(range(min = 0.01, max = 0.99))]
    pub beta_max: f64,
    /// Queueing delay up to which the increase is alpha_max, as a share of the largest queueing delay (eta1) [Liu et
    /// al. 2008]. Example: `0.02`.
    #[schemars(range(min = 0, max = 0.99))]
    pub eta1: f64,
    /// Queueing delay up to which the reduction is beta_min, as a share of the largest queueing delay (eta2) [Liu et
    /// al. 2008]. Example: `0.2`.
    #[schemars(range(min = 0, max = 1))]
    pub eta2: f64,
    /// Queueing delay from which the reduction is beta_max, as a share of the largest queueing delay (eta3); above
    /// eta2 [Liu et al. 2008]. Example: `0.7`.
    #[schemars(range(min = 0, max = 1))]
    pub eta3: f64,
    /// Window in segments below which growth is Reno's [Liu et al. 2008]. Example: `30`.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub w_thresh: f64,
    /// Number of round trips with a small queueing delay after which the increase returns to alpha_max (theta) [Liu
    /// et al. 2008]. Example: `3`.
    #[schemars(range(min = 1, max = 1000))]
    pub theta: u32,
}

impl Default for Illinois {
    fn default() -> Self {
        Illinois {
            alpha_max: 10.0,
            alpha_min: 0.3,
            beta_min: 0.125,
            beta_max: 0.5,
            eta1: 0.01,
            eta2: 0.1,
            eta3: 0.8,
            w_thresh: 15.0,
            theta: 5,
        }
    }
}

impl Parameters for Illinois {
    const NEEDS_RATE_SAMPLES: bool = true;
    type Control = Control;

    fn control(&self, start: SlowStartState) -> Control {
        Control {
            parameters: Box::new(*self),
            start,
            trips: RoundTrips::default(),
            delays: RoundDelays::default(),
            round_trips_below_d1: self.theta,
            alpha: 1.0,
            beta: 0.5,
        }
    }

    fn contradiction(&self) -> Option<ParameterFault> {
        [
            ("alpha_min", self.alpha_min, "alpha_max", self.alpha_max),
            ("beta_min", self.beta_min, "beta_max", self.beta_max),
        ]
        .into_iter()
        .find(|(_, low, _, high)| low > high)
        .map(|(key, low, other, high)| (key, format!("{low} is above {other}, {high}")))
        .or_else(|| {
            let message = || format!("{} is not above eta2, {}", self.eta3, self.eta2);
            (self.eta3 <= self.eta2).then(|| ("eta3", message()))
        })
    }
}

/// The curves of the last round trip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Control {
    parameters: Box<Illinois>,
    start: SlowStartState,
    trips: RoundTrips,
    delays: RoundDelays,
    /// Round trips in a row with a short queue; theta at the start.
    round_trips_below_d1: u32,
    alpha: f64,
    beta: f64,
}

impl CongestionControl for Control {
    fn on_ack(&mut self, view: &View, ack: &AckSample) -> Window {
        if self.trips.is_round_over(view) {
            self.update_parameters(view);
        }
        if !is_window_used(view, ack) {
            return view.cwnd;
        }
        if view.cwnd < view.ssthresh {
            return self.start.grow(view, ack.amount, ack.slow_start);
        }
        let (cwnd, mss) = (view.cwnd.to_f64(), f64::from(view.mss));
        Window::from_f64(cwnd + self.alpha * mss * ack.amount as f64 / cwnd)
    }

    fn on_loss(&mut self, view: &View, loss: &LossEvent) -> Window {
        self.trips.on_loss(view);
        self.start.on_loss();
        if loss.cause == ReductionCause::Timeout {
            (self.alpha, self.beta) = (1.0, 0.5);
        }
        let left = flight_size(view, loss.window) as f64 * (1.0 - self.beta);
        Window::from_f64(left.max(2.0 * f64::from(view.mss)))
    }

    fn on_sample(&mut self, _view: &View, sample: &RateSample) -> Option<Window> {
        self.trips.on_sample(sample);
        self.delays.on_sample(sample);
        None
    }

    fn on_round_trip(&mut self, view: &View, sample: &RateSample) -> Option<Window> {
        self.start.on_sample(view, sample)
    }
}

impl Control {
    /// Sets alpha and beta for the next round trip, unless in slow start.
    fn update_parameters(&mut self, view: &View) {
        let found = self.trips.min_rtt().and_then(|base| self.delays.take_averages(base));
        let Some((mean, largest)) = found.filter(|_| view.cwnd >= view.ssthresh) else { return };
        let is_short = mean <= self.parameters.eta1 * largest;
        self.round_trips_below_d1 =
            if is_short { self.round_trips_below_d1.saturating_add(1) } else { 0 };
        if view.cwnd.to_f64() < self.parameters.w_thresh * f64::from(view.mss) {
            (self.alpha, self.beta) = (1.0, 0.5);
            return;
        }
        if !is_short || self.round_trips_below_d1 >= self.parameters.theta {
            self.alpha = self.parameters.alpha(mean, largest);
        }
        self.beta = self.parameters.beta(mean, largest);
    }
}

impl Illinois {
    /// `f1(d_a)`: `kappa1 / (kappa2 + d_a)`, with the kappas by `f1(d_1) = alpha_max` and `f1(d_m) = alpha_min`.
    fn alpha(&self, mean: f64, largest: f64) -> f64 {
        let d1 = self.eta1 * largest;
        if mean <= d1 {
            return self.alpha_max;
        }
        let place = (mean - d1) / (largest - d1);
        self.alpha_max / (1.0 + (self.alpha_max / self.alpha_min - 1.0) * place)
    }

    /// `f2(d_a)`: `kappa3 + kappa4 d_a`, with the kappas by `f2(d_2) = beta_min` and `f2(d_3) = beta_max`.
    fn beta(&self, mean: f64, largest: f64) -> f64 {
        let (d2, d3) = (self.eta2 * largest, self.eta3 * largest);
        if mean <= d2 {
            return self.beta_min;
        }
        let place = ((mean - d2) / (d3 - d2)).min(1.0);
        self.beta_min + (self.beta_max - self.beta_min) * place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With `d_m = 100 ms`: `d_1 = 1`, `d_2 = 10`, `d_3 = 80`; `kappa1 = 99 x 0.3 x 10 / 9.7 = 30.62`,
    /// `kappa2 = 99 x 0.3 / 9.7 - 1 = 2.062`, `kappa3 = (0.125 x 80 - 0.5 x 10) / 70 = 0.0714`,
    /// `kappa4 = 0.375 / 70 = 0.00536` (delays in ms).
    #[test]
    fn the_curves_are_those_of_the_kappas() {
        let parameters = Illinois::default();
        let (kappa1, kappa2) = (99.0 * 0.3 * 10.0 / 9.7, 99.0 * 0.3 / 9.7 - 1.0);
        let (kappa3, kappa4) = ((0.125 * 80.0 - 0.5 * 10.0) / 70.0, 0.375 / 70.0);
        assert_eq!([0.0, 1.0].map(|d| parameters.alpha(d, 100.0)), [10.0, 10.0]);
        for d in [2.0, 10.0, 50.0, 100.0] {
            assert!((parameters.alpha(d, 100.0) - kappa1 / (kappa2 + d)).abs() < 1e-12, "{d}");
        }
        assert!((parameters.alpha(100.0, 100.0) - 0.3).abs() < 1e-12);
        assert_eq!([0.0, 10.0].map(|d| parameters.beta(d, 100.0)), [0.125, 0.125]);
        for d in [20.0, 45.0, 80.0] {
            assert!((parameters.beta(d, 100.0) - (kappa3 + kappa4 * d)).abs() < 1e-12, "{d}");
        }
        assert_eq!(parameters.beta(100.0, 100.0), 0.5);
        assert_eq!(
            (parameters.alpha(0.0, 0.0), parameters.beta(0.0, 0.0)),
            (10.0, 0.125),
            "no queue ever"
        );
    }
}
