//! What the first lines of a script say (`--tolerance_usecs=7000`), and what the caller defines.

use airtcp_core::Span;
use std::collections::BTreeMap;

/// Names that stand for something else in a script (`--define`, `-D`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definitions(pub BTreeMap<String, String>);

impl Definitions {
    /// What the runner of Linux's selftests defines for IPv4. The cookies belong to the key and the
    /// addresses that these scripts assume.
    #[must_use]
    pub fn of_linux_selftests() -> Self {
        let names = [
            ("CMSG_LEVEL_IP", "SOL_IP"),
            ("CMSG_TYPE_RECVERR", "IP_RECVERR"),
            ("TFO_COOKIE", "3021b9d889017eeb"),
            ("TFO_COOKIE_ZERO", "b7c12350a90dc8f5"),
        ];
        Definitions(names.map(|(name, value)| (name.into(), value.into())).into())
    }

    pub(crate) fn get<'a>(&'a self, word: &'a str) -> &'a str {
        self.0.get(word).map_or(word, String::as_str)
    }
}

/// What packets are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IpVersion {
    /// IPv4.
    #[default]
    V4,
    /// IPv4 under sockets of IPv6.
    V4Mapped,
    /// IPv6.
    V6,
}

/// What the first lines of a script say. Defaults are packetdrill's.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// `--ip_version`.
    pub ip_version: IpVersion,
    /// `--bind_port`: the port of the host under test where it listens.
    pub bind_port: u16,
    /// `--connect_port`: the port to which it connects.
    pub connect_port: u16,
    /// `--mtu` of the device.
    pub mtu: Option<u32>,
    /// `--mss`, of segments that the tool injects.
    pub mss: Option<u32>,
    /// `--tolerance_usecs`: by how much times may differ at least.
    pub tolerance: Span,
    /// `--tolerance_percent` of the time since the last event but inbound packets, where that is more. The timer wheel of
    /// Linux fires up to 12.5 % late.
    pub tolerance_percent: f64,
    /// `--tcp_ts_tick_usecs`: how long a tick of outbound timestamps is; zero: they are not compared.
    pub timestamp_tick: Span,
    /// `--tcp_ts_ecr_scaled`: an echo of a timestamp that was never sent is computed.
    pub scaled_echoes: bool,
    /// `--strict_segments`: segments are not joined.
    pub strict_segments: bool,
    /// Others, which change nothing here or which the host may read: addresses, `speed`.
    pub others: BTreeMap<String, String>,
}

const MICROSECOND: i64 = 1000;

impl Default for Options {
    fn default() -> Self {
        Options {
            ip_version: IpVersion::V4,
            bind_port: 8080,
            connect_port: 8080,
            mtu: None,
            mss: None,
            tolerance: Span::from_nanos(4000 * MICROSECOND),
            tolerance_percent: 12.5,
            timestamp_tick: Span::ZERO,
            scaled_echoes: false,
            strict_segments: false,
            others: BTreeMap::new(),
        }
    }
}
