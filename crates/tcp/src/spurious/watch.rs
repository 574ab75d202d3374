//! Interface of a detection of spurious timeouts: it reads the timeouts and the ACKs that follow them, and gives a verdict on
//! each ACK.

use super::verdict::TimeoutVerdict;
use crate::view::View;

/// A way to find out that a timeout was spurious. A registered way also has `new(sacks)`, where `sacks` says whether the
/// variant reads SACK blocks, and `TIMESTAMPS`, which says whether every segment carries that option.
pub(crate) trait SpuriousDetector {
    /// The timer has expired.
    fn on_timeout(&mut self, view: &View);
    /// The timer expires again before all data sent before its first expiry are acknowledged.
    fn on_repeated_timeout(&mut self) {}
    /// The variant has begun fast recovery.
    fn stop(&mut self);
    /// An ACK moves the window; `recover` is the end of what was sent at the timeout.
    fn on_new_ack(&mut self, view: &View, recover: u64) -> TimeoutVerdict;
    /// An ACK does not.
    fn on_duplicate_ack(&mut self, _view: &View, _recover: u64) -> TimeoutVerdict {
        TimeoutVerdict::Nothing
    }
    /// Returns whether to send new segments instead of retransmissions.
    fn sends_new_data(&self) -> bool {
        false
    }
}
