//! RACK-TLP [RFC 8985]: a segment is lost if one that left later was delivered and a round trip and a reordering window have
//! passed since it left. That judges retransmissions as it judges everything else, so that a lost retransmission costs no
//! timeout. Until reordering was seen the window is nothing in a recovery, or with K segments reported (K: dupacks), else a
//! quarter of the least round trip; a timer waits for it. Where ACKs stay away for two round trips, a probe of one segment, new
//! or the last one again, brings one (TLP), so that losses at the end cost no timeout either.
//!
//! Lost segments are retransmitted, lowest first, then new data, as far as what is in flight leaves room in the window;
//! after a timeout likewise: there is no going back, and reports are kept. With `reduction = "at-once"` a lost
//! retransmission, and whatever left after the window came down, brings it down again [RFC 8985 9.3].
//!
//! The state, the window and the judgement of a segment are those of profile `linux`
//! (`crates/linux/src/sender/rack.rs`, `tlp.rs`), in nanoseconds. What left at one instant is distinguished by the
//! order in which it left, where the RFC, whose clock is coarser, goes by sequence numbers (`RACK_sent_after`). Where
//! Linux differs, the RFC holds here: the timers have no grain of 4 ms and no margin of 2 ms; a timeout waits for the
//! reordering window too (6.3; Linux for a round trip); the probe asks for a round trip measured since the one before
//! (7.3); the reordering timer starts again while segments wait; the highest segment retransmitted counts as a
//! retransmission. TLP.max_ack_delay is 200 ms, as in Linux. Left out: adapting the window to D-SACKs (6.2 step 4),
//! which RFC 8985 recommends and does not require (section 4), for the receivers here send none. The simulator has no
//! handshake, so that the first probe needs no round trip before it.

use super::detect::{DetectedLosses, DetectionRule, Detector};
use super::rack::Rack;
use super::tail_probe::TailProbe;
use crate::scoreboard::Scoreboard;
use crate::view::View;
use airtcp_core::Instant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// RACK-TLP with the constants of RFC 8985.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RackTlp {}

impl DetectionRule for RackTlp {
    const NEEDS_SACK: bool = true;
    const IS_TIME_BASED: bool = true;
    type Detector = Box<TimeBasedDetector>;

    fn detector(&self) -> Box<TimeBasedDetector> {
        Box::default()
    }
}

/// Detection by times: RACK, and the probe that serves it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct TimeBasedDetector {
    pub(crate) rack: Rack,
    pub(crate) tail: TailProbe,
}

impl Detector for Box<TimeBasedDetector> {
    /// Duplicate ACKs are ignored.
    fn on_ack(&mut self, _view: &View, _duplicates: u32) -> DetectedLosses {
        DetectedLosses { loss: false, lost_below: 0 }
    }

    #[inline]
    fn time_based(&self) -> Option<&TimeBasedDetector> {
        Some(self)
    }

    #[inline]
    fn time_based_mut(&mut self) -> Option<&mut TimeBasedDetector> {
        Some(self)
    }
}

impl TimeBasedDetector {
    /// Expiry of the first of its timers. While one runs, the retransmission timer does not [RFC 8985, section 8].
    #[inline]
    pub(crate) fn expiry(&self) -> Option<Instant> {
        let first = self.rack.expiry().min(self.tail.expiry());
        (first < Instant::NEVER).then_some(first)
    }

    /// Marks the lost segments, and arms the timer for those that may be lost [RFC 8985 6.2 steps 4 and 5].
    pub(crate) fn mark_losses(&mut self, now: Instant, segments: &mut Scoreboard, window: u64) {
        let rack = &self.rack;
        let longest =
            segments.mark_overdue(|sent, place| rack.remaining(now, (sent, place), window));
        self.rack.arm_timer(now, longest, window);
    }

    /// The retransmission timer expired [RFC 8985 6.3]; 7.1 for the probe.
    pub(crate) fn on_timeout(&mut self, now: Instant, segments: &mut Scoreboard) {
        let rack = &self.rack;
        segments.mark_overdue(|sent, _| Some(rack.reordering_allowance(now, sent)));
        self.rack.stop();
        self.tail.reset();
    }
}
