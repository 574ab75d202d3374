//! The interface to the transport of every profile on a path, and the keys that profiles with variants share.

use crate::input_error::InputError;
use airtcp_core::{Duration, RegistryEntry, Size};
use airtcp_tcp::{PROBE_OPTION_BYTES, ProbingConfig, ReceiverConfig, SenderConfig, Variant};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The transport of a flow, as its profile has it.
pub trait Transport {
    /// Lengths and window.
    fn sizes(&self) -> Sizes;

    /// Loss recovery, or the congestion control that names a flow in a profile without variants.
    fn recovery(&self) -> LossRecovery;

    /// The entry in whose name a flow is listed: its variant or its congestion control.
    fn entry(&self) -> &'static RegistryEntry {
        match self.recovery() {
            LossRecovery::Variant(recovery) => recovery.variant.entry(),
            LossRecovery::OfControl(control) => control,
        }
    }

    /// The listings of other parts that the transport uses.
    fn parts(&self) -> Vec<&'static RegistryEntry> {
        Vec::new()
    }

    /// Checks the rules between keys, which no single key can show; `place` gives the paths of keys.
    ///
    /// # Errors
    /// The first contradiction.
    fn check(&self, place: KeyPath<'_>) -> Result<(), InputError>;

    /// Checks that the window can be counted.
    ///
    /// # Errors
    /// If 32-bit sequence numbers cannot hold the window; the message names the largest.
    fn check_window(&self, place: &str) -> Result<(), InputError> {
        let sizes = self.sizes();
        let counts_bytes = sizes.header.is_some();
        if counts_bytes {
            check_32_bits(sizes.window, place, sizes.numbers_per_packet())
        } else {
            Ok(())
        }
    }

    /// Sender and receiver by the rules that the profile follows; none in profile `linux`, which has hosts of its own.
    fn ends(&self) -> Option<(SenderConfig, ReceiverConfig)>;
}

/// Paths of the keys of a transport in the document.
#[derive(Clone, Copy)]
pub struct KeyPath<'a>(pub(crate) &'a dyn Fn(&str) -> String);

impl KeyPath<'_> {
    /// The dotted path of `key`.
    #[must_use]
    pub fn key(self, key: &str) -> String {
        self.0(key)
    }
}

/// Lengths and window of a transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Window that the receiver advertises.
    pub window: WindowSize,
    /// Length of a full data packet on the wire.
    pub packet: Size,
    /// Length of an acknowledgement on the wire, without options.
    pub ack: Size,
    /// Length of the headers within a packet, without options; `None` where packets have no headers.
    pub header: Option<Size>,
    /// Length that lower layers add to every packet.
    pub framing: Size,
    /// True if segments carry timestamps.
    pub timestamps: bool,
}

/// Bytes of the option in every segment, and of its padding [RFC 7323 3.2, appendix A].
const TIMESTAMPS: u64 = 12;

impl Sizes {
    /// Length of the headers within a packet, options included; `None` where packets have no headers.
    #[must_use]
    pub fn headers(&self) -> Option<Size> {
        self.header.map(|header| self.with_timestamps(header))
    }

    /// Length of an acknowledgement on the wire, without SACK blocks.
    #[must_use]
    pub fn ack_size(&self) -> Size {
        self.with_timestamps(self.ack)
    }

    /// Payload of a full packet in bytes.
    #[must_use]
    pub fn payload(&self) -> u64 {
        self.packet.bytes() - self.headers().map_or(0, Size::bytes)
    }

    /// Sequence numbers per full packet: bytes where there are headers, else packets.
    #[must_use]
    pub fn numbers_per_packet(&self) -> u64 {
        if self.header.is_some() { self.payload() } else { 1 }
    }

    /// The window that the receiver advertises, in sequence numbers.
    #[must_use]
    pub fn window_in_numbers(&self) -> u64 {
        self.window.in_sequence_numbers(self.numbers_per_packet())
    }

    /// The window that the receiver advertises, in whole packets.
    #[must_use]
    pub fn window_packets(&self) -> u32 {
        in_32_bits(self.window_in_numbers() / self.numbers_per_packet())
    }

    /// Payload of a full packet, headers before it, both in bytes.
    #[must_use]
    pub fn payload_and_header(&self) -> (u32, u32) {
        (in_32_bits(self.numbers_per_packet()), in_32_bits(self.headers().map_or(0, Size::bytes)))
    }

    fn with_timestamps(&self, size: Size) -> Size {
        let options = if self.timestamps { TIMESTAMPS } else { 0 };
        Size::from_bytes(size.bytes() + options)
    }
}

/// Narrows a number that [`Transport::check_window`] keeps within 32 bits: a window, and so a packet, is at most 4 GiB.
pub(crate) fn in_32_bits(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// A window that a receiver advertises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WindowSize {
    /// A number of full packets.
    Packets(u32),
    /// A number of bytes of payload.
    Bytes(Size),
}

impl WindowSize {
    /// The window in sequence numbers, `unit` per full packet.
    #[must_use]
    pub fn in_sequence_numbers(self, unit: u64) -> u64 {
        match self {
            WindowSize::Packets(packets) => u64::from(packets) * unit,
            WindowSize::Bytes(size) => size.bytes(),
        }
    }
}

impl JsonSchema for WindowSize {
    fn schema_name() -> Cow<'static, str> {
        "WindowSize".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["integer", "string"], "minimum": 1, "maximum": 1_000_000,
            "format": "size", "examples": [20, "64kB"],
        })
    }
    fn inline_schema() -> bool {
        true
    }
}

