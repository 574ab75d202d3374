//! The slowdowns of LEDBAT++ [draft-irtf-iccrg-ledbat-plus-plus 4.4]: the first two round trips after the first slow start,
//! each later one after nine times as long as the one before took, from its beginning until the window was again what it
//! was.

use crate::view::View;
use airtcp_core::{Instant, Span};
use serde::Serialize;

/// Time until the next one, in lengths of the last.
const INTERVAL_FACTOR: i64 = 9;
/// Round trips at two segments, and before the first slowdown.
const FROZEN_ROUND_TRIPS: i64 = 2;

/// State of the slowdowns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) enum Slowdown {
    /// The first slow start.
    #[default]
    Starting,
    /// The next one begins then.
    Waiting { until: Instant },
    /// The window stays at two segments.
    Frozen { since: Instant, until: Instant },
    /// Back to the window before.
    Ramping { since: Instant },
}

/// Phase in which an ACK finds the slowdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlowdownPhase {
    /// The window grows and shrinks as in normal operation.
    Open,
    /// A slowdown begins: two segments.
    Begins,
    /// The window stays.
    Frozen,
}

impl Slowdown {
    /// An ACK of new data, with the smoothed round trip; none begins unless `wanted`.
    pub(super) fn on_ack(&mut self, view: &View, srtt: Span, wanted: bool) -> SlowdownPhase {
        let (now, in_slow_start) = (view.now, view.cwnd < view.ssthresh);
        match *self {
            Slowdown::Starting if !in_slow_start => {
                *self = Slowdown::Waiting { until: now + srtt * FROZEN_ROUND_TRIPS };
                SlowdownPhase::Open
            }
            Slowdown::Waiting { until } if wanted && now >= until && !in_slow_start => {
                *self = Slowdown::Frozen { since: now, until: now + srtt * FROZEN_ROUND_TRIPS };
                SlowdownPhase::Begins
            }
            Slowdown::Frozen { until, .. } if now < until => SlowdownPhase::Frozen,
            Slowdown::Frozen { since, .. } => {
                *self = Slowdown::Ramping { since };
                SlowdownPhase::Open
            }
            Slowdown::Ramping { since } if !in_slow_start => {
                self.end_slowdown(now, since);
                SlowdownPhase::Open
            }
            Slowdown::Starting | Slowdown::Waiting { .. } | Slowdown::Ramping { .. } => {
                SlowdownPhase::Open
            }
        }
    }

    /// Returns whether the first slow start is still in progress.
    pub(super) fn is_initial_slow_start(&self) -> bool {
        *self == Slowdown::Starting
    }

    /// A loss ends it.
    pub(super) fn on_loss(&mut self, now: Instant) {
        if let Slowdown::Frozen { since, .. } | Slowdown::Ramping { since } = *self {
            self.end_slowdown(now, since);
        }
    }

    fn end_slowdown(&mut self, now: Instant, since: Instant) {
        *self = Slowdown::Waiting { until: now + (now - since) * INTERVAL_FACTOR };
    }
}
