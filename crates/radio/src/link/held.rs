//! How much the hops of a run may hold.

/// How many packets, and repetitions that a link layer owes, all hops of a run may hold at once: a gigabyte or so.
pub const MOST_HELD: usize = 10_000_000;
