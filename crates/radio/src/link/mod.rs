//! Links: the elements that take airtime and lose packets.

mod admission;
mod arq;
mod counts;
mod cuts;
mod delays;
mod exit;
mod flights;
mod forced;
mod held;
mod history;
mod holding;
mod hop;
mod jitter;
mod ledger;
mod line;
pub(crate) mod losses;
mod ns2_hop;
mod opportunities;
mod trains;
mod transmitter;
mod wire;

pub use arq::{ArqConfig, ArqCounters, ArqHop};
pub use counts::{Integral, LinkCounts, Volume};
pub use held::MAX_HELD;
pub use history::LinkHistory;
pub use hop::{Hop, HopConfig};
pub use jitter::{Duplication, Jitter, Overtaking};
pub use ledger::{HopLedger, Observed};
pub use line::Line;
pub use losses::{HopCounters, LossCause, LostPacket};
pub use ns2_hop::{EventCounter, Ns2Hop};
pub use opportunities::{OPPORTUNITY_BITS, Opportunities};
pub use trains::Train;
pub use transmitter::Transmitter;
pub use wire::Link;
