//! Clocks by which a chain of states moves on.

use crate::two_state::TwoState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Clock of a chain's steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Clock {
    /// The chain steps once per slot (one packet's airtime), also while nobody sends.
    #[default]
    Slot,
    /// The chain steps once per packet and stands still in between.
    Packet,
}

/// The summary on the slot clock; a chain that stands still between packets has none, unless it has no
/// memory either.
pub(super) fn chain_on_slots(chain: TwoState, clock: Clock) -> Option<TwoState> {
    (clock == Clock::Slot || chain.is_memoryless()).then_some(chain)
}
