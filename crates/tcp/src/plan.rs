//! Decisions of a strategy: verbs that the sender executes.

use crate::reduction_cause::ReductionCause;
use crate::view::View;
use crate::window::Window;

/// A new window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cwnd {
    /// Exactly this window.
    Exactly(Window),
    /// The threshold (after a reduction, the new one) plus this many packets.
    Threshold {
        /// Packets above it.
        packets_above: u32,
    },
    /// This value for both window and threshold.
    AndThreshold(Window),
    /// The values from before a spurious timeout; the timer becomes more conservative [RFC 4015 3.2].
    Restored {
        /// The window.
        window: Window,
        /// The threshold.
        threshold: Window,
    },
}

/// Effect of an ACK of new data on the timer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AckTimerEffect {
    /// The timer starts again; the timed packet, if covered, gives a sample and ends the backoff.
    #[default]
    Sample,
    /// As `Sample`, but the timer keeps running.
    Keep,
    /// As `Sample`, without a sample.
    Discard,
    /// The timer starts again and backoff ends, whatever was covered.
    ClearBackoff,
    /// As `Discard`, but the timer keeps running.
    DiscardAlone,
    /// Neither timer nor samples.
    Nothing,
}

/// Next packet of a SACK sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextPacket {
    /// Whatever the window allows.
    Window,
    /// Retransmit this packet.
    Retransmit(u64),
    /// New data.
    New,
    /// Send nothing before the next input.
    Nothing,
}

/// Decision of a strategy. An empty plan lets the sender continue and send what the window allows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SendingPlan {
    /// One step of congestion avoidance or slow start.
    pub grows_window: bool,
    /// The congestion control sets a new threshold.
    pub reduce: Option<ReductionCause>,
    /// The window is inflated: the reduction starts from the threshold in its place.
    pub keeps_inflation: bool,
    /// New window, after those two.
    pub cwnd: Option<Cwnd>,
    /// Sequence numbers that may be sent beyond `cwnd` from now on.
    pub inflation: Option<u64>,
    /// Duplicate ACKs counted so far, where it is not the ordinary count (none after new data or a
    /// timeout, one more after a duplicate).
    pub dupack_count: Option<u32>,
    /// Forget the reports of the receiver.
    pub(crate) clears_sack: bool,
    /// Go back: the next packet to send is `una`.
    pub goes_back: bool,
    /// Continue after the highest number sent.
    pub advance_to_high: bool,
    /// Send this packet again, before anything else.
    pub retransmit: Option<u64>,
    /// Stop (`Some(true)`) or resume sending by the window.
    pub suspend: Option<bool>,
    /// Send nothing more, and find out by two probes how the path is.
    pub probes_path_for: Option<ReductionCause>,
    /// Most packets that the window may let out before the next input.
    pub burst_limit: Option<u32>,
    /// One new packet beyond that limit (limited transmit of ns).
    pub extra_packet: bool,
    /// Window before the growth.
    pub window_before: Option<Window>,
    /// A timeout does not double the timer.
    pub keeps_backoff: bool,
    /// A fast retransmit: the timer restarts and the RTT measurement stops.
    pub fast_retransmit: bool,
    /// Effect of a new ACK on the timer.
    pub timer_effect: AckTimerEffect,
}

impl SendingPlan {
    /// Answers a timeout, or an event that counts as one: sets the threshold, a window of one packet, and goes back.
    pub(crate) fn answer_timeout(&mut self, view: &View, cause: ReductionCause) {
        self.reduce = Some(cause);
        self.cwnd = Some(Cwnd::Exactly(Window::from_packets(view.mss)));
        self.goes_back = true;
        self.suspend = Some(false);
        self.fast_retransmit = cause == ReductionCause::FastRetransmit;
    }
}
