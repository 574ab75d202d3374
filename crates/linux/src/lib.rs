//! The TCP of Linux 6.18 as packets show it, without input or output: sender, receiver and connection,
//! driven by segments and time.
//!
//! The rules are those of the pages in `rules`, which code cites as `rules/recovery.md rule 7`. It counts in what
//! the kernel counts in: packets, jiffies of a wheel with the host's phase, microseconds. Data are counts
//! of bytes, sequence numbers 64-bit counters: the SYN has number 0, the first byte number 1. Who talks to
//! a wire cuts them to 32 bits.

pub mod clock;
pub mod congestion;
pub mod connection;
pub mod fast_open;
pub mod host;
pub mod minmax;
pub mod options;
pub mod rate;
pub mod receiver;
pub mod segment;
pub mod sender;
pub mod sysctl;

pub use clock::{Clock, TimeInUnits};
pub use connection::Connection;
pub use segment::{Ecn, Flags, Segment};
pub use sysctl::Sysctl;
