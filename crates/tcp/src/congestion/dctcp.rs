//! DCTCP [RFC 8257]: Reno that answers marks by how many there are. Once per window of data the share of the bytes that were
//! marked is averaged, `alpha = (1 - g) alpha + g M`; an echo leaves `cwnd (1 - alpha / 2)`, once per window, and a loss half.
//!
//! Packets say ECT(0), those that are retransmitted too. The receiver echoes every mark once: an ACK that waits leaves
//! before a packet that differs from the last one in whether it is marked [section 3.2]. Made for queues that mark from
//! a threshold on: `red` with `weight = 1` and thresholds that hardly differ, as section 3.1 has it, or `dualpi2`,
//! whose classic queue it is then in. ECN is on: `ecn` need not be said.

use super::control::{AckMarks, AckSample, CongestionControl, Loss, MarkResponse, Parameters};
use super::mark_share::MarkShare;
use super::reno::{self, Reno};
use crate::scoreboard::RateSample;
use crate::slow_start::SlowStartState;
use crate::view::View;
use crate::window::Window;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// DCTCP's growth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Dctcp {
    /// Weight of the last window in the average share of marks (g): 1/16 [RFC 8257 4.2].
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

    fn on_loss(&mut self, view: &View, loss: &Loss) -> Window {
        self.growth.on_loss(view, loss)
    }

    fn on_echo(&mut self, view: &View, echo: &AckMarks) {
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
