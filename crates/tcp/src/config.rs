//! Configuration of a connection: the data in which the sources of rules differ.

use crate::congestion::{CongestionSpec, GrowthConfig};
use crate::detection::Detection;
use crate::ns::NsSettings;
use crate::probing::ProbingConfig;
use crate::recovery::Variant;
use crate::reduction::Reduction;
use crate::rule_source::RuleSource;
use crate::segment::PROBE_OPTION_BYTES;
use crate::slow_start::SlowStart;
use crate::spurious::Spurious;
use crate::timers::{TickSettings, TimerConfig};
use airtcp_core::Span;

/// Configuration of a sender, which stays during a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderConfig {
    /// Loss recovery.
    pub variant: Variant,
    /// Source of its rules; it must define the variant ([`Variant::with_rules_of`]).
    pub source: RuleSource,
    /// Detection of losses; none: as the source has it, which the RFCs leave open.
    pub detection: Option<Detection>,
    /// Reduction of the window in a recovery; by the rules of the RFCs only, of variants that read SACK blocks.
    pub reduction: Reduction,
    /// Detection of spurious timeouts; anything but `None` by the rules of the RFCs only.
    pub spurious: Spurious,
    /// Growth of the window.
    pub growth: GrowthConfig,
    /// Slow start, under the RFCs.
    pub slow_start_rule: SlowStart,
    /// Retransmission timer.
    pub timer: TimerConfig,
    /// Window that the receiver advertises, in packets (`W_max`), at least 1.
    pub window: u32,
    /// Advertised window in sequence numbers, where it is not a whole number of packets.
    pub rwnd: Option<u64>,
    /// Initial congestion window in packets.
    pub initial_window: u32,
    /// Most packets that the standard slow start adds per ACK (L of RFC 3465), under the RFCs.
    pub slow_start_limit: u32,
    /// Initial slow-start threshold in packets.
    pub ssthresh: u32,
    /// Most sequence numbers in the congestion window and in the threshold; none: it grows unseen
    /// beyond the advertised one.
    pub max_window: Option<u32>,
    /// Settings of the variants that probe.
    pub probing: ProbingConfig,
    /// Duplicate ACKs that trigger a fast retransmit (K), at least 1.
    pub dupack_threshold: u32,
    /// True if idealised recovery sends new data on an inflated window.
    pub inflation: bool,
    /// True if the first duplicate ACKs send new data [RFC 3042].
    pub limited_transmit: bool,
    /// True if the window falls back to the initial one after an idle time [RFC 5681 4.1].
    pub restarts_after_idle: bool,
    /// True if both ends use explicit congestion notification [RFC 3168].
    pub ecn: bool,
    /// Sequence numbers per full packet: 1 where packets are counted, the MSS where bytes are.
    pub mss: u32,
    /// Length on the air of one sequence number.
    pub unit_bits: u64,
    /// Length on the air of a data packet's headers.
    pub header_bits: u64,
    /// Length on the air of the first packet, where that is a SYN (ns).
    pub syn_bits: Option<u64>,
    /// Settings of ns, for its rules only; `None`: those of 1998 to 2000.
    pub ns: Option<NsSettings>,
}

impl SenderConfig {
    /// The idealisation of slotted analysis: packets are counted, the window stops at the advertised
    /// one [zorzi, section II].
    #[must_use]
    pub fn idealized(variant: Variant, window: u32, timeout: Span, packet_bits: u64) -> Self {
        SenderConfig {
            variant,
            source: RuleSource::Ideal,
            detection: None,
            reduction: Reduction::default(),
            spurious: Spurious::None,
            growth: GrowthConfig::Idealised,
            slow_start_rule: SlowStart::default(),
            timer: TimerConfig::PerPacket { timeout },
            window,
            rwnd: None,
            initial_window: 1,
            slow_start_limit: 1,
            ssthresh: window,
            max_window: Some(window),
            probing: ProbingConfig::new(packet_bits),
            dupack_threshold: 3,
            inflation: false,
            limited_transmit: false,
            restarts_after_idle: false,
            ecn: false,
            mss: 1,
            unit_bits: packet_bits,
            header_bits: 0,
            syn_bits: None,
            ns: None,
        }
    }

