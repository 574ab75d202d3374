//! What a loss detection is to the sender.

use super::rack_tlp::ByTime;
use crate::view::View;

/// What an ACK shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The first segment not acknowledged is lost.
    pub(crate) loss: bool,
    /// What was sent, is not reported and lies below is lost; what was sent again since may be under way.
    pub(crate) lost_below: u64,
}

/// The parameters of a detection that a scenario can name.
pub(crate) trait Detect {
    /// Whether it goes by SACK blocks.
    const NEEDS_REPORTS: bool = false;
    /// Whether it goes by the times of segments: those are kept, and it has timers.
    const BY_TIME: bool = false;
    /// What it is to one sender.
    type Detector: Detector;
    /// A connection begins.
    fn detector(&self) -> Self::Detector;
}

/// What detects losses.
pub(crate) trait Detector {
    /// An ACK was taken; if it is a duplicate, or reports what no ACK before it has reported, the
    /// `duplicates`-th of its row, else 0.
    fn on_ack(&mut self, view: &View, duplicates: u32) -> Finding;
    /// What goes by times, if it does.
    #[inline]
    fn by_time(&self) -> Option<&ByTime> {
        None
    }
    /// The same, to be told something.
    #[inline]
    fn by_time_mut(&mut self) -> Option<&mut ByTime> {
        None
    }
}
