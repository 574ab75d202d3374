//! RACK-TLP [RFC 8985]: a segment is lost if a segment sent later was delivered and a round trip plus a reordering
//! window has passed since it was sent. Retransmissions are judged by the same rule, so a lost retransmission causes no
//! timeout. The reordering window is a quarter of the minimum round trip. Until reordering is seen, it is 0 during a
//! recovery and when K segments are reported (K: dupacks). If no ACK arrives for two round trips, a tail loss probe
//! (TLP) is sent, a new segment or the last one again, so that losses at the end cause no timeout either.
//!
//! Lost segments are sent again, lowest first, then new data, as long as the data in flight leaves room in the window.
//! After a timeout the same holds: the sender does not go back, and SACK reports are kept. With `reduction =
//! "at-once"`, the window is reduced again if a retransmission is lost, or a segment sent after the reduction [RFC 8985
//! 9.3].
//!
//! State, reordering window and loss rule are those of profile `linux` (`crates/linux/src/sender/rack.rs`, `tlp.rs`),
//! in nanoseconds. Segments sent at one instant are told apart by the order of sending; the RFC, whose clock is
//! coarser, uses sequence numbers (`RACK_sent_after`). Where Linux differs from the RFC, the RFC holds here: timers
//! have no granularity of 4 ms and no margin of 2 ms; a timeout waits for the reordering window too (6.3; in Linux for
//! a round trip); a probe needs a round-trip sample since the previous probe (7.3); the reordering timer restarts while
//! segments wait; the highest segment counts as a retransmission when it is sent again. TLP.max_ack_delay is 200 ms, as
//! in Linux. Left out: adapting the window to D-SACKs (6.2 step 4), which RFC 8985 recommends (section 4), as the
//! receivers here send none. The simulator has no handshake, so the first probe needs no earlier round-trip sample.

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
        DetectedLosses { is_first_lost: false, lost_below: 0 }
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
