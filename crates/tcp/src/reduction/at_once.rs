//! The window is at the threshold as recovery begins [RFC 5681 3.2, step 3; RFC 6675, section 5, step 4.2]. Where more is in
//! the network, nothing leaves until it has come down to that: about half a round trip of silence, then the clock of the ACKs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reduction of the standards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Immediate {}
