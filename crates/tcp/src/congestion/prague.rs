//! Prague [draft-briscoe-iccrg-prague-congestion-control]: DCTCP for the Internet, whose packets ask for low latency by
//! ECT(1) [RFC 9331]. It averages marks and reacts to them as DCTCP does; a loss halves the window, as in Reno.
//!
//! It depends less on the round trip than DCTCP. Below `rtt_virtual` (25 ms) the window grows by `(RTT /
//! rtt_virtual)^2` segments per round trip, for unmarked bytes only, and it averages and reduces once per
//! `rtt_virtual`. The average starts with the first mark. Segments are paced at `cwnd / RTT`, and at twice that rate
//! below the threshold. RTT is the smoothed one.
//!
//! Marks are echoed as for DCTCP [RFC 8257 3.2], instead of by accurate ECN. Left out: the fallback to another control
//! at a queue without L4S, windows below two segments, and the period after slow start with full dependence on the
//! round trip.

use super::control::{
    AckMarks, AckSample, CongestionControl, LossEvent, MarkResponse, ParameterFault, Parameters,
    half_flight_size,
};
use super::mark_share::MarkShare;
use crate::scoreboard::RateSample;
use crate::slow_start::SlowStartState;
use crate::view::View;
use crate::window::Window;
use airtcp_core::{Duration, Instant, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of Prague.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Prague {
    /// Weight of the last round trip in the moving average of the share of marked packets (g). Example: `0.125`.
    #[schemars(range(min = 0.0001, max = 1))]
    pub gain: f64,
    /// Virtual round trip: flows with a shorter round trip behave as if it were this long. Example: `"10ms"`.
    pub rtt_virtual: Duration,
}

impl Default for Prague {
    fn default() -> Self {
        let rtt_virtual = Duration::from_span(Span::from_nanos(25_000_000));
        Prague { gain: 1.0 / 16.0, rtt_virtual }
    }
}

impl Parameters for Prague {
    const MARKS: MarkResponse = MarkResponse::L4s;
    const SETS_PACING_RATE: bool = true;
    type Control = Control;

    fn control(&self, start: SlowStartState) -> Control {
        Control {
            virtual_rtt: self.rtt_virtual.span(),
            start,
            share: MarkShare::new(self.gain),
            srtt: None,
            is_marked: false,
            last_average: Instant::START,
            last_reduction: None,
        }
    }

    fn contradiction(&self) -> Option<ParameterFault> {
        (self.rtt_virtual.span() <= Span::ZERO).then(|| ("rtt_virtual", "must be above 0".into()))
    }
}

/// Slow start, the share of marks, and when it was averaged and answered last.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Control {
    virtual_rtt: Span,
    start: SlowStartState,
    share: MarkShare,
    srtt: Option<Span>,
    /// True if a mark has arrived.
    is_marked: bool,
    last_average: Instant,
    last_reduction: Option<Instant>,
}

impl CongestionControl for Control {
    fn on_ack(&mut self, view: &View, ack: &AckSample) -> Window {
        self.srtt = ack.srtt;
        if !is_window_used(view) {
            return view.cwnd;
        }
        if view.cwnd < view.ssthresh {
            return self.start.grow(view, ack.amount, ack.slow_start);
        }
        let segments = ack.amount as f64 / view.cwnd.to_f64();
        Window::from_f64(
            view.cwnd.to_f64() + segments * self.window_per_rtt() * f64::from(view.mss),
        )
    }

    fn on_loss(&mut self, view: &View, loss: &LossEvent) -> Window {
        self.start.on_loss();
        half_flight_size(view, loss.window)
    }

    fn on_ack_marks(&mut self, view: &View, echo: &AckMarks) {
        (self.srtt, self.is_marked) = (echo.srtt, self.is_marked || echo.marked);
        let ends = self.share.add_ack(echo);
        if !self.is_marked && ends {
            self.share.start_round(view);
        } else if ends && view.now - self.last_average >= self.effective_rtt() {
            self.share.update(view);
            self.last_average = view.now;
        }
    }

    fn on_mark(&mut self, view: &View) -> Option<Window> {
        self.start.on_loss();
        if self.last_reduction.is_some_and(|at| view.now - at < self.effective_rtt()) {
            return None;
        }
        self.last_reduction = Some(view.now);
        Some(self.share.reduced_window(view.cwnd, view.mss))
    }

    fn pacing_rate(&self, view: &View) -> f64 {
        let far = view.cwnd.to_f64() < view.ssthresh.to_f64() / 2.0;
        let windows = if far { 2.0 } else { 1.0 };
        let rate = |srtt: Span| windows * view.cwnd.to_f64() / srtt.seconds();
        self.srtt.filter(|srtt| *srtt > Span::ZERO).map_or(f64::INFINITY, rate)
    }

    fn on_round_trip(&mut self, view: &View, sample: &RateSample) -> Option<Window> {
        self.start.on_sample(view, sample)
    }
}

/// Returns whether the application and the receiver would use more. The flight does not show it, for spacing holds segments back.
fn is_window_used(view: &View) -> bool {
    view.next < view.written && view.cwnd.floor() < view.rwnd
}

impl Control {
    fn effective_rtt(&self) -> Span {
        self.srtt.map_or(self.virtual_rtt, |srtt| srtt.max(self.virtual_rtt))
    }

    /// Segments that a round trip adds to the window.
    fn window_per_rtt(&self) -> f64 {
        let trips = self.srtt.map_or(1.0, |srtt| srtt.seconds() / self.effective_rtt().seconds());
        trips * trips
    }
}
