//! One packet timed at a time, never a retransmission [Karn's rule; RFC 6298, section 3].

use airtcp_core::Instant;
use serde::Serialize;

/// The packet being timed, and when it was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct RttTiming(Option<(u64, Instant)>);

impl RttTiming {
    /// `seq` is sent for the first time: it is timed unless another one is.
    #[inline]
    pub(crate) fn begin(&mut self, seq: u64, now: Instant) {
        self.0.get_or_insert((seq, now));
    }

    /// Send time of the timed packet, if it is below `una`.
    #[inline]
    pub(crate) fn finish(&mut self, una: u64) -> Option<Instant> {
        let (_, sent) = self.0.take_if(|(seq, _)| *seq < una)?;
        Some(sent)
    }

    /// Returns whether the measured packet ends below `una`.
    pub(crate) fn ends_below(&self, una: u64) -> bool {
        self.0.is_some_and(|(seq, _)| seq < una)
    }

    /// Stops timing: an ACK may answer a retransmission.
    pub(crate) fn stop(&mut self) {
        self.0 = None;
    }
}
