//! TCP connections without input or output: handshake, teardown, resets, windows and the bytes themselves,
//! around the same sender and receiver that the simulator runs [RFC 9293].
//!
//! A driver hands packets and time to a [`Stack`], and takes packets from it. Invariant: after one input,
//! drain [`Stack::poll_transmit`] before the next; [`Stack::poll_timeout`] counts after that. The other end
//! may be any TCP.
//!
//! SYN and FIN are not special to the data phase: the first byte has counter 0, and the FIN is one more
//! number after the last byte, so that loss recovery and timers repair it like data.
//!
//! Against forged packets: resets, SYNs and ACKs as RFC 5961 says, PAWS where timestamps are in use
//! [RFC 7323 5], and memory that does not grow with what comes in. Left out: SYN cookies, Fast Open, urgent
//! data, keep-alives, path MTU discovery, ECN, a new connection out of TIME-WAIT (RFC 9293 3.10.7.4, MAY-2:
//! a SYN there is challenged as in any other state).
//!
//! Scenarios of profile `linux` have [`LinuxStack`] instead: a host of `airtcp_linux`, with the bytes, which that
//! only counts.
//!
//! Probes are segments without data whose option asks for an answer ([`crate::wire::ProbeOption`]). Every SYN
//! says that this end answers them; where the other one does not, a variant that probes becomes its plain
//! counterpart ([`airtcp_tcp::Variant::without_fast_recovery`]). A cycle begins only with data or a FIN outstanding, and
//! the FIN waits for its end like data; a reset ends it, and so does silence for as long as a connection is
//! patient. A window that closed meanwhile is probed after the cycle.

mod connection;
mod content;
mod ending;
mod from_scenario;
mod handshake;
mod host;
mod incoming;
mod limiter;
mod linux;
mod negotiated;
mod outgoing;
mod ring;
mod session;
mod settings;

pub use connection::Connection;
pub use content::Content;
pub use ending::{Ending, State};
pub use host::{ConnectError, Stack};
pub use linux::LinuxStack;
pub use settings::{Peers, Settings};
