//! Links: the elements that take airtime and lose packets.

mod wire;

pub use wire::Link;
