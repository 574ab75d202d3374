//! The classic variants as in BSD around 1990 [lahanas reading, section 3]. Windows count bytes; a
//! fast retransmit resends one segment and goes on where it was.

mod reno;
mod tahoe;

pub(super) use reno::Reno;
pub(super) use tahoe::Tahoe;

use super::{Cwnd, Plan, View};
use crate::growth::Cause;

impl Plan {
    /// The first unacknowledged segment again, and a lower threshold.
    fn resend_one(&mut self, view: &View) {
        self.reduce = Some(Cause::FastRetransmit);
        self.retransmit = Some(view.una);
        self.fast_retransmit = true;
    }
}
