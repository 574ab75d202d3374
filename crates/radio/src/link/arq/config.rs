//! Configuration of a link layer that retransmits, and its counts.

use airtcp_core::{Span, Stream, counts};

/// A link layer that retransmits.
#[derive(Clone, Debug)]
pub struct ArqConfig {
    /// Bits of a packet that a fragment carries (`N_L`), at least 1. The last one carries what is left.
    pub payload: u64,
    /// Bits that it has besides.
    pub overhead: u64,
    /// Transmissions of a fragment before its packet is given up (`n_l`), at least 1.
    pub attempts: u32,
    /// Time from the end of a transmission to the arrival of its NAK at the sender.
    pub feedback_delay: Span,
    /// Probability that a NAK is lost, below 1. The receiver repeats it when the fragment could have been
    /// there again: after the delay and a fragment's airtime.
    pub feedback_loss: f64,
    /// Stream from which losses of NAKs are drawn.
    pub feedback: Stream,
    /// True if packets are handed over in the order in which they came.
    pub in_order: bool,
}

counts! {
    /// Counts of a link layer that retransmits.
    pub struct ArqCounters {
        /// Fragments put on the air, repetitions included.
        transmissions: u64, sum => ["ll_transmissions" sum: transmissions];
        /// Repetitions among them.
        retransmissions: u64, sum => ["ll_retransmissions" sum: retransmissions];
        /// Bits of all fragments put on the air.
        bits: u64, sum => ["ll_bits" sum: bits];
        /// Packets that were given up.
        failures: u64, sum => ["ll_failures" sum: failures];
    }
}
