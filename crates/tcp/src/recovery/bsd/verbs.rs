//! Verbs of the variants of BSD.

use crate::cause::Cause;
use crate::plan::Plan;
use crate::view::View;

impl Plan {
    /// The first unacknowledged segment again, and a lower threshold.
    pub(super) fn resend_one(&mut self, view: &View) {
        self.reduce = Some(Cause::FastRetransmit);
        self.retransmit = Some(view.una);
        self.fast_retransmit = true;
    }
}
