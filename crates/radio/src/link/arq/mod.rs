//! A link layer that retransmits: a packet is cut into fragments, each of which is sent up to n_l
//! times; packets are handed over in order [chockalingam, section II; chockalingam reading,
//! sections 6 and 7].

pub(super) mod config;
mod feedback;
mod hop;
mod medium;
mod packets;

pub use config::{ArqConfig, ArqCounters};
pub use hop::ArqHop;
