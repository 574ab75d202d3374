//! Interface of every registered gate.

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
    /// Packets from the near end of the hop to its far end.
    Forward,
    /// Packets from the far end of the hop to its near end.
    Back,
}

/// Interface of every registered gate.
pub trait Spec {
    /// The process driven by `stream`.
    ///
    /// # Errors
    /// If the values contradict each other.
    fn build(&self, stream: Stream) -> Result<GateProcess, SpecError>;

    /// Direction of the packets that meet the outages.
    fn direction(&self) -> Direction {
        Direction::Both
    }

    /// Returns whether the outages are random. A gate that can be built and says no has the same outages on every
    /// stream.
    fn is_random(&self) -> bool {
        true
    }
}
