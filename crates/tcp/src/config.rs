//! What is fixed during a connection: the data in which the sources of rules differ.

use crate::growth::GrowthConfig;
use crate::recovery::{Source, Variant};
use crate::timers::TimerConfig;
use airtcp_core::Span;

/// What is fixed during a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderConfig {
    /// Loss recovery.
    pub variant: Variant,
    /// Whose rules it follows; it must define the variant ([`Variant::of`]).
    pub source: Source,
    /// Growth of the window.
    pub growth: GrowthConfig,
    /// Retransmission timer.
    pub timer: TimerConfig,
    /// Window that the receiver advertises, in packets (`W_max`), at least 1.
    pub window: u32,
    /// Initial congestion window in packets.
    pub initial_window: u32,
    /// Initial slow-start threshold in packets.
    pub ssthresh: u32,
    /// Whether the congestion window stays at or below the advertised one, or goes on growing unseen.
    pub capped: bool,
    /// Duplicate ACKs that trigger a fast retransmit (K), at least 1.
    pub dupack_threshold: u32,
    /// Whether idealised recovery sends new data on an inflated window.
    pub inflation: bool,
    /// Sequence numbers per full packet: 1 where packets are counted, the MSS where bytes are.
    pub mss: u32,
    /// Length on the air of one sequence number.
    pub unit_bits: u64,
    /// Length on the air of a data packet's headers.
    pub header_bits: u64,
}

impl SenderConfig {
    /// The idealisation of slotted analysis: packets are counted, the window stops at the advertised
    /// one [zorzi, section II].
    #[must_use]
    pub fn idealised(variant: Variant, window: u32, timeout: Span, packet_bits: u64) -> Self {
        SenderConfig {
            variant,
            source: Source::Ideal,
            growth: GrowthConfig::Idealised,
            timer: TimerConfig::PerPacket { timeout },
            window,
            initial_window: 1,
            ssthresh: window,
            capped: true,
            dupack_threshold: 3,
            inflation: false,
            mss: 1,
            unit_bits: packet_bits,
            header_bits: 0,
        }
    }

    /// ns with its settings of 1998 to 2000; the clock of the estimator has period `tick` and phase
    /// `boot`.
    #[must_use]
    pub fn ns2(variant: Variant, window: u32, tick: Span, boot: Span, packet_bits: u64) -> Self {
        SenderConfig {
            source: Source::Ns2,
            growth: GrowthConfig::Ns2,
            timer: TimerConfig::Ticks { tick, boot },
            capped: false,
            ..SenderConfig::idealised(variant, window, tick, packet_bits)
        }
    }
}
