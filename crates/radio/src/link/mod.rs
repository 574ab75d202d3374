//! Links: the elements that take airtime and lose packets.

mod arq;
mod delays;
mod exit;
mod forced;
mod holding;
mod hop;
mod line;
mod losses;
mod ns2_hop;
mod opportunities;
mod queue;
mod wire;

/// How many packets, and repetitions that a link layer owes, all hops of a run may hold at once: a gigabyte or so.
pub const MOST_HELD: usize = 10_000_000;

pub use arq::{ArqConfig, ArqCounters, ArqHop};
pub use hop::{Hop, HopConfig};
pub use line::Line;
pub use losses::{Cause, HopCounters, Lost};
pub use ns2_hop::{Ns2Hop, Scheduled};
pub use opportunities::{OPPORTUNITY, Opportunities};
pub use queue::Discipline;
pub use wire::Link;
