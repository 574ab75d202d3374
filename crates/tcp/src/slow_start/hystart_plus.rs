//! HyStart++ [RFC 9406]: if the minimum round trip of a round exceeds that of the previous round by an eighth (at least
//! 4 ms, at most 16 ms), a queue has begun to build up. Slow start then continues at a quarter of its pace for up to
//! five rounds, unless the round trip falls again; after that congestion avoidance begins, without a loss. HyStart++
//! applies only until the first loss. An ACK adds at most eight segments, as the sender does not pace (`abc_limit` does
//! not apply).
//!
//! The rounds are those of profile `linux` (`crates/linux/src/congestion/hystart_plus.rs`), in bytes. Every ACK gives a
//! round-trip sample, from the newest segment that it covers, if that segment was sent once.

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
