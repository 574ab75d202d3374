//! Configuration of a link layer that retransmits, and its counts.

use airtcp_core::{Span, Stream};

/// A link layer that retransmits.
#[derive(Clone, Debug)]
pub struct ArqConfig {
    /// Bits of a packet that a fragment carries (`N_L`), at least 1. The last one carries what is left.
    pub payload: u64,
    /// Bits that it has besides.
    pub overhead: u64,
    /// Transmissions of a fragment before its packet is given up (`n_l`), at least 1.
    pub attempts: u32,
    /// From the end of a transmission to the arrival of its NAK at the sender.
    pub feedback_delay: Span,
    /// Probability that a NAK is lost, below 1. The receiver repeats it when the fragment could have been
    /// there again: after the delay and a fragment's airtime.
    pub feedback_loss: f64,
    /// Stream from which losses of NAKs are drawn.
    pub feedback: Stream,
    /// True if packets are handed over in the order in which they came.
    pub in_order: bool,
}

/// Counts of a link layer that retransmits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArqCounters {
    /// Fragments put on the air, repetitions included.
    pub transmissions: u64,
    /// Repetitions among them.
    pub retransmissions: u64,
    /// Bits of all fragments put on the air.
    pub bits: u64,
    /// Packets that were given up.
    pub failures: u64,
}

impl ArqCounters {
    /// The columns of a table.
    pub const NAMES: [&'static str; 4] =
        ["ll_transmissions", "ll_retransmissions", "ll_bits", "ll_failures"];

    /// The values in that order.
    #[must_use]
    pub fn values(&self) -> [i64; 4] {
        [self.transmissions, self.retransmissions, self.bits, self.failures].map(u64::cast_signed)
    }

    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &ArqCounters) -> ArqCounters {
        ArqCounters {
            transmissions: self.transmissions + other.transmissions,
            retransmissions: self.retransmissions + other.retransmissions,
            bits: self.bits + other.bits,
            failures: self.failures + other.failures,
        }
    }

    /// Counts since `before`.
    #[must_use]
    pub fn since(&self, before: &ArqCounters) -> ArqCounters {
        ArqCounters {
            transmissions: self.transmissions - before.transmissions,
            retransmissions: self.retransmissions - before.retransmissions,
            bits: self.bits - before.bits,
            failures: self.failures - before.failures,
        }
    }
}
