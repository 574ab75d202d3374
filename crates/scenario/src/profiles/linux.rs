//! Profile `linux`: TCP of Linux, in bytes, and the hosts on which it runs.
//!
//! Every rule is stated and numbered in `crates/linux/rules`. There are no variants: loss recovery is always RACK-TLP
//! with PRR, and the scenario can change only settings that Linux has.
//!
//! - `tcp.congestion` is a control that Linux has, or `bbr3`, version 3 by its draft, which this kernel does not have.
//! - `tcp.sack` and `tcp.timestamps` are offered by both hosts in their SYNs; `tcp.initial_window` is `initcwnd` of the route.
//! - `tcp.sysctl` holds settings of both hosts that affect packets, by their names in Linux:
//!   `sysctl = {tcp_frto = 0, tcp_rmem = "4096 131072 6291456"}`. Settings that are left out have Linux's defaults.
//! - `tcp.window` is `TCP_WINDOW_CLAMP` of the receiving socket, set again after the first data, which reset it in Linux; the
//!   receive buffer is then 8 times that and does not grow. Absent: `tcp_rmem` and the growth of the buffer decide.
//! - `tcp.packet` is the MTU, `tcp.header` 40 B for IPv4 or 60 B for IPv6. TCP options reduce the payload: a packet of 1500 B with
//!   timestamps carries 1448 B.
//! - The handshake crosses the links, and is repeated if its packets are lost: data starts a round trip after the start of the
//!   flow. No metric counts SYN, SYN-ACK and the ACK of the handshake, but the duration of a flow includes them. The connection
//!   is not closed.
//! - The sending application writes as much as the socket takes, and continues when there is room; the receiving application
//!   reads at once.
//! - Segments that Linux hands to the device as one buffer leave as separate packets at one instant. The receiver gets them one
//!   by one and does not merge them (no GRO), as packets arrive separately over a wireless link.
//! - Every host has 250 ticks a second, at a phase of its own, drawn from the streams `flow{i}/clock` (sender) and
//!   `flow{i}/peer/clock` (receiver). So replications differ even on links without losses. `bbr3` draws its waits from
//!   `flow{i}/control`.
//! - `fast_retransmits` counts how often recovery began (state Recovery), `timeouts` how often the retransmission timer expired;
//!   tail loss probes count as neither.

use crate::input_error::InputError;
use crate::linux::{Congestion, SysctlKeys};
use crate::transport::{KeyPath, LossRecovery, Sizes, Transport, WindowSize, in_32_bits};
use airtcp_core::{Size, Stream};
use airtcp_linux::connection::{HostEnvironment, Route, SocketOptions};
use airtcp_linux::receiver::BufferMemory;
use airtcp_linux::sender::RuleChanges;
use airtcp_linux::{Clock, Sysctl};
use airtcp_tcp::{ReceiverConfig, SenderConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// TCP: its variant or congestion control, window, packet lengths and timers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinuxTcp {
    /// Congestion control, which decides how the window grows and shrinks. Example: `"bbr"`.
    pub congestion: Congestion,
    /// True if both hosts allow SACK. Example: `false`.
    pub sack: bool,
    /// True if every segment carries timestamps of 12 bytes: packets keep their length, ACKs become longer. Example:
    /// `false`.
    pub timestamps: bool,
    /// Largest window that the receiver advertises (`W_max`, `TCP_WINDOW_CLAMP`), in packets or as a size. Example:
    /// `"64kB"`.
    pub window: WindowSize,
    /// Length of a full data packet on the wire. Example: `"1500B"`.
    pub packet: Size,
    /// Length of an acknowledgement on the wire, without SACK blocks. Example: `"40B"`.
    pub ack: Size,
    /// Overhead of lower layers per packet on the wire. It takes airtime and is counted in no metric. Absent: 0B.
    /// Example: `"34B"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub framing: Option<Size>,
    /// Length of the IP and TCP headers of a packet; the rest is payload. Example: `"60B"`.
    pub header: Size,
    /// Initial congestion window, in packets [RFC 6928]. Absent: 10. Example: `4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    pub initial_window: Option<u32>,
    /// True if both ends use ECN, so that queues can mark packets instead of dropping them [RFC 3168]. Absent: as
    /// `sysctl.tcp_ecn` says. Example: `true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub ecn: Option<bool>,
    /// Kernel settings of both hosts, by their names in Linux. Absent: the kernel's defaults. Example: `{tcp_frto =
    /// 0}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SysctlKeys")]
    pub sysctl: Option<Box<SysctlKeys>>,
}

/// First window of Linux [crates/linux/rules/sending.md rule 24].
const INITIAL_WINDOW: u32 = 10;

/// `tcp_min_snd_mss` [crates/linux/rules/sending.md rule 16], and the largest packet of IP.
const SMALLEST_SEGMENT: u64 = 48;
const LARGEST_PACKET: u64 = 65_535;

impl Transport for LinuxTcp {
    fn sizes(&self) -> Sizes {
        Sizes {
            window: self.window,
            packet: self.packet,
            ack: self.ack,
            header: Some(self.header),
            framing: self.framing.unwrap_or(Size::from_bytes(0)),
            timestamps: self.timestamps,
        }
    }

    fn recovery(&self) -> LossRecovery {
        LossRecovery::OfControl(self.congestion.entry())
    }

