//! What every registered gate can do.

use super::process::GateProcess;
use crate::spec_error::SpecError;
use airtcp_core::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The direction of the packets that an outage meets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Direction {
    /// Both.
    #[default]
    Both,
    /// Those from the near end of the hop to its far end.
    Forward,
    /// Those from its far end to its near end.
    Back,
}

/// What every registered gate can do.
pub trait Spec {
    /// The process driven by `stream`.
    ///
    /// # Errors
    /// If the values contradict each other.
    fn build(&self, stream: Stream) -> Result<GateProcess, SpecError>;

    /// Which packets meet the outages.
    fn direction(&self) -> Direction {
        Direction::Both
    }

    /// Whether chance decides the outages. A gate that can be built and says no has the same outages on
    /// every stream.
    fn is_random(&self) -> bool {
        true
    }
}
