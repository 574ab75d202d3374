//! Links: the elements that take airtime and lose packets.

mod delays;
mod forced;
mod hop;
mod losses;
mod queue;
mod wire;

pub use hop::{Hop, HopConfig};
pub use losses::{Cause, HopCounters, Lost};
pub use queue::Discipline;
pub use wire::Link;