    /// Checks that packets hold segments on IPv4 or IPv6, neither smaller nor larger than Linux sends them.
    fn check(&self, place: KeyPath<'_>) -> Result<(), InputError> {
        if ![40, 60].contains(&self.header.bytes()) {
            let message =
                format!("{} is not 40B (IPv4) or 60B (IPv6), without options", self.header);
            return Err(InputError::new(place.key("header"), message));
        }
        let least = self.header.bytes() + 12 * u64::from(self.timestamps) + SMALLEST_SEGMENT;
        if !(least..=LARGEST_PACKET).contains(&self.packet.bytes()) {
            let message = format!(
                "{} is not a length that Linux allows: {least}B to {LARGEST_PACKET}B",
                self.packet
            );
            return Err(InputError::new(place.key("packet"), message));
        }
        self.check_settings(&place.key("sysctl"))?;
        self.check_ecn(&place.key("ecn"))
    }

    fn ends(&self) -> Option<(SenderConfig, ReceiverConfig)> {
        None
    }
}

/// The host at one end of a flow.
#[derive(Clone, Debug)]
pub struct LinuxHost {
    /// Settings and clock of the host, and the route to the other end.
    pub environment: HostEnvironment,
    /// The options set on the socket.
    pub options: SocketOptions,
}

/// Both ends of a flow.
#[derive(Clone, Debug)]
pub struct LinuxPair {
    /// The host that connects and sends.
    pub sender: LinuxHost,
    /// The host that listens.
    pub receiver: LinuxHost,
    /// Payload of a full packet.
    pub mss: u32,
    /// Bytes of the headers of a packet with data, without options.
    pub header: u32,
    /// Bytes of the headers of a packet without data, without options.
    pub ack: u32,
}

/// Bytes of buffer per byte of window: Linux counts what a packet takes in memory.
const BUFFER_PER_WINDOW_BYTE: u64 = 8;
const SMALLEST_BUFFER: u64 = 1 << 16;

/// A window that stands for none.
const UNLIMITED_WINDOW: u64 = 1_000_000_000;

impl LinuxTcp {
    /// Initial congestion window, in packets.
    #[must_use]
    pub fn first_window(&self) -> u32 {
        self.initial_window.unwrap_or(INITIAL_WINDOW)
    }

    /// True if both hosts use ECN because a key of `tcp` asks for it.
    #[must_use]
    pub fn asks_for_ecn(&self) -> bool {
        self.ecn == Some(true)
    }

    /// Both hosts, before they are given clocks and random streams.
    pub(crate) fn hosts(&self) -> LinuxPair {
        let sizes = self.sizes();
        let window = Some(sizes.window_in_numbers()).filter(|window| *window < UNLIMITED_WINDOW);
        let mut receiver = self.host(window.unwrap_or(0));
        if let Some(window) = window {
            // A buffer that grows would take the clamp along [crates/linux/rules/receiver.md rule 26].
            let buffer = (BUFFER_PER_WINDOW_BYTE * window).max(SMALLEST_BUFFER);
            receiver.environment.sysctl.tcp_rmem = [4096, buffer, buffer];
        }
        LinuxPair {
            sender: self.host(0),
            receiver,
            mss: sizes.payload_and_header().0,
            header: in_32_bits(self.header.bytes()),
            ack: in_32_bits(self.ack.bytes()),
        }
    }

    fn host(&self, clamp: u64) -> LinuxHost {
        LinuxHost {
            environment: HostEnvironment {
                clock: Clock::default(),
                sysctl: self.settings(),
                route: self.route(),
                timestamp_offset: 0,
                random: Stream::new(0, "control", 0),
                rule_changes: RuleChanges::default(),
            },
            options: SocketOptions { window_clamp: clamp, ..SocketOptions::default() },
        }
    }

    fn route(&self) -> Route {
        let ip_header = self.header.bytes() as u32 - 20;
        let mtu = in_32_bits(self.packet.bytes());
        // Packets of a link come one by one.
        let memory = BufferMemory::PerSegment;
        Route { mtu, ip_header, initial_window: self.first_window(), memory, ..Route::default() }
    }

    /// The settings of a host; settings that `check_settings` refuses stay as Linux has them.
    fn settings(&self) -> Sysctl {
        let mut sysctl = Sysctl {
            tcp_sack: u64::from(self.sack),
            tcp_timestamps: u64::from(self.timestamps),
            tcp_congestion_control: self.congestion.name().to_owned(),
            ..Sysctl::default()
        };
        if self.asks_for_ecn() {
            sysctl.tcp_ecn = 1;
        }
        let wrong = self.sysctl.as_ref().and_then(|keys| keys.apply(&mut sysctl, "").err());
        debug_assert!(wrong.is_none(), "{wrong:?}");
        sysctl
    }

    /// Refuses a setting of the hosts that contradicts `ecn`.
    fn check_ecn(&self, place: &str) -> Result<(), InputError> {
        let setting = self.sysctl.as_ref().and_then(|keys| keys.get("tcp_ecn"));
        match (self.ecn, setting) {
            (Some(ecn), Some(setting)) if ecn != (*setting == 1) => {
                let message =
                    format!("{ecn} contradicts sysctl.tcp_ecn, {setting}: give one of them");
                Err(InputError::new(place, message))
            }
            _ => Ok(()),
        }
    }

    fn check_settings(&self, place: &str) -> Result<(), InputError> {
        let mut settings = Sysctl::default();
        if let Some(keys) = &self.sysctl {
            keys.apply(&mut settings, place)?;
        }
        let payload = self.packet.bytes() - self.header.bytes();
        if settings.tcp_min_snd_mss <= payload {
            return Ok(());
        }
        let message = format!(
            "{} is more than a packet of {} can carry; at most {payload}",
            settings.tcp_min_snd_mss, self.packet
        );
        Err(InputError::new(format!("{place}.tcp_min_snd_mss"), message))
    }
}
