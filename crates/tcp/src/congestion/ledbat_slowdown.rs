//! The slowdowns of LEDBAT++ [draft-irtf-iccrg-ledbat-plus-plus 4.4]: the first two round trips after the first slow start, each later one after
//! nine times as long as the one before took, from its beginning until the window was again what it was.

use crate::view::View;
use crate::window::Window;
use airtcp_core::{Instant, Span};
use serde::Serialize;

/// How long until the next one, in lengths of the last.
const INTERVAL: i64 = 9;
/// Round trips at two segments, and before the first slowdown.
const ROUND_TRIPS: i64 = 2;

/// Where the slowdowns stand.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Slowdown {
    state: State,
    /// What the threshold is to be as one begins.
    threshold: Option<Window>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
enum State {
    /// The first slow start.
    #[default]
    Starting,
    /// The next one begins then.
    Waiting { until: Instant },
    /// At two segments.
    Frozen { since: Instant, until: Instant },
    /// Back to the window before.
    Ramping { since: Instant },
}

/// What an ACK finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The window grows and shrinks by its laws.
    Open,
    /// A slowdown begins: two segments.
    Begins,
    /// The window stays.
    Frozen,
}

impl Slowdown {
    /// An ACK of new data, with the smoothed round trip; none begins unless `wanted`.
    pub(super) fn on_ack(&mut self, view: &View, srtt: Span, wanted: bool) -> Phase {
        let (now, in_slow_start) = (view.now, view.cwnd < view.ssthresh);
        match self.state {
            State::Starting if !in_slow_start => {
                self.state = State::Waiting { until: now + srtt * ROUND_TRIPS };
                Phase::Open
            }
            State::Waiting { until } if wanted && now >= until && !in_slow_start => {
                self.state = State::Frozen { since: now, until: now + srtt * ROUND_TRIPS };
                self.threshold = Some(view.cwnd);
                Phase::Begins
            }
            State::Frozen { until, .. } if now < until => Phase::Frozen,
            State::Frozen { since, .. } => {
                self.state = State::Ramping { since };
                Phase::Open
            }
            State::Ramping { since } if !in_slow_start => {
                self.end(now, since);
                Phase::Open
            }
            State::Starting | State::Waiting { .. } | State::Ramping { .. } => Phase::Open,
        }
    }

    /// Whether the first slow start goes on.
    pub(super) fn is_first(&self) -> bool {
        self.state == State::Starting
    }

    /// The threshold of the slowdown that has just begun.
    pub(super) fn threshold(&mut self) -> Option<Window> {
        self.threshold.take()
    }

    /// A loss ends it.
    pub(super) fn on_loss(&mut self, now: Instant) {
        self.threshold = None;
        if let State::Frozen { since, .. } | State::Ramping { since } = self.state {
            self.end(now, since);
        }
    }

    fn end(&mut self, now: Instant, since: Instant) {
        self.state = State::Waiting { until: now + (now - since) * INTERVAL };
    }
}
