//! TCP Hybla [caini2004]: a connection with a long round trip grows as fast, in time, as one whose round trip is
//! `rtt0`. With `rho = max(RTT / RTT0, 1)` an ACK adds `2^rho - 1` segments in slow start and `rho^2 / W` in congestion
//! avoidance; after a loss half the window remains, as in Reno.
//!
//! RTT is the smoothed one. With a large rho slow start ends within a round trip: set `ssthresh`, as the paper does
//! from an estimate of the bandwidth. The paper makes the initial window and threshold rho times larger; here both are
//! keys of `[tcp]`. Left out: pacing. Hybla has its own slow start, so `slow_start` cannot be set.

use super::control::{
    AckSample, CongestionControl, LossEvent, ParameterFault, Parameters, half_flight_size,
    is_window_used,
};
use crate::slow_start::SlowStartState;
use crate::view::View;
use crate::window::Window;
use airtcp_core::{Duration, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of Hybla.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Hybla {
    /// Round trip of the reference connection (RTT0): the window of every flow grows as fast as the reference
    /// connection's [Caini and Firrincieli 2004]. Example: `"50ms"`.
    pub rtt0: Duration,
}

impl Default for Hybla {
    fn default() -> Self {
        Hybla { rtt0: Duration::from_span(Span::from_nanos(25_000_000)) }
    }
}

impl Parameters for Hybla {
    const HAS_OWN_SLOW_START: bool = true;
    type Control = Control;

    fn control(&self, _: SlowStartState) -> Control {
        Control { rtt0: self.rtt0.span() }
    }

    fn contradiction(&self) -> Option<ParameterFault> {
        (self.rtt0.span() <= Span::ZERO).then(|| ("rtt0", "must be above 0".into()))
    }
}

/// The parameter; Hybla keeps no other state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Control {
    rtt0: Span,
}

impl CongestionControl for Control {
    fn on_ack(&mut self, view: &View, ack: &AckSample) -> Window {
        if !is_window_used(view, ack) {
            return view.cwnd;
        }
        let rho = ack.srtt.map_or(1.0, |srtt| (srtt.seconds() / self.rtt0.seconds()).max(1.0));
        let (cwnd, mss) = (view.cwnd.to_f64(), f64::from(view.mss));
        if view.cwnd < view.ssthresh {
            let acked = ack.amount.min(ack.slow_start) as f64;
            let grown = cwnd + (libm::exp2(rho) - 1.0) * acked;
            return Window::from_f64(grown).min(view.ssthresh);
        }
        Window::from_f64(cwnd + rho * rho * mss * ack.amount as f64 / cwnd)
    }

    fn on_loss(&mut self, view: &View, loss: &LossEvent) -> Window {
        half_flight_size(view, loss.window)
    }
}
