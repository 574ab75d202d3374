//! DCTCP [RFC 8257]: Reno that reduces in proportion to the share of ECN marks. Once per window of data, the share M of
//! marked bytes enters a moving average, `alpha = (1 - g) alpha + g M`. An echoed mark reduces the window to `cwnd (1 -
//! alpha / 2)`, at most once per window; a loss halves it.
//!
//! All packets carry ECT(0), retransmissions too. The receiver echoes every mark exactly once: a delayed ACK is sent
//! before a packet whose mark differs from that of the last one [section 3.2]. DCTCP needs a queue that marks from a
//! threshold on: `red` with `weight = 1` and almost equal thresholds, as in section 3.1, or `dualpi2`, where it enters
//! the classic queue. ECN is on without `ecn`.

use super::control::{AckMarks, AckSample, CongestionControl, LossEvent, MarkResponse, Parameters};
use super::mark_share::MarkShare;
use super::reno::{self, Reno};
use crate::scoreboard::RateSample;
use crate::slow_start::SlowStartState;
use crate::view::View;
use crate::window::Window;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of DCTCP.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Dctcp {
    /// Weight of the last window in the moving average of the share of marked packets (g) [RFC 8257 4.2]. Example:
    /// `0.125`.
    #[schemars(range(min = 0.0001, max = 1))]
    pub gain: f64,
}

impl Default for Dctcp {
    fn default() -> Self {
        Dctcp { gain: 1.0 / 16.0 }
    }
}

impl Parameters for Dctcp {
    const MARKS: MarkResponse = MarkResponse::Share;
    type Control = Control;

    fn control(&self, start: SlowStartState) -> Control {
        Control { growth: Reno {}.control(start), share: MarkShare::new(self.gain) }
    }
}

/// Reno's state, and the share of marks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Control {
    growth: reno::Control,
    share: MarkShare,
}

impl CongestionControl for Control {
    fn on_ack(&mut self, view: &View, ack: &AckSample) -> Window {
        self.growth.on_ack(view, ack)
    }

    fn on_loss(&mut self, view: &View, loss: &LossEvent) -> Window {
        self.growth.on_loss(view, loss)
    }

    fn on_ack_marks(&mut self, view: &View, echo: &AckMarks) {
        if self.share.add_ack(echo) {
            self.share.update(view);
        }
    }

    fn on_mark(&mut self, view: &View) -> Option<Window> {
        self.growth.end_slow_start();
        Some(self.share.reduced_window(view.cwnd, view.mss))
    }

    fn on_round_trip(&mut self, view: &View, sample: &RateSample) -> Option<Window> {
        self.growth.on_round_trip(view, sample)
    }
}
