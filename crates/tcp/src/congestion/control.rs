//! Interface between a congestion control and the sender. The sender reports events; the congestion control sets the window. It
//! reads the windows and counters of a [`View`], never the sender itself.

use crate::reduction_cause::ReductionCause;
use crate::scoreboard::RateSample;
use crate::slow_start::SlowStartState;
use crate::view::View;
use crate::window::Window;
use airtcp_core::{Ecn, Span};

/// An ACK of new data.
pub(crate) struct AckSample {
    /// Sequence numbers that it acknowledges first.
    pub(crate) amount: u64,
    /// Most that slow start adds to the window.
    pub(crate) slow_start: u64,
    /// Smoothed round-trip time, where one is measured.
    pub(crate) srtt: Option<Span>,
}

/// A loss that the window answers.
pub(crate) struct LossEvent {
    /// Event that showed it.
    pub(crate) cause: ReductionCause,
    /// The congestion window at the loss, without the inflation by recovery.
    pub(crate) window: Window,
}

/// An ACK of a receiver that echoes every mark once.
pub(crate) struct AckMarks {
    /// The number below which the ACK acknowledges all.
    pub(crate) next: u64,
    /// Sequence numbers that it acknowledges first.
    pub(crate) acked: u64,
    /// True if these sequence numbers were marked.
    pub(crate) marked: bool,
    /// Smoothed round-trip time as the ACK arrived, where one was measured.
    pub(crate) srtt: Option<Span>,
}

/// The way a control takes marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkResponse {
    /// Marks count as losses, once per window of data [RFC 3168].
    Losses,
    /// The control uses the share of marked bytes [RFC 8257].
    Share,
    /// As `Share`, with low latency requested [RFC 9331].
    L4s,
}

impl MarkResponse {
    /// Returns whether the control has to know which bytes were marked.
    pub(crate) fn counts_marks(self) -> bool {
        self != MarkResponse::Losses
    }

    /// ECN field of its packets.
    pub(crate) fn ecn_field(self) -> Ecn {
        if self == MarkResponse::L4s { Ecn::Ect1 } else { Ecn::Ect0 }
    }
}

/// A congestion control.
pub(crate) trait CongestionControl {
    /// An ACK of new data while no loss is being repaired: the window after it.
    fn on_ack(&mut self, view: &View, ack: &AckSample) -> Window;
    /// A loss: the slow-start threshold after it. The strategy sets the window.
    fn on_loss(&mut self, view: &View, loss: &LossEvent) -> Window;
    /// Takes any ACK, duplicates included, before other processing; for controls that count marks.
    fn on_ack_marks(&mut self, _view: &View, _echo: &AckMarks) {}
    /// Takes an echo of a mark, at most once per window of data, for controls that count marks. Returns the new
    /// threshold and window if the control reduces.
    fn on_mark(&mut self, _view: &View) -> Option<Window> {
        None
    }
    /// The retransmission timer expired; if that counts as a loss, [`CongestionControl::on_loss`] follows.
    fn on_timeout(&mut self, _view: &View) {}
    /// Takes a delivery rate sample, for controls that need samples. Returns the new window if the control sets it by
    /// samples rather than by ACKs and losses.
    fn on_sample(&mut self, _view: &View, _sample: &RateSample) -> Option<Window> {
        None
    }
    /// Takes a sample for a slow start that counts round trips. Returns the threshold if slow start ends.
    fn on_round_trip(&mut self, _view: &View, _sample: &RateSample) -> Option<Window> {
        None
    }
    /// Pacing rate in sequence numbers per second, above 0, for controls that pace.
    fn pacing_rate(&self, _view: &View) -> f64 {
        f64::INFINITY
    }
    /// Takes note that the last timeout was spurious: window and threshold are restored.
    fn on_undo(&mut self, _view: &View) {}
}

/// A parameter that contradicts the others: its key, and the reason why its value is refused.
pub type ParameterFault = (&'static str, String);

/// Parameters of a congestion control that a scenario can name.
pub(crate) trait Parameters {
    /// True if it samples the rate of delivery, and the round trip, by every ACK.
    const NEEDS_RATE_SAMPLES: bool = false;
    /// True if the control has its own slow start instead of the scenario's.
    const HAS_OWN_SLOW_START: bool = false;
    /// True if it sets the rate of sending.
    const SETS_PACING_RATE: bool = false;
    /// Response of the control to ECN marks.
    const MARKS: MarkResponse = MarkResponse::Losses;
    /// State in one sender.
    type Control: CongestionControl;
    /// A connection begins, with this slow start.
    fn control(&self, start: SlowStartState) -> Self::Control;
    /// Contradiction between parameters that are each within range.
    fn contradiction(&self) -> Option<ParameterFault> {
        None
    }
}

/// Sequence numbers outstanding within `window` at a loss.
pub(super) fn flight_size(view: &View, window: Window) -> u64 {
    view.flight_size().min(window.floor())
}

/// Half of that, at least two segments [RFC 5681, eq. (4)].
pub(super) fn half_flight_size(view: &View, window: Window) -> Window {
    Window::from_whole((flight_size(view, window) / 2).max(2 * u64::from(view.mss)))
}

/// Returns whether what was outstanding as the ACK arrived left no room for another segment. Otherwise the receiver's
/// window or the application is the limit and the window says nothing about the path: it stays [RFC 9438 5.8; for Reno
/// in the spirit of RFC 7661, with the flight for its pipeACK].
pub(super) fn is_window_used(view: &View, ack: &AckSample) -> bool {
    view.flight_size() + ack.amount + u64::from(view.mss) > view.cwnd.floor()
}
