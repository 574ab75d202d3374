//! Profile `ns2`: TCP of the ns simulator, in packets, on a clock of ticks.
//!
//! - Sequence numbers count packets. The window starts at 1 and grows by 1 per ACK below the threshold and by 1/W above it. It may
//!   grow beyond `tcp.window`, which limits only the data in flight.
//! - Every arriving packet is acknowledged at once. A SACK receiver reports up to 3 blocks of 8 bytes.
//! - One packet is timed at a time, in ticks of `tcp.tick` (integer arithmetic after Jacobson, 1988); the timer itself is exact.
//! - A reduction of the window remembers the highest packet sent. Losses up to that packet trigger no further fast retransmit.
//! - Settings that ns gained after 1998 are in `tcp.ns`, by their names in ns.
//! - `access_delay` of a flow is a link of 10^15 bit/s, as a script of ns would have it, on hops that ns has and without
//!   cross-traffic: packets that several flows send at one instant then arrive in the order in which ns schedules them.
//! - A path with jitter, reordering or duplicates, which ns does not have, runs on whole nanoseconds, not on ns's clock.

use crate::input_error::InputError;
use crate::transport::{KeyPath, LossRecovery, Sizes, Transport, check_clock, transport};
use airtcp_core::{Duration, Size, Span};
use airtcp_tcp::{
    NsSettings, NsSinkConfig, ReceiverConfig, SackConfig, SenderConfig, TickSettings, TimerConfig,
};

transport! {
    window: "Window that the receiver advertises (`W_max`), in packets. Example: `20`.",
    ssthresh: "Initial slow-start threshold, in packets. Absent: the window. Example: `10`.",

    /// TCP: its variant or congestion control, window, packet lengths and timers.
    pub struct Ns2Tcp {
        /// Tick of the clock that measures round trips. Example: `"10ms"`.
        pub tick: Duration,
        /// Phase of the clock of `tick`: time from its last tick to the start of the run, in seconds (`boot_time_` of ns).
        /// Example: `0.01`.
        #[schemars(range(min = 0))]
        pub boot: f64,
        /// Further settings of the TCP agents of ns, by their names there. Absent: the settings of 1998. Example:
        /// `{maxburst = 4}`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "NsSettings")]
        pub ns: Option<Box<NsSettings>>,
    }
}

impl Transport for Ns2Tcp {
    fn sizes(&self) -> Sizes {
        Sizes {
            window: self.window,
            packet: self.packet,
            ack: self.ack,
            header: None,
            framing: Size::from_bytes(0),
            timestamps: false,
        }
    }

    fn recovery(&self) -> LossRecovery {
        LossRecovery::Variant(self.variant_keys())
    }

    fn check(&self, place: KeyPath<'_>) -> Result<(), InputError> {
        check_clock(self.tick, self.boot, place)
    }

    fn ends(&self) -> Option<(SenderConfig, ReceiverConfig)> {
        let sizes = self.sizes();
        Some(self.variant_keys().with_common_settings(
            &sizes,
            self.sender(&sizes),
            self.receiver(&sizes),
        ))
    }
}

impl Ns2Tcp {
    fn settings(&self) -> NsSettings {
        self.ns.as_deref().copied().unwrap_or_default()
    }

    fn sender(&self, sizes: &Sizes) -> SenderConfig {
        let (ns, tick) = (self.settings(), self.tick.span());
        let boot = Span::from_nanos((self.boot * 1e9) as i64);
        let timer = TickSettings {
            initial: ns.rtxcur_init.span(),
            min_rto: ns.minrto.span(),
            max_rto: ns.maxrto.span(),
            doubles_min_rto: ns.rfc2988,
            samples_before_restart: ns.timerfix,
        };
        let (window, bits) = (sizes.window_packets(), self.packet.bits());
        SenderConfig {
            initial_window: ns.first_window(),
            timer: TimerConfig::Ticks { tick, boot, ns: timer },
            syn_bits: ns.syn.then(|| self.ack.bits()),
            ns: Some(ns),
            ..SenderConfig::ns2(self.variant, window, tick, boot, bits)
        }
    }

    fn receiver(&self, sizes: &Sizes) -> ReceiverConfig {
        let ns = self.settings();
        let sack = self.variant.capabilities().sacks.then_some(SackConfig::NS2);
        let sink = self.ns.is_some().then(|| NsSinkConfig {
            interval: ns.interval.span(),
            immediate_ack: ns.immediate_ack,
            syn_immediate_ack: ns.syn_immediate_ack,
            ecn: ns.ecn,
        });
        let window = sizes.window_packets().into();
        ReceiverConfig { ns: sink, ..ReceiverConfig::immediate(window, self.ack.bits(), sack) }
    }
}
