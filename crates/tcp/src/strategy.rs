//! Interface of a variant to the sender: a strategy that sees a [`View`] of it and writes verbs into a
//! [`SendingPlan`], which the sender executes. A strategy holds only its own state.

use crate::plan::{NextPacket, SendingPlan};
use crate::report::ProbeReport;
use crate::view::View;
use crate::window::Window;

/// A loss-recovery strategy.
pub(crate) trait Strategy {
    /// An ACK moved `una` by `acked`. `view.dupacks` is still the count before it.
    fn on_new_ack(&mut self, view: &View, acked: u64, plan: &mut SendingPlan);
    /// Takes a new ACK while the window is not inflated. Returns true if the ACK only grows the window by a step, which
    /// needs no plan; otherwise the call has no effect, and `on_new_ack` follows.
    fn grows_on_new_ack(&mut self, _view: &View, _acked: u64) -> bool {
        false
    }
    /// An ACK did not move `una` while packets were outstanding; `view.dupacks` includes it.
    fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan);
    /// The retransmission timer expired.
    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan);
    /// The last timeout was spurious: nothing it stood for is lost [RFC 5682 2.1, step 3b; RFC 4015 3.2].
    fn on_undo(&mut self, _view: &View) {}
    /// A probing cycle of this strategy has ended. The duplicate ACK count is cleared unless the plan sets it.
    fn on_report(&mut self, _view: &View, _report: &ProbeReport, _plan: &mut SendingPlan) {}
    /// A timer of the detection has shown losses, between two ACKs.
    fn on_losses(&mut self, _view: &View, _plan: &mut SendingPlan) {}
    /// Returns whether it repairs losses that a detection by times has marked.
    fn is_recovering(&self, _view: &View) -> bool {
        false
    }
    /// Returns whether it goes back after a timeout, to send everything again.
    fn resends_from_una(&self) -> bool {
        true
    }
    /// The window of a recovery that reduces it in proportion, once the threshold is known.
    fn window_after_reduction(&mut self, _view: &View) -> Option<Window> {
        None
    }
    /// An ACK of all below `ack` echoes a mark, by the rules of ns; it is taken as an ACK afterwards. Returns whether the
    /// window is reduced.
    fn on_mark(&mut self, _view: &View, _ack: u64, _plan: &mut SendingPlan) -> bool {
        false
    }
    /// The next packet, for strategies that choose packets themselves.
    fn next_segment(&mut self, _view: &View) -> NextPacket {
        NextPacket::Window
    }
}
