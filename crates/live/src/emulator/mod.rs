//! The path of a scenario for the packets of real programs.
//!
//! Everything on the path happens in logical time: a packet arrives at the instant at which the driver
//! reads it, and its fate is computed from that instant alone. If the process is late, packets leave late
//! in real time, but the channel is not affected; so a log of arrivals replays to the same fates.

#[cfg(target_os = "linux")]
pub mod host;
mod lateness;
mod numbering;
mod one_way_path;
mod packet;
mod path_packet;
mod record;
mod replay;

pub use lateness::{LATE_LIMIT, Lateness};
pub use numbering::Numbering;
pub use one_way_path::{OneWayPath, directions};
pub use packet::IpPacket;
pub use record::{FIELDS, Fate, Record, WORD_COUNT};
pub use replay::{Difference, Replay, replay};
