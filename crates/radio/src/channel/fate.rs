//! Questions to a channel, and its answers.

use airtcp_core::{Cancel, Instant, Span};

/// One transmission: it occupies the medium in `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// First instant.
    pub start: Instant,
    /// First instant after it.
    pub end: Instant,
    /// Bits of the packet, without what a code adds.
    pub bits: u64,
}

/// Fate of a transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The packet arrived.
    Clean,
    /// The packet is lost.
    Erased,
}

/// Count of transmissions that met chains whose loss rate is stated, and of those that were lost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChainTally {
    /// Transmissions, once for each such chain.
    pub transmissions: u64,
    /// Transmissions that a chain lost.
    pub lost: u64,
    /// Expected number of lost transmissions by the stated loss rates.
    pub expected: f64,
}

impl ChainTally {
    /// Sum of both tallies.
    #[must_use]
    pub fn plus(self, other: ChainTally) -> ChainTally {
        ChainTally {
            transmissions: self.transmissions + other.transmissions,
            lost: self.lost + other.lost,
            expected: self.expected + other.expected,
        }
    }
}

/// A loss process. Transmissions are passed to it in the order of their starts, and do not overlap.
pub trait Channel: std::fmt::Debug {
    /// Fate of `burst`, the next transmission.
    fn fate_of(&mut self, burst: Transmission) -> Fate;

    /// Returns whether it delays packets.
    fn delays(&self) -> bool {
        false
    }

    /// The extra delay of a transmission that starts at `start`, which may run back.
    fn delay(&mut self, _start: Instant) -> Span {
        Span::ZERO
    }

    /// Makes answers come soon after `cancel` is set, which then mean nothing: passing a long idle time, or a long
    /// packet, may take minutes.
    fn watch(&mut self, _cancel: &Cancel) {}

    /// The bits on the air for `bits` bits of a packet: more where there is a code.
    fn bits_on_air(&self, bits: u64) -> u64 {
        bits
    }

    /// Tally of the transmissions that met chains on the slot clock with a stated loss rate.
    fn chain_tally(&self) -> ChainTally {
        ChainTally::default()
    }
}
