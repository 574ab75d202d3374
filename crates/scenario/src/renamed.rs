//! Keys of `tcp` that had another name in an earlier version: what reads documents for users takes both for a while.

use crate::profile::Profile;

/// A key of `tcp` under two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// The profile in which it had the old one.
    pub profile: Profile,
    /// The name in earlier versions.
    pub old: &'static str,
    /// The name now.
    pub new: &'static str,
}

/// All of them.
pub const RENAMED: &[Renamed] =
    &[Renamed { profile: Profile::Rfc, old: "growth", new: "congestion" }];
