//! Slow start, and its end before a loss: a choice by the rules of the RFCs, whatever the growth after it.

mod hystart_plus;
mod standard;

use crate::scoreboard::RateSample;
use crate::view::View;
use crate::window::Window;
use airtcp_linux::congestion::HyStartPlus as Rounds;
use serde::Serialize;

pub use hystart_plus::HyStartPlus;
pub use standard::Standard;

airtcp_core::registry! {
    /// A slow start that a scenario can name.
    #[derive(Copy)]
    pub enum SlowStart or name {
        "standard" => Standard(standard::Standard),
            "The window grows by the acknowledged data, until a loss or up to the threshold.",
            "rfc5681, rfc3465";
        "hystart++" => HyStartPlus(hystart_plus::HyStartPlus),
            "When the round trip rises, slow start slows to a quarter of its pace for up to five rounds, then ends.",
            "rfc9406";
    }
}

impl Default for SlowStart {
    fn default() -> Self {
        SlowStart::Standard(Standard {})
    }
}

impl SlowStart {
    /// Returns whether it has to know the round trip of every ACK.
    pub(crate) fn needs_samples(self) -> bool {
        matches!(self, SlowStart::HyStartPlus(_))
    }

    /// Initial state in a sender.
    pub(crate) fn new_state(self) -> SlowStartState {
        match self {
            SlowStart::Standard(_) => SlowStartState::Standard,
            SlowStart::HyStartPlus(_) => SlowStartState::HyStartPlus(Box::new(Rounds::begin(0))),
        }
    }
}

/// The slow start of one sender.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) enum SlowStartState {
    #[default]
    Standard,
    /// Slow start until the first loss, or until the round trip has ended it [RFC 9406 section 4.3].
    HyStartPlus(#[serde(skip)] Box<Rounds>),
}

impl SlowStartState {
    /// The window after an ACK of `acked` below the threshold; the standard one grows by `most` at most.
    #[inline]
    pub(crate) fn grow(&mut self, view: &View, acked: u64, most: u64) -> Window {
        match self {
            SlowStartState::Standard => standard::grow(view, acked, most),
            SlowStartState::HyStartPlus(rounds) => hystart_plus::grow(rounds, view, acked),
        }
    }

    /// Takes the round trip of an ACK. Returns the threshold if slow start ends.
    pub(crate) fn on_sample(&mut self, view: &View, sample: &RateSample) -> Option<Window> {
        let SlowStartState::HyStartPlus(rounds) = self else { return None };
        let ends = view.cwnd < view.ssthresh && hystart_plus::on_sample(rounds, view, sample);
        ends.then(|| {
            *self = SlowStartState::Standard;
            view.cwnd
        })
    }

    /// A loss has ended it.
    #[inline]
    pub(crate) fn on_loss(&mut self) {
        *self = SlowStartState::Standard;
    }
}
