//! Cross-traffic: its routes and its packets.

use airtcp_core::{Instant, Payload};
use airtcp_radio::SourceConfig;

/// Configuration of cross-traffic of one source.
#[derive(Debug)]
pub struct TrafficConfig {
    /// The source, which decides when packets leave.
    pub source: SourceConfig,
    /// The links that they cross, in order.
    pub route: Vec<usize>,
}

/// A packet of cross-traffic, which is never acknowledged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Datagram {
    /// Owner of the packet: sources are numbered after flows.
    pub owner: u32,
    /// Length on the air.
    pub bits: u64,
    /// Time at which the packet was sent.
    pub born: Instant,
}

impl Payload for Datagram {
    #[inline]
    fn bits(&self) -> u64 {
        self.bits
    }

    #[inline]
    fn owner(&self) -> usize {
        self.owner as usize
    }
}
