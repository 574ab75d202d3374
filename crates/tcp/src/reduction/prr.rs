//! Proportional rate reduction [RFC 9937]: while more than the threshold is in flight, every ACK of a recovery releases
//! a fixed share of the data that it delivers: the threshold divided by the data in flight at the start. So sending
//! continues at a lower pace. Below the threshold an ACK releases the data that it delivers, plus one segment if it
//! moves the cumulative ACK and shows no further loss. When the recovery ends, the window is the threshold.
//!
//! The computation is that of profile `linux` (`crates/linux/src/sender/prr.rs`), in bytes. Linux differs in one
//! number: its reduction is in proportion to the window at the start, `reduction = {kind = "prr", base = "window"}`;
//! the RFC uses the data in flight, `RecoverFS`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Denominator of a proportional reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum PrrBase {
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
    /// Denominator of the reduction: `flight`, the data outstanding [RFC 9937], or `window`, as in Linux. Example:
    /// `"window"`.
    pub base: PrrBase,
}
