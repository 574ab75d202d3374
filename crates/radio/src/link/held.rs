//! Limit of what the hops of a run may hold.

/// Most packets, and repetitions that a link layer owes, that all hops of a run may hold at once: a gigabyte or so.
pub const MAX_HELD: usize = 10_000_000;
