//! Eifel: every segment carries a timestamp that the receiver echoes. If the first ACK of new data after a timeout
//! echoes a time before that of the retransmission, it answers the original segment, so the timeout was spurious [RFC
//! 3522 3.2].
//!
//! An ACK of everything outstanding decides nothing, as the ACK of the original may have been lost (step 5; the
//! receivers here send no D-SACK). Timestamps [RFC 7323] take 12 bytes in every segment and ACK, have a clock of 1 ms,
//! and are echoed by the rules of section 4.3; beside them an ACK has room for 3 SACK blocks. They are not used to
//! measure round trips or to reject old segments (PAWS). Left out: spurious fast retransmits, for which RFC 4015 has no
//! response.

use super::verdict::TimeoutVerdict;
use super::watch::SpuriousDetector;
use crate::stamp;
use crate::view::View;
use serde::Serialize;

/// Timestamp that is awaited.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Eifel {
    /// `RetransmitTS`, until an ACK of new data comes.
    retransmit_stamp: Option<u32>,
}

impl Eifel {
    pub(super) const TIMESTAMPS: bool = true;

    pub(super) fn new(_sacks: bool) -> Self {
        Eifel::default()
    }
}

impl SpuriousDetector for Eifel {
    /// Steps 1 and 2. `RetransmitTS` is the timestamp of the first retransmission.
    fn on_timeout(&mut self, view: &View) {
        self.retransmit_stamp = Some(view.timestamp_now);
    }

    fn stop(&mut self) {
        self.retransmit_stamp = None;
    }

    /// Steps 3 to 6.
    fn on_new_ack(&mut self, view: &View, _recover: u64) -> TimeoutVerdict {
        let Some(retransmitted) = self.retransmit_stamp.take() else {
            return TimeoutVerdict::Nothing;
        };
        let original = stamp::is_before(view.echo, retransmitted); // Step 4.
        let outstanding = view.una < view.high; // Step 5.
        if original && outstanding { TimeoutVerdict::Spurious } else { TimeoutVerdict::Nothing }
    }
}
