//! Keys of `tcp` that had another name in an earlier version: readers of documents accept both names for a while.

use crate::profile::Profile;

/// A key of `tcp` under two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenamedKey {
    /// The profile in which the key had the old name.
    pub profile: Profile,
    /// The name in earlier versions.
    pub old: &'static str,
    /// The name now.
    pub new: &'static str,
}

/// All of them.
pub const RENAMED_KEYS: &[RenamedKey] =
    &[RenamedKey { profile: Profile::Rfc, old: "growth", new: "congestion" }];
