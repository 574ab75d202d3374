//! Packetdrill scripts, played in logical time on a host that the caller provides: no privileges, no shell,
//! no clock.
//!
//! [`Script::parse`] reads a script and refuses commands that it does not understand, before anything is
//! played. [`play()`] then hands its events to a [`Host`] one by one, and says if the host does what the
//! script expects: packets with their times, results of socket calls, fields of `TCP_INFO`.
//!
//! The language is the one that google/packetdrill documents. Left out, and refused by name: UDP,
//! encapsulation (GRE, MPLS, IP in IP), PSP, Multipath TCP, mutations of packets, and shell commands other
//! than those that set something (`settings`).

mod call;
mod code;
mod cursor;
mod host;
pub mod limits;
mod linux;
mod options;
mod packet;
mod parse;
mod play;
mod refusal;
mod script;
mod settings;
pub mod symbols;
mod value;

pub use call::{Buffers, Call, WatchedDescriptor};
pub use host::{Answer, Host, Outcome};
pub use linux::{Linux, play_on_linux, play_with_rule_changes};
pub use options::{Definitions, IpVersion, Options};
pub use packet::{CountersFirst, Flags, Icmp, Packet, TcpOption};
pub use play::{Failure, Report, Verdict, play, play_until};
pub use refusal::Refusal;
pub use script::Script;
pub use settings::{Queue, SettingChange, standard};
pub use value::Value;
