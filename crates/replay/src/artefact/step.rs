//! A step of the clock of a capture.

/// Least step in ns: below, a host was late, or its clock was slewed.
pub(super) const MIN_STEP: i64 = 20_000_000;

/// A step: before which record the clock was set, and by how much, in ns.
pub(crate) type Step = (usize, i64);
