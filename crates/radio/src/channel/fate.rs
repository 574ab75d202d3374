//! What a channel is asked, and what it answers.

use airtcp_core::{Cancel, Instant};

/// One transmission: it occupies the medium in `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// First instant.
    pub start: Instant,
    /// First instant after it.
    pub end: Instant,
    /// Bits of the packet, without what a code adds.
    pub bits: u64,
}

/// What became of a transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrived.
    Clean,
    /// It is lost.
    Erased,
}

/// A loss process. Bursts are asked about in the order of their start, and do not overlap.
pub trait Channel: std::fmt::Debug {
    /// The fate of `burst`.
    fn fate(&mut self, burst: Burst) -> Fate;

    /// From now on answers come soon after `cancel` is set, and mean nothing then: passing a long idle time, or a long
    /// packet, may take minutes.
    fn watch(&mut self, _cancel: &Cancel) {}

    /// The bits on the air for `bits` bits of a packet: more where there is a code.
    fn bits_on_air(&self, bits: u64) -> u64 {
        bits
    }
}
