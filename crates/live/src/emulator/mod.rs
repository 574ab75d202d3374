//! The path of a scenario for the packets of real programs.
//!
//! Everything about the path happens in logical time: a packet arrives at the instant at which it was read,
//! and what follows is computed from that alone. What the process does late, it does late to real time,
//! never to the channel; so a log of arrivals replays to the same fates.

mod carried;
#[cfg(target_os = "linux")]
pub mod host;
mod lateness;
mod numbering;
mod packet;
mod record;
mod replay;
mod way;

pub use lateness::{LATE, Lateness};
pub use numbering::Numbering;
pub use packet::IpPacket;
pub use record::{Fate, RECORD, Record, WORDS};
pub use replay::{Difference, Replay, replay};
pub use way::{Way, ways};
