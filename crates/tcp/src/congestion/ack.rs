//! What an ACK of new data says to a law of growth.

use crate::view::View;
use crate::window::Window;
use airtcp_core::{Instant, Span};

/// An ACK of new data.
pub(crate) struct Acked {
    pub(crate) now: Instant,
    /// Sequence numbers that it acknowledges first.
    pub(crate) amount: u64,
    /// Most that slow start adds to the window.
    pub(crate) slow_start: u64,
    /// Smoothed round-trip time, where one is measured.
    pub(crate) srtt: Option<Span>,
}

/// What was outstanding within `window` at a loss.
pub(super) fn flight(view: &View, window: Window) -> u64 {
    view.flight().min(window.floor())
}

/// Whether what was outstanding as the ACK came left no room for another segment. Otherwise the
/// receiver's window or the application is the limit and the window says nothing about the path: it
/// stays [RFC 9438 5.8; for Reno in the spirit of RFC 7661, with the flight for its pipeACK].
pub(super) fn uses_window(view: &View, ack: &Acked) -> bool {
    view.flight() + ack.amount + u64::from(view.mss) > view.cwnd.floor()
}