/// Refuses a window that 32 bits cannot count in bytes.
fn check_32_bits(window: WindowSize, place: &str, payload: u64) -> Result<(), InputError> {
    let most = u64::from(u32::MAX);
    let message = match window {
        _ if window.in_sequence_numbers(payload) <= most => return Ok(()),
        WindowSize::Packets(n) => {
            format!("{n} packets of {payload} B exceed 4 GiB: at most {}", most / payload)
        }
        WindowSize::Bytes(size) => format!("{size} is too large: at most {most}B"),
    };
    Err(InputError::new(place, message))
}

/// Settings of the probe cycle, for variants that probe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Probing {
    /// Amount by which the round trip of a successful probe may exceed the best round trip of data, as a share of the
    /// latter. Example: `0.5`.
    #[schemars(range(min = 0, max = 1000))]
    pub tolerance: f64,
    /// Number of round-trip samples after which skip-probing starts another cycle. Example: `20`.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub skip_estimates: u32,
    /// Time from the start of one probe cycle after which skip-probing starts another. Example: `"2s"`.
    pub skip_interval: Duration,
    /// True if everything outstanding is sent again after a cycle that began with a timeout and ends without slow
    /// start; otherwise only the first segment is. Example: `false`.
    pub rewind: bool,
    /// True if the probe timer doubles, up to six times, each time a probe is sent again. Example: `false`.
    pub backoff: bool,
}

impl Default for Probing {
    fn default() -> Self {
        let ProbingConfig {
            tolerance, max_estimates: estimates, interval, rewind, backoff, ..
        } = ProbingConfig::new(0);
        let skip_interval = Duration::from_span(interval);
        Probing { tolerance, skip_estimates: estimates, skip_interval, rewind, backoff }
    }
}

impl Probing {
    /// Configures probing with probes as long as an ACK of `ack` with the probe option.
    fn config(self, ack: Size) -> ProbingConfig {
        ProbingConfig {
            tolerance: self.tolerance,
            max_estimates: self.skip_estimates,
            interval: self.skip_interval.span(),
            rewind: self.rewind,
            backoff: self.backoff,
            bits: ack.bits() + 8 * u64::from(PROBE_OPTION_BYTES),
        }
    }
}

/// Ways in which a transport recovers losses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LossRecovery {
    /// Recovery of a variant.
    Variant(Recovery),
    /// Recovery of a TCP without variants, whose flows are told apart by their congestion control.
    OfControl(&'static RegistryEntry),
}

/// Loss recovery in profiles that have variants of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recovery {
    /// The variant.
    pub variant: Variant,
    /// Slow-start threshold at first, in packets; none: the profile's.
    pub ssthresh: Option<u32>,
    /// Duplicate ACKs that trigger a fast retransmit.
    pub dupacks: u32,
    /// Settings of the probe cycle, for variants that probe.
    pub probing: Probing,
}

impl Recovery {
    /// Completes both ends with the values that do not depend on the profile; `sender` and `receiver` have the others.
    pub(crate) fn with_common_settings(
        self,
        sizes: &Sizes,
        sender: SenderConfig,
        receiver: ReceiverConfig,
    ) -> (SenderConfig, ReceiverConfig) {
        let window = sizes.window_in_numbers();
        let sender = SenderConfig {
            ssthresh: self.ssthresh.unwrap_or(sender.ssthresh),
            dupack_threshold: self.dupacks,
            rwnd: Some(window),
            probing: self.probing.config(sizes.ack_size()),
            ..sender
        };
        (sender, ReceiverConfig { window, ..receiver })
    }
}

/// Refuses a clock without a tick, and a phase that is longer.
pub(crate) fn check_clock(tick: Duration, boot: f64, place: KeyPath<'_>) -> Result<(), InputError> {
    if tick == Duration::ZERO {
        return Err(InputError::new(place.key("tick"), "0s is too short; must be above 0s"));
    }
    if !(0.0..tick.seconds()).contains(&boot) {
        let message = format!("{boot} is not from 0 to below the tick, {} s", tick.seconds());
        return Err(InputError::new(place.key("boot"), message));
    }
    Ok(())
}

/// Makes the transport of a profile that has variants: the keys that all of these have, and its own among them.
/// `window` and `ssthresh` say what these are in the profile.
macro_rules! transport {
    (window: $window:literal, ssthresh: $ssthresh:literal, $(#[$about:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// TCP variant, which decides how losses are recovered. Example: `"reno"`.
            pub variant: airtcp_tcp::Variant,
            #[doc = $window]
            pub window: $crate::transport::WindowSize,
            #[doc = $ssthresh]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
            pub ssthresh: Option<u32>,
            /// Length of a full data packet on the wire. Example: `"1000B"`.
            pub packet: airtcp_core::Size,
            /// Length of an acknowledgement on the wire, without SACK blocks. Example: `"52B"`.
            pub ack: airtcp_core::Size,
            /// Number of duplicate ACKs that trigger a fast retransmit (K). Example: `4`.
            #[schemars(range(min = 1, max = 1_000_000))]
            pub dupacks: u32,
            $($own)*
            /// Settings of the probe cycle, for variants that probe. Absent: the defaults of its keys. Example:
            /// `{tolerance = 0.5}`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(with = "crate::transport::Probing")]
            pub probing: Option<Box<$crate::transport::Probing>>,
        }

        impl $name {
            /// Loss recovery by the keys that all profiles with variants have.
            fn variant_keys(&self) -> $crate::transport::Recovery {
                $crate::transport::Recovery {
                    variant: self.variant,
                    ssthresh: self.ssthresh,
                    dupacks: self.dupacks,
                    probing: self.probing.as_deref().copied().unwrap_or_default(),
                }
            }
        }
    };
}

pub(crate) use transport;