    /// ns with its settings of 1998 to 2000; the clock of the estimator has period `tick` and phase
    /// `boot`.
    #[must_use]
    pub fn ns2(variant: Variant, window: u32, tick: Span, boot: Span, packet_bits: u64) -> Self {
        SenderConfig {
            source: RuleSource::Ns2,
            growth: GrowthConfig::Ns2,
            timer: TimerConfig::Ticks { tick, boot, ns: TickSettings::default() },
            max_window: None,
            ..SenderConfig::idealized(variant, window, tick, packet_bits)
        }
    }

    /// The RFCs, in bytes: `mss` of payload and `header` bytes before it in every full packet. The
    /// initial window is RFC 6928's, the timer's bounds are RFC 6298's.
    #[must_use]
    pub fn rfc(
        variant: Variant,
        growth: CongestionSpec,
        window: u32,
        mss: u32,
        header: u32,
    ) -> Self {
        let second = Span::from_nanos(1_000_000_000);
        SenderConfig {
            source: RuleSource::Rfc,
            detection: Some(Detection::default_for(variant.capabilities().sacks)),
            growth: growth.into(),
            timer: TimerConfig::Rfc6298 {
                initial: second,
                margin: Span::ZERO,
                least: second,
                most: second * 60,
            },
            initial_window: 10,
            slow_start_limit: 1,
            ssthresh: u32::MAX,
            max_window: None,
            probing: ProbingConfig::new(header_and_option(header)),
            limited_transmit: true,
            restarts_after_idle: true,
            mss,
            unit_bits: 8,
            header_bits: u64::from(header) * 8,
            ..SenderConfig::idealized(variant, window, second, 8)
        }
    }
}

impl SenderConfig {
    /// BSD around 1990, in bytes, on a slow clock of period `tick` and phase `boot`; windows as in
    /// [`SenderConfig::rfc`], but congestion windows of 16 bits [lahanas reading, section 3].
    #[must_use]
    pub fn bsd(variant: Variant, window: u32, mss: u32, header: u32, clock: (Span, Span)) -> Self {
        let (tick, boot) = clock;
        SenderConfig {
            source: RuleSource::Bsd,
            detection: None,
            growth: GrowthConfig::Bsd,
            timer: TimerConfig::SlowTicks { tick, boot },
            initial_window: 1,
            slow_start_limit: 1,
            max_window: Some(u16::MAX.into()),
            limited_transmit: false,
            restarts_after_idle: false,
            ..SenderConfig::rfc(variant, CongestionSpec::default(), window, mss, header)
        }
    }
}

impl SenderConfig {
    /// Returns whether the sender has only a window that grows with ACKs and a timer: its segments carry nothing but data, and
    /// there is nothing else that would have to be looked at with every packet.
    #[must_use]
    pub fn uses_no_options(&self) -> bool {
        let (needs, can) = (self.growth.needs(), self.variant.capabilities());
        let samples = needs.samples || self.slow_start_rule.needs_samples();
        let by_time = self.detection.is_some_and(|detection| detection.time_based());
        let reduces = matches!(self.reduction, Reduction::Prr(_));
        let of_ns = self.syn_bits.is_some() || self.ns.is_some_and(|ns| !ns.is_plain());
        let watches = self.spurious != Spurious::None;
        let more = samples || needs.paces || by_time || can.sacks || can.probes;
        !(more || self.ecn || reduces || of_ns || watches)
    }
}

/// Bits of a header with the option of a probe.
fn header_and_option(header: u32) -> u64 {
    8 * u64::from(header + PROBE_OPTION_BYTES)
}

/// The initial window of RFC 5681 3.1, in packets of `mss` bytes of payload.
#[must_use]
pub const fn rfc5681_initial_window(mss: u32) -> u32 {
    match mss {
        0..=1095 => 4,
        1096..=2190 => 3,
        _ => 2,
    }
}
