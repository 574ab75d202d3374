//! The window falls to the threshold when recovery begins [RFC 5681 3.2, step 3; RFC 6675, section 5, step 4.2]. While
//! more than that is in flight, nothing is sent: about half a round trip of silence, after which ACKs clock out new
//! segments.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reduction of the standards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Immediate {}
