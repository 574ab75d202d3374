//! A congestion control of the tests: a rate of sending that is given, a window that follows the samples.

use super::control::{AckSample, CongestionControl, LossEvent, Parameters};
use crate::scoreboard::RateSample;
use crate::slow_start::SlowStartState;
use crate::view::View;
use crate::window::Window;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A given rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FixedRate {
    /// Sequence numbers per second.
    pub rate: f64,
}

impl Default for FixedRate {
    fn default() -> Self {
        FixedRate { rate: 50_000.0 }
    }
}

impl Parameters for FixedRate {
    const NEEDS_RATE_SAMPLES: bool = true;
    const SETS_PACING_RATE: bool = true;
    type Control = Control;

    fn control(&self, _: SlowStartState) -> Control {
        Control { rate: self.rate, sample_count: 0, last_rate: None }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Control {
    rate: f64,
    pub(crate) sample_count: u64,
    pub(crate) last_rate: Option<f64>,
}

impl CongestionControl for Control {
    fn on_ack(&mut self, view: &View, _ack: &AckSample) -> Window {
        view.cwnd
    }

    fn on_loss(&mut self, view: &View, _loss: &LossEvent) -> Window {
        Window::from_packets(2 * view.mss)
    }

    /// Sets the window to twice the data that the rate delivers in a round trip, at least four segments.
    fn on_sample(&mut self, view: &View, sample: &RateSample) -> Option<Window> {
        self.sample_count += 1;
        self.last_rate = sample.rate.or(self.last_rate);
        let least = u64::from(4 * view.mss);
        let product = sample.rate.zip(sample.rtt).map(|(rate, rtt)| 2.0 * rate * rtt.seconds());
        product.map(|numbers| Window::from_whole((numbers as u64).max(least)))
    }

    fn pacing_rate(&self, _view: &View) -> f64 {
        self.rate
    }
}
