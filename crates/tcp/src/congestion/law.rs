//! The laws of growth that a scenario can name.

use airtcp_core::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A law of growth of the RFCs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum GrowthLaw {
    /// One segment per round trip, half the flight after a loss.
    Reno,
    /// A cubic function of the time since the last loss.
    Cubic,
}

impl GrowthLaw {
    /// Every law.
    pub const ALL: &'static [GrowthLaw] = &[GrowthLaw::Reno, GrowthLaw::Cubic];

    /// The listing.
    pub const ENTRIES: &'static [Entry] = &[
        Entry {
            name: "reno",
            summary: "One segment per round trip, half the flight after a loss.",
            sources: "rfc5681",
        },
        Entry {
            name: "cubic",
            summary: "A cubic function of the time since the last loss.",
            sources: "rfc9438",
        },
    ];

    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The listing of this law.
    #[must_use]
    pub fn entry(self) -> &'static Entry {
        &Self::ENTRIES[self as usize]
    }
}
