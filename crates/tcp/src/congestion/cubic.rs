//! CUBIC [RFC 9438]: between losses the window follows a cubic function of time, with a plateau at the window of the
//! last loss, but is never smaller than Reno's would be.
//!
//! Windows are in segments and times in seconds, as in the RFC's equations. Slow start is that of RFC 5681, only below
//! the threshold (at the threshold congestion avoidance begins, as RFC 5681 permits); HyStart++ (4.10) can be chosen by
//! `slow_start`. Left out: the response to spurious losses (4.9), ECN.

use super::control::{
    AckSample, CongestionControl, LossEvent, Parameters, flight_size, is_window_used,
};
use crate::reduction_cause::ReductionCause;
use crate::scoreboard::RateSample;
use crate::slow_start::SlowStartState;
use crate::view::View;
use crate::window::Window;
use airtcp_core::{Instant, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of CUBIC.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Cubic {
    /// Share of the window that remains after a loss (`beta_cubic`) [RFC 9438 4.6]. Example: `0.8`.
    #[schemars(range(min = 0.01, max = 0.99))]
    pub beta: f64,
    /// Steepness of the cubic function (C), in segments per second cubed [RFC 9438 5.1]. Example: `1`.
    #[schemars(range(min = 0.001, max = 1000))]
    pub c: f64,
    /// True if a flow that loses a packet below its last peak reduces its target further, to make room for new flows
    /// [RFC 9438 4.7]. Example: `false`.
    pub fast_convergence: bool,
}

impl Default for Cubic {
    fn default() -> Self {
        Cubic { beta: 0.7, c: 0.4, fast_convergence: true }
    }
}

impl Parameters for Cubic {
    type Control = Control;

    fn control(&self, start: SlowStartState) -> Control {
        Control {
            slow_start: start,
            parameters: *self,
            alpha: 3.0 * (1.0 - self.beta) / (1.0 + self.beta),
            w_max: 0.0,
            cwnd_prior: 0.0,
            is_below_w_max: false,
            epoch: None,
        }
    }
}

/// State that outlasts a stage of congestion avoidance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Control {
    parameters: Cubic,
    /// `alpha_cubic` while Reno's window would be below `cwnd_prior` [4.3].
    alpha: f64,
    /// `W_max`; 0 before the first loss.
    w_max: f64,
    /// `cwnd_prior`; 0 before the first threshold.
    cwnd_prior: f64,
    /// True if the last reduction was a fast retransmit: then `w_max` is the plateau to come.
    is_below_w_max: bool,
    epoch: Option<AvoidanceEpoch>,
    slow_start: SlowStartState,
}

/// A stage of congestion avoidance.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct AvoidanceEpoch {
    k: f64,
    w_est: f64,
    clock: EpochClock,
}

/// The time `t` of a stage. It stands still while the window is not in use [4.2, 5.8].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct EpochClock {
    elapsed: i64,
    last_ack_time: Option<Instant>,
}

impl CongestionControl for Control {
    fn on_ack(&mut self, view: &View, ack: &AckSample) -> Window {
        let used = is_window_used(view, ack);
        if view.cwnd < view.ssthresh {
            self.epoch = None;
            return if used {
                self.slow_start.grow(view, ack.amount, ack.slow_start)
            } else {
                view.cwnd
            };
        }
        let mss = f64::from(view.mss);
        let cwnd = view.cwnd.to_f64() / mss;
        let mut stage = self.epoch.take().unwrap_or_else(|| self.begin_epoch(cwnd));
        let mut next = cwnd;
        if used {
            stage.clock.advance_to(view.now, view.next < view.written);
            next = self.window_increase(&mut stage, cwnd, ack.amount as f64 / mss, ack.srtt);
        } else {
            stage.clock.last_ack_time = None;
        }
        self.epoch = Some(stage);
        if next > cwnd { Window::from_f64(next * mss) } else { view.cwnd }
    }

    fn on_loss(&mut self, view: &View, loss: &LossEvent) -> Window {
        let mss = f64::from(view.mss);
        let cwnd = loss.window.to_f64() / mss;
        let converges = self.parameters.fast_convergence && cwnd < self.w_max; // 4.7
        self.w_max = if converges { cwnd * (1.0 + self.parameters.beta) / 2.0 } else { cwnd };
        self.cwnd_prior = cwnd;
        self.is_below_w_max = loss.cause == ReductionCause::FastRetransmit;
        self.epoch = None;
        self.slow_start.on_loss();
        let flight = flight_size(view, loss.window) as f64;
        Window::from_f64((flight * self.parameters.beta).max(2.0 * mss)) // 4.6, and 4.8 for a timeout
    }

    fn on_round_trip(&mut self, view: &View, sample: &RateSample) -> Option<Window> {
        self.slow_start.on_sample(view, sample)
    }
}

impl Control {
    /// A stage begins at `cwnd_epoch`.
    fn begin_epoch(&mut self, cwnd_epoch: f64) -> AvoidanceEpoch {
        if !self.is_below_w_max || self.w_max < cwnd_epoch {
            self.w_max = cwnd_epoch; // 4.8 and 4.10: then K = 0
        }
        if self.cwnd_prior == 0.0 {
            self.cwnd_prior = cwnd_epoch; // 4.10
        }
        let k = libm::cbrt((self.w_max - cwnd_epoch) / self.parameters.c); // figure 2
        AvoidanceEpoch { k, w_est: cwnd_epoch, clock: EpochClock::default() }
    }

    fn window_increase(
        &self,
        stage: &mut AvoidanceEpoch,
        cwnd: f64,
        acked: f64,
        srtt: Option<Span>,
    ) -> f64 {
        let t = Span::from_nanos(stage.clock.elapsed).seconds();
        let cubic = |t: f64| {
            let d = t - stage.k;
            self.parameters.c * d * d * d + self.w_max // figure 1
        };
        let (now, ahead) = (cubic(t), cubic(t + srtt.map_or(0.0, Span::seconds)));
        let alpha = if stage.w_est < self.cwnd_prior { self.alpha } else { 1.0 }; // 4.3
        stage.w_est += alpha * acked / cwnd; // figure 4
        if now < stage.w_est {
            return stage.w_est; // The Reno-friendly region.
        }
        let target = ahead.clamp(cwnd, 1.5 * cwnd); // 4.2
        cwnd + (target - cwnd) / cwnd // 4.4, 4.5
    }
}

impl EpochClock {
    /// Advances time to an ACK at `now`; unless the sender `goes_on`, the time that follows is idle.
    fn advance_to(&mut self, now: Instant, goes_on: bool) {
        if let Some(last) = self.last_ack_time {
            self.elapsed += (now - last).nanos();
        }
        self.last_ack_time = goes_on.then_some(now);
    }
}
