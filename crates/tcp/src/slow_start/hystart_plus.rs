//! HyStart++ [RFC 9406]: where the least round trip of a round lies 4 to 16 ms above that of the round before (an eighth of
//! it), a queue has begun to build up. Slow start goes on at a quarter of its pace, as long as the round trip does not fall
//! again, for five rounds at most; then congestion avoidance begins, with no loss. It ends with the first loss, and does not
//! return. An ACK adds eight segments at most, for nothing here paces (`abc_limit` does not count).
//!
//! The rounds are those of profile `linux` (`crates/linux/src/congestion/hystart_plus.rs`), in bytes. Every ACK gives a round
//! trip: of the newest segment that it covers, if that was sent once.

use crate::scoreboard::RateSample;
use crate::view::View;
use crate::window::Window;
use airtcp_linux::congestion::HyStartPlus as Rounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// HyStart++ with the constants that RFC 9406 section 4.3 recommends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HyStartPlus {}

/// Grows up to the threshold, as standard slow start.
pub(super) fn grow(rounds: &mut Rounds, view: &View, acked: u64) -> Window {
    let acked = u32::try_from(acked).unwrap_or(u32::MAX);
    view.cwnd.plus(rounds.increase(acked, view.mss, false)).min(view.ssthresh)
}

/// Returns whether the ACK ends slow start.
pub(super) fn on_sample(rounds: &mut Rounds, view: &View, sample: &RateSample) -> bool {
    if let Some(rtt) = sample.rtt {
        rounds.sample(u32::try_from(rtt.nanos() / 1000).unwrap_or(u32::MAX));
    }
    rounds.round(view.una, view.high)
}
