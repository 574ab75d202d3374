//! What happens to packets on the way: channel processes and links. Knows no TCP.

pub mod channel;
mod link;
mod rayleigh;
mod two_state;

pub use channel::{Burst, Channel, ChannelSpec, Fate, Process, SpecError};
pub use link::Link;
pub use rayleigh::rayleigh_two_state;
pub use two_state::TwoState;
