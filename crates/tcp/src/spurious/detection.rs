//! The ways to find out a spurious timeout that a scenario can name.

use airtcp_core::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A way to find out that a timeout was spurious.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Detection {
    /// Every timeout counts as a loss.
    #[default]
    None,
    /// The first two ACKs after a timeout show whether it was spurious.
    FRto,
    /// Timestamps show which copy of a segment an ACK answers.
    Eifel,
}

impl Detection {
    /// Every one.
    pub const ALL: &'static [Detection] = &[Detection::None, Detection::FRto, Detection::Eifel];

    /// The listing.
    pub const ENTRIES: &'static [Entry] = &[
        Entry {
            name: "none",
            summary: "Every timeout counts as a loss.",
            sources: "rfc5681, rfc6298",
        },
        Entry {
            name: "f-rto",
            summary: "The first two ACKs after a timeout show whether it was spurious.",
            sources: "rfc5682, rfc4015",
        },
        Entry {
            name: "eifel",
            summary: "Timestamps show which copy of a segment an ACK answers.",
            sources: "rfc3522, rfc7323, rfc4015",
        },
    ];

    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The listing of this one.
    #[must_use]
    pub fn entry(self) -> &'static Entry {
        &Self::ENTRIES[self as usize]
    }

    /// Whether every segment carries the Timestamps option.
    #[must_use]
    pub const fn timestamps(self) -> bool {
        matches!(self, Detection::Eifel)
    }

    /// Bytes of TCP options in every segment: the Timestamps option takes 10, and 2 of padding
    /// [RFC 7323 3.2, appendix A].
    #[must_use]
    pub const fn option_bytes(self) -> u32 {
        if self.timestamps() { 12 } else { 0 }
    }
}
