//! LEDBAT++ [draft-irtf-iccrg-ledbat-plus-plus]: a background transfer, which yields to others before they lose
//! packets. The queueing delay is the minimum of the last four round trips minus the minimum of the last ten minutes.
//!
//! Below the target (60 ms) the window grows by GAIN segments per round trip, with `GAIN = 1 / min(16, ceil(2 target /
//! base))` (4.2). Above it the change per round trip is `max(GAIN - constant W (delay / target - 1), -W / 2)` (4.3),
//! down to two segments. Slow start adds GAIN times the acknowledged data, and the first slow start ends at three
//! quarters of the target (4.1). A slowdown (4.4) keeps the window at two segments for two round trips, which shows the
//! minimum round trip, and is followed by slow start up to the earlier window. The first slowdown comes two round trips
//! after slow start, each further one after nine times the duration of the last.
//!
//! Changes are spread over the ACKs of a window. A loss halves the flight, as in Reno, and ends a slowdown. The initial
//! window of two segments is set by the key `initial_window`. LEDBAT++ has its own slow start, so `slow_start` cannot
//! be set.

use super::control::{
    AckSample, CongestionControl, LossEvent, ParameterFault, Parameters, half_flight_size,
    is_window_used,
};
use super::ledbat_delays::DelayHistory;
use super::ledbat_slowdown::{Slowdown, SlowdownPhase};
use crate::scoreboard::RateSample;
use crate::slow_start::SlowStartState;
use crate::view::View;
use crate::window::Window;
use airtcp_core::{Duration, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The largest divisor of GAIN [4.2].
const GAIN_DIVISOR: f64 = 16.0;
/// Share of the target at which the first slow start ends [4.1].
const SLOW_START_EXIT: f64 = 0.75;

/// Parameters of LEDBAT++.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LedbatPlus {
    /// Target queueing delay [draft-irtf-iccrg-ledbat-plus-plus]. Example: `"25ms"`.
    pub target: Duration,
    /// Factor by which a delay above the target shrinks the window (Constant) [draft-irtf-iccrg-ledbat-plus-plus,
    /// 4.3]. Example: `2`.
    #[schemars(range(min = 0, max = 100))]
    pub constant: f64,
    /// True if the flow slows down periodically, so that it can measure the path without its own queue
    /// [draft-irtf-iccrg-ledbat-plus-plus, 4.4]. Example: `false`.
    pub slowdowns: bool,
}

impl Default for LedbatPlus {
    fn default() -> Self {
        let target = Duration::from_span(Span::from_nanos(60_000_000));
        LedbatPlus { target, constant: 1.0, slowdowns: true }
    }
}

impl Parameters for LedbatPlus {
    const NEEDS_RATE_SAMPLES: bool = true;
    const HAS_OWN_SLOW_START: bool = true;
    type Control = Control;

    fn control(&self, _: SlowStartState) -> Control {
        Control {
            parameters: *self,
            delays: Box::default(),
            slowdown: Slowdown::default(),
            threshold: None,
        }
    }

    fn contradiction(&self) -> Option<ParameterFault> {
        (self.target.span() <= Span::ZERO).then(|| ("target", "must be above 0".into()))
    }
}

/// State of the delay and of the slowdowns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Control {
    parameters: LedbatPlus,
    delays: Box<DelayHistory>,
    slowdown: Slowdown,
    /// Slow-start threshold set by a slowdown. It must follow a shrinking window, or slow start would resume.
    threshold: Option<Window>,
}

impl CongestionControl for Control {
    fn on_ack(&mut self, view: &View, ack: &AckSample) -> Window {
        let srtt = ack.srtt.unwrap_or(Span::ZERO);
        match self.slowdown.on_ack(view, srtt, self.parameters.slowdowns) {
            SlowdownPhase::Begins => {
                self.threshold = Some(view.cwnd);
                Window::from_packets(2 * view.mss).min(view.cwnd)
            }
            SlowdownPhase::Frozen => view.cwnd,
            SlowdownPhase::Open => self.adjust_to_delay(view, ack),
        }
    }

