//! The options in the first lines of a script (`--tolerance_usecs=7000`), and the definitions of the caller.

use airtcp_core::Span;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Names in a script that stand for other text (`--define`, `-D`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definitions(pub BTreeMap<String, String>);

impl Definitions {
    /// The definitions of the runner of Linux's selftests for IPv4. The cookies belong to the key and the addresses
    /// that these scripts assume.
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

/// The IP version of a script's packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IpVersion {
    /// IPv4.
    #[default]
    V4,
    /// IPv4 packets, with sockets of IPv6.
    V4Mapped,
    /// IPv6.
    V6,
}

/// The options in the first lines of a script. Defaults are packetdrill's.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// `--ip_version`.
    pub ip_version: IpVersion,
    /// `--bind_port`: the port on which the host under test listens.
    pub bind_port: u16,
    /// `--connect_port`: the port to which the host under test connects.
    pub connect_port: u16,
    /// `--mtu` of the device.
    pub mtu: Option<u32>,
    /// `--mss`: size of the segments that the tool injects.
    pub mss: Option<u32>,
    /// `--tolerance_usecs`: the least tolerance for times.
    pub tolerance: Span,
    /// `--tolerance_percent`: tolerance in per cent of the time since the last event, inbound packets apart, where that
    /// is more. The timer wheel of Linux fires up to 12.5 % late.
    pub tolerance_percent: f64,
    /// `--tcp_ts_tick_usecs`: duration of a tick of outbound timestamps; zero: timestamps are not compared.
    pub timestamp_tick: Span,
    /// `--tcp_ts_ecr_scaled`: the tool computes the echo of a timestamp that was never sent.
    pub scaled_echoes: bool,
    /// `--strict_segments`: the player does not join segments.
    pub strict_segments: bool,
    /// `--local_ip`: the address of the host under test.
    pub local_ip: Option<IpAddr>,
    /// `--remote_ip`: the address of the other end.
    pub remote_ip: Option<IpAddr>,
    /// Options without an effect here: `gateway_ip`, `speed`.
    pub ignored: BTreeMap<String, String>,
}

const LOCAL_4: Ipv4Addr = Ipv4Addr::new(192, 168, 0, 1);
const REMOTE_4: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
const LOCAL_6: Ipv6Addr = Ipv6Addr::new(0xFD3D, 0x0A0B, 0x17D6, 0, 0, 0, 0, 1);
const REMOTE_6: Ipv6Addr = Ipv6Addr::new(0xFD3D, 0xFA7B, 0xD17D, 0, 0, 0, 0, 1);
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
            local_ip: None,
            remote_ip: None,
            ignored: BTreeMap::new(),
        }
    }
}

impl Options {
    /// Addresses of the host under test and of the other end, of one version; by default packetdrill's.
    #[must_use]
    pub fn addresses(&self) -> (IpAddr, IpAddr) {
        let (local, remote) = match self.ip_version {
            IpVersion::V6 => (LOCAL_6.into(), REMOTE_6.into()),
            IpVersion::V4 | IpVersion::V4Mapped => (LOCAL_4.into(), REMOTE_4.into()),
        };
        (self.local_ip.unwrap_or(local), self.remote_ip.unwrap_or(remote))
    }
}
