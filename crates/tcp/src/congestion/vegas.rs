//! TCP Vegas [brakmo1995]: once per round trip the rate that the window would give at the least round trip, `W / BaseRTT`, is compared with
//! the actual one, `W / RTT`. Their difference times BaseRTT is what waits in queues, in segments: below alpha the window grows by a
//! segment, above beta it shrinks by one, down to two. Slow start doubles the window every other round trip, and ends where more than gamma
//! waits.
//!
//! Alpha, beta and gamma are in extra buffers, as the paper prefers (1 and 3 there; 1 for gamma, "one router buffer"). W is what was in flight with the
//! segment whose round trip is taken: the first that left in the round. After a loss half the flight is left, as in Reno, and slow
//! start goes up to that threshold. Left out: the retransmission checks of the paper (its section III-A) and its smaller reduction after them. The slow start is Vegas' own:
//! `slow_start` is not for it.

use super::control::{AckSample, CongestionControl, Fault, Law, Loss, half_flight, uses_window};
use super::round_trips::RoundTrips;
use crate::segments::RateSample;
use crate::slow_start::Starter;
use crate::view::View;
use crate::window::Window;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Vegas' growth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Vegas {
    /// Segments in queues below which the window grows: 1 [Brakmo and Peterson 1995].
    #[schemars(range(min = 0, max = 1000))]
    pub alpha: f64,
    /// Segments in queues above which the window shrinks, at least alpha: 3 [Brakmo and Peterson 1995].
    #[schemars(range(min = 0, max = 1000))]
    pub beta: f64,
    /// Segments in queues above which slow start ends: 1 [Brakmo and Peterson 1995].
    #[schemars(range(min = 0, max = 1000))]
    pub gamma: f64,
}

impl Default for Vegas {
    fn default() -> Self {
        Vegas { alpha: 1.0, beta: 3.0, gamma: 1.0 }
    }
}

impl Law for Vegas {
    const SAMPLES: bool = true;
    const STARTS: bool = true;
    type Control = Control;

    fn control(&self, _: Starter) -> Control {
        let (trips, step) = (RoundTrips::default(), Step::Stay);
        Control { law: *self, trips, compares: false, doubles: false, step }
    }

    fn fault(&self) -> Option<Fault> {
        let message = || format!("{} is below alpha, {}", self.beta, self.alpha);
        (self.beta < self.alpha).then(|| ("beta", message()))
    }
}

/// Where the round trips stand.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Control {
    law: Vegas,
    trips: RoundTrips,
    /// The ACK at hand ends a round: its round trip is that of the first segment of the round.
    compares: bool,
    /// Whether slow start doubles the window in the round at hand.
    doubles: bool,
    /// What the last comparison says, for the next ACK.
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
enum Step {
    Up,
    Stay,
    Down,
}

impl CongestionControl for Control {
    fn on_ack(&mut self, view: &View, ack: &AckSample) -> Window {
        self.compares = self.trips.ends(view);
        let used = uses_window(view, ack);
        if view.cwnd < view.ssthresh {
            self.doubles ^= self.compares;
            let grows = used && self.doubles;
            let grown = || Starter::Standard.grow(view, ack.amount, ack.slow_start);
            return if grows { grown() } else { view.cwnd };
        }
        let least = Window::packets(2 * view.mss).min(view.cwnd);
        match std::mem::replace(&mut self.step, Step::Stay) {
            Step::Up if used => view.cwnd.plus(view.mss),
            Step::Down => view.cwnd.minus(view.mss.into()).max(least),
            Step::Up | Step::Stay => view.cwnd,
        }
    }

    fn on_loss(&mut self, view: &View, loss: &Loss) -> Window {
        self.trips.on_loss(view);
        (self.compares, self.doubles, self.step) = (false, false, Step::Stay);
        half_flight(view, loss.window)
    }

    /// The threshold, if slow start ends. Only a round in which the window stayed can be compared.
    fn on_round_trip(&mut self, view: &View, sample: &RateSample) -> Option<Window> {
        self.trips.on_sample(sample);
        let rtt = sample.rtt.filter(|_| std::mem::take(&mut self.compares))?;
        let window = sample.sent_in_flight as f64 / f64::from(view.mss);
        let backlog = self.trips.backlog(window, rtt);
        if view.cwnd < view.ssthresh {
            let ends = self.doubles && backlog > self.law.gamma;
            return ends.then_some(view.cwnd);
        }
        self.step = self.law.step(backlog);
        None
    }
}

impl Vegas {
    fn step(&self, backlog: f64) -> Step {
        if backlog < self.alpha {
            Step::Up
        } else if backlog > self.beta {
            Step::Down
        } else {
            Step::Stay
        }
    }
}
