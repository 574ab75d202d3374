//! TCP Westwood+ [grieco2004]: a loss reduces the window to the measured bandwidth times the minimum round trip, so a
//! loss on the channel costs nothing where the queue was empty.
//!
//! The bandwidth is sampled once per round trip as `d_k / Delta_k`, the data delivered in it divided by its length
//! (duplicate ACKs count too), and filtered: `b_k = alpha b_{k-1} + (1 - alpha) d_k / Delta_k`. At the third duplicate
//! ACK and at a timeout `ssthresh = max(2, b RTTmin)`; the window becomes that, or one segment after a timeout. Growth
//! is Reno's.
//!
//! The first sample is the first estimate (a filter that starts at 0 would need 22 round trips to reach 90 %); a loss
//! before it halves the flight. A round trip ends with the first ACK of data sent after it began; a round trip with a
//! pause in it gives a low sample, as in the paper.

use super::control::{AckSample, CongestionControl, LossEvent, Parameters};
use super::reno::{self, Reno};
use super::round_trips::RoundTrips;
use crate::scoreboard::RateSample;
use crate::slow_start::SlowStartState;
use crate::view::View;
use crate::window::Window;
use airtcp_core::Instant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of Westwood+.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Westwood {
    /// Weight of the previous bandwidth estimate in the new one (alpha): 0.9 [Grieco and Mascolo 2004]. Example:
    /// `0.8`.
    #[schemars(range(min = 0, max = 0.999))]
    pub alpha: f64,
}

impl Default for Westwood {
    fn default() -> Self {
        Westwood { alpha: 0.9 }
    }
}

impl Parameters for Westwood {
    const NEEDS_RATE_SAMPLES: bool = true;
    type Control = Control;

    fn control(&self, start: SlowStartState) -> Control {
        Control {
            alpha: self.alpha,
            growth: Reno {}.control(start),
            trips: RoundTrips::default(),
            round_start: None,
            bandwidth: None,
        }
    }
}

/// Estimates of the path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Control {
    alpha: f64,
    growth: reno::Control,
    trips: RoundTrips,
    /// Time at which the present round trip began, and the amount delivered before it.
    round_start: Option<(Instant, u64)>,
    /// The estimate (`b_k`), in sequence numbers per second.
    bandwidth: Option<f64>,
}

impl CongestionControl for Control {
    fn on_ack(&mut self, view: &View, ack: &AckSample) -> Window {
        self.growth.on_ack(view, ack)
    }

    fn on_loss(&mut self, view: &View, loss: &LossEvent) -> Window {
        let half = self.growth.on_loss(view, loss);
        let product = self.bandwidth.zip(self.trips.min_rtt()).map(|(b, rtt)| b * rtt.seconds());
        product.map_or(half, |product| Window::from_f64(product.max(2.0 * f64::from(view.mss))))
    }

    fn on_sample(&mut self, view: &View, sample: &RateSample) -> Option<Window> {
        self.trips.on_sample(sample);
        match self.round_start {
            Some((_, before)) if sample.prior_delivered < before => {}
            _ => self.begin_round(view.now, sample.prior_delivered + sample.delivered),
        }
        None
    }

    fn on_round_trip(&mut self, view: &View, sample: &RateSample) -> Option<Window> {
        self.growth.on_round_trip(view, sample)
    }
}

impl Control {
    /// A round trip begins, with so much `delivered`; the one before gives a sample.
    fn begin_round(&mut self, now: Instant, delivered: u64) {
        let Some((since, before)) = self.round_start.replace((now, delivered)) else { return };
        let length = (now - since).seconds();
        if length > 0.0 {
            let sample = (delivered - before) as f64 / length;
            let filtered = |old: f64| self.alpha * old + (1.0 - self.alpha) * sample;
            self.bandwidth = Some(self.bandwidth.map_or(sample, filtered));
        }
    }
}
