//! Interface of a loss detection to the sender.

use super::rack_tlp::TimeBasedDetector;
use crate::view::View;

/// Losses that an ACK shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DetectedLosses {
    /// The first segment not acknowledged is lost.
    pub(crate) is_first_lost: bool,
    /// Segments below this number that were sent once and not SACKed are lost; retransmitted ones may be in flight.
    pub(crate) lost_below: u64,
}

/// The parameters of a detection that a scenario can name.
pub(crate) trait DetectionRule {
    /// True if the rule uses SACK blocks.
    const NEEDS_SACK: bool = false;
    /// True if the rule uses send times, which are then kept, and timers.
    const IS_TIME_BASED: bool = false;
    /// State in one sender.
    type Detector: Detector;
    /// A connection begins.
    fn detector(&self) -> Self::Detector;
}

/// Detects losses.
pub(crate) trait Detector {
    /// Looks for losses after an ACK. `duplicates` is its place, from 1, in a row of ACKs that are duplicates or report
    /// data which no ACK before has reported; 0 for other ACKs.
    fn on_ack(&mut self, view: &View, duplicates: u32) -> DetectedLosses;
    /// The detection by times, if it is one.
    #[inline]
    fn time_based(&self) -> Option<&TimeBasedDetector> {
        None
    }
    /// The detection by times, if it is one, to be changed.
    #[inline]
    fn time_based_mut(&mut self) -> Option<&mut TimeBasedDetector> {
        None
    }
}
