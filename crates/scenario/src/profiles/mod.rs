//! Profiles, one per file: the keys of its `[tcp]`, their meaning, combinations that are refused, and the ends that are built from them.
//! The values that a document leaves out are in `../defaults/NAME.toml`, and the list of profiles is in `profile.rs`.

mod bsd;
mod linux;
mod ns2;
mod rfc;
mod zorzi;

pub use bsd::BsdTcp;
pub use linux::{LinuxHost, LinuxPair, LinuxTcp};
pub use ns2::Ns2Tcp;
pub use rfc::RfcTcp;
pub use zorzi::ZorziTcp;
