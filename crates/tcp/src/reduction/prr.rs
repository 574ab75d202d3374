//! Proportional rate reduction [RFC 9937]: as long as more is in the network than the threshold, every ACK of a recovery lets
//! out the share of what it delivers that the threshold is of what was in flight, so that sending goes on at a lower pace. Below the threshold it lets
//! out what it delivers, and one segment more where it moves the cumulative ACK and shows no further loss. The window of the
//! ACK that ends the recovery is the threshold.
//!
//! The step is one with that of profile `linux` (`crates/linux/src/sender/prr.rs`), in bytes. Linux differs in one number: the
//! reduction is in proportion to the window as it began, `reduction = {kind = "prr", base = "window"}`, where the RFC takes
//! what was in flight, `RecoverFS`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Denominator of a proportional reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Base {
    /// Sequence numbers in flight as recovery began (`RecoverFS` of RFC 9937).
    #[default]
    Flight,
    /// The window then, as Linux does it.
    Window,
}

/// Proportional rate reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Prr {
    /// Denominator of the reduction: "flight" [RFC 9937], or "window" as in Linux.
    pub base: Base,
}