    fn on_loss(&mut self, view: &View, loss: &LossEvent) -> Window {
        self.slowdown.on_loss(view.now);
        self.threshold = None;
        half_flight_size(view, loss.window)
    }

    fn on_sample(&mut self, view: &View, sample: &RateSample) -> Option<Window> {
        if let Some(rtt) = sample.rtt {
            self.delays.on_sample(view.now, rtt);
        }
        None
    }

    fn on_round_trip(&mut self, view: &View, _sample: &RateSample) -> Option<Window> {
        let exit = self.parameters.target.span().seconds() * SLOW_START_EXIT;
        let starts = self.slowdown.is_initial_slow_start() && view.cwnd < view.ssthresh;
        let ends = starts && self.delays.queueing().seconds() > exit;
        self.threshold.take().or_else(|| ends.then_some(view.cwnd))
    }
}

impl Control {
    /// The window after an ACK, by the delay.
    fn adjust_to_delay(&mut self, view: &View, ack: &AckSample) -> Window {
        let gain = self.delays.base().map_or(1.0 / GAIN_DIVISOR, |base| self.parameters.gain(base));
        let (cwnd, mss) = (view.cwnd.to_f64(), f64::from(view.mss));
        if view.cwnd < view.ssthresh {
            let acked = ack.amount.min(ack.slow_start) as f64;
            let grown = Window::from_f64(cwnd + gain * acked).min(view.ssthresh);
            return if is_window_used(view, ack) { grown } else { view.cwnd };
        }
        let change = self.parameters.window_change(gain, cwnd / mss, self.delays.queueing());
        if change > 0.0 && !is_window_used(view, ack) {
            return view.cwnd;
        }
        let share = (ack.amount as f64 / cwnd).min(1.0);
        let window = Window::from_f64((cwnd + change * mss * share).max((2.0 * mss).min(cwnd)));
        if change < 0.0 {
            self.threshold = Some(window);
        }
        window
    }
}

impl LedbatPlus {
    /// GAIN [4.2].
    fn gain(&self, base: Span) -> f64 {
        let ratio = 2.0 * self.target.span().seconds() / base.seconds();
        1.0 / libm::ceil(ratio).clamp(1.0, GAIN_DIVISOR)
    }

    /// Segments added in a round trip to a window of `segments` [4.2, 4.3].
    fn window_change(&self, gain: f64, segments: f64, delay: Span) -> f64 {
        let above = delay.seconds() / self.target.span().seconds() - 1.0;
        if above <= 0.0 {
            gain
        } else {
            (gain - self.constant * segments * above).max(-segments / 2.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: i64) -> Span {
        Span::from_nanos(n * 1_000_000)
    }

    /// 4.2: `2 x 60 / 20 = 6`; a path shorter than 7.5 ms has 1/16, one of 120 ms and more 1.
    #[test]
    fn the_gain_follows_the_least_round_trip() {
        let gain = |base| LedbatPlus::default().gain(ms(base));
        assert_eq!(
            [1, 20, 50, 119, 120, 500].map(gain),
            [1.0 / 16.0, 1.0 / 6.0, 1.0 / 3.0, 0.5, 1.0, 1.0]
        );
    }

    /// 4.3 at a window of 20 segments and a gain of 1/6: 66 ms is a tenth above the target, so `1/6 - 20/10`; from 90 ms on
    /// it would be more than half the window.
    #[test]
    fn above_the_target_the_decrease_is_in_proportion_to_the_window() {
        let change = |delay| LedbatPlus::default().window_change(1.0 / 6.0, 20.0, ms(delay));
        assert_eq!([0, 59, 60].map(change), [1.0 / 6.0; 3]);
        assert!((change(66) - (1.0 / 6.0 - 2.0)).abs() < 1e-9);
        assert_eq!([91, 600].map(change), [-10.0; 2]);
    }
}
