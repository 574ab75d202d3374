//! Profile `bsd`: TCP of BSD around 1990, in bytes, all timers on a slow clock.
//!
//! - All timers count ticks of 500 ms at a random phase, so the first timeout takes 0.5 to 1 s. The round-trip estimator uses
//!   integers; backoff, up to 64 s, ends with any ACK of new data.
//! - The congestion window is at most 65535 B, and may grow beyond the advertised window. Half a window means
//!   `max(2, floor(min(cwnd, window) / 2 / MSS))` segments.
//! - Every packet is acknowledged.
//! - `tcp.framing` is the overhead of lower layers per packet: it takes airtime and counts in no metric.
//! - Left out in the simulator: handshake and teardown. Left out everywhere: forgetting the round-trip estimate after several
//!   timeouts, and giving up after twelve.

use crate::input_error::InputError;
use crate::shortest::refuse_short;
use crate::transport::{
    KeyPath, LossRecovery, Sizes, Transport, WindowSize, check_clock, transport,
};
use airtcp_core::{Duration, Size, Span};
use airtcp_tcp::{ReceiverConfig, SenderConfig};

transport! {
    window: "Window that the receiver advertises (`W_max`), in packets or as a size. Example: `\"8kB\"`.",
    ssthresh: "Initial slow-start threshold, in packets. Absent: 65535 B. Example: `4`.",

    /// TCP: its variant or congestion control, window, packet lengths and timers.
    pub struct BsdTcp {
        /// Overhead of lower layers per packet on the wire. It takes airtime and is counted in no metric. Example:
        /// `"34B"`.
        pub framing: Size,
        /// Tick of the clock of all timers, at a random phase. Example: `"200ms"`.
        pub tick: Duration,
        /// Length of the IP and TCP headers of a packet; the rest is payload. Example: `"40B"`.
        pub header: Size,
        /// Initial congestion window, in packets. Example: `2`.
        #[schemars(range(min = 1, max = 1_000_000))]
        pub initial_window: u32,
    }
}

impl Transport for BsdTcp {
    fn sizes(&self) -> Sizes {
        Sizes {
            window: self.window,
            packet: self.packet,
            ack: self.ack,
            header: Some(self.header),
            framing: self.framing,
            timestamps: false,
        }
    }

    fn recovery(&self) -> LossRecovery {
        LossRecovery::Variant(self.variant_keys())
    }

    fn check(&self, place: KeyPath<'_>) -> Result<(), InputError> {
        if self.header >= self.packet {
            let message = format!(
                "{} leaves no room for payload; must be below packet, {}",
                self.header, self.packet
            );
            return Err(InputError::new(place.key("header"), message));
        }
        check_clock(self.tick, 0.0, place)?;
        refuse_short(&place.key("tick"), self.tick)?;
        let unit = self.sizes().numbers_per_packet();
        let windows = [("initial_window", Some(self.initial_window)), ("ssthresh", self.ssthresh)];
        for (key, window) in windows {
            let window = WindowSize::Packets(window.unwrap_or(1));
            check_16_bits(window, &place.key(key), unit)?;
        }
        Ok(())
    }

    fn check_window(&self, place: &str) -> Result<(), InputError> {
        check_16_bits(self.window, place, self.sizes().numbers_per_packet())
    }

    fn ends(&self) -> Option<(SenderConfig, ReceiverConfig)> {
        let sizes = self.sizes();
        let ((mss, header), clock) = (sizes.payload_and_header(), (self.tick.span(), Span::ZERO));
        let sender = SenderConfig {
            initial_window: self.initial_window,
            ..SenderConfig::bsd(self.variant, sizes.window_packets(), mss, header, clock)
        };
        let immediate = ReceiverConfig::immediate(0, self.ack.bits(), None);
        let receiver = ReceiverConfig { mss, ..immediate };
        Some(self.variant_keys().with_common_settings(&sizes, sender, receiver))
    }
}

/// Refuses a window that 16 bits cannot count in bytes: there is no window scaling.
fn check_16_bits(window: WindowSize, place: &str, unit: u64) -> Result<(), InputError> {
    let most = u64::from(u16::MAX);
    let message = match window {
        _ if window.in_sequence_numbers(unit) <= most => return Ok(()),
        WindowSize::Packets(n) if unit <= most => {
            format!("{n} packets of {unit} B exceed 65535 B: at most {}", most / unit)
        }
        WindowSize::Packets(_) => {
            format!("a packet of {unit} B does not fit into a window, which has at most 65535 B")
        }
        WindowSize::Bytes(size) => format!("{size} is too large: at most 65535B"),
    };
    Err(InputError::new(place, message))
}
