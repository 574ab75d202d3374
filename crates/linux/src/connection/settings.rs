//! Options of a socket before it connects or listens, and of its route.

use super::keepalive::Keepalive;
use crate::fast_open::Addresses;
use crate::receiver::BufferMemory;
use crate::sender::SenderOptions;
use crate::sysctl::Sysctl;

/// Options of a socket [rules/sockets.md].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketOptions {
    /// `SO_SNDBUF` in bytes of memory, twice the requested value.
    pub send_buffer: Option<u64>,
    /// `SO_RCVBUF` in bytes of memory, twice the requested value.
    pub receive_buffer: Option<u64>,
    /// `TCP_NODELAY`.
    pub nodelay: bool,
    /// `TCP_CORK`.
    pub cork: bool,
    /// `TCP_QUICKACK`.
    pub quickack: Option<bool>,
    /// `TCP_CONGESTION`; `None`: the host's default.
    pub control: Option<String>,
    /// `IP_TOS`.
    pub tos: u8,
    /// `TCP_MAXSEG`.
    pub max_segment: Option<u16>,
    /// `TCP_WINDOW_CLAMP`; 0: none.
    pub window_clamp: u64,
    /// `SO_LINGER` in seconds.
    pub linger: Option<u64>,
    /// `TCP_USER_TIMEOUT` in milliseconds; 0: none.
    pub user_timeout: u64,
    /// `SO_MAX_PACING_RATE` in bytes per second.
    pub max_pacing_rate: u64,
    /// `TCP_DEFER_ACCEPT` in seconds; 0: no.
    pub defer_accept: u64,
    /// `TCP_NOTSENT_LOWAT`; `None`: the host's default.
    pub notsent_lowat: Option<u64>,
    /// `TCP_SYNCNT`; `None`: the host's default.
    pub syn_retries: Option<u64>,
    /// `IP_LOCAL_PORT_RANGE`: first and last port that is chosen; none: the host's.
    pub port_range: Option<(u16, u16)>,
    /// `TCP_FASTOPEN`: connections that may be open before their handshake is over.
    pub fast_open_queue: Option<u64>,
    /// `TCP_FASTOPEN_KEY`.
    pub fast_open_key: Option<[u8; 16]>,
    /// `TCP_FASTOPEN_NO_COOKIE`.
    pub no_cookie: bool,
    /// `SO_KEEPALIVE` and its options.
    pub keepalive: Keepalive,
    /// `IP_MTU_DISCOVER` with anything but `IP_PMTUDISC_DONT`.
    pub discovers_mtu: bool,
}

impl Default for SocketOptions {
    fn default() -> Self {
        SocketOptions {
            send_buffer: None,
            receive_buffer: None,
            nodelay: false,
            cork: false,
            quickack: None,
            control: None,
            tos: 0,
            max_segment: None,
            window_clamp: 0,
            linger: None,
            user_timeout: 0,
            max_pacing_rate: u64::MAX,
            defer_accept: 0,
            notsent_lowat: None,
            syn_retries: None,
            port_range: None,
            fast_open_queue: None,
            fast_open_key: None,
            no_cookie: false,
            keepalive: Keepalive::default(),
            discovers_mtu: true,
        }
    }
}

impl SocketOptions {
    /// Options of the sender of such a socket on `route`.
    pub(super) fn sender_options(&self, sysctl: &Sysctl, route: &Route) -> SenderOptions {
        let control = self.control.as_ref().unwrap_or(&sysctl.tcp_congestion_control);
        SenderOptions {
            control: control.clone(),
            nodelay: self.nodelay,
            cork: self.cork,
            max_pacing_rate: self.max_pacing_rate,
            sndbuf: self.send_buffer,
            gso_max_size: route.gso_max_size,
            user_timeout: self.user_timeout,
            notsent_lowat: self.notsent_lowat_bytes(sysctl),
            fq: route.fq,
            ..SenderOptions::default()
        }
    }

    /// Unsent bytes from which a call blocks; an option of 0 means the host's default [rules/sockets.md rule 14].
    pub(super) fn notsent_lowat_bytes(&self, sysctl: &Sysctl) -> u64 {
        self.notsent_lowat.filter(|bytes| *bytes > 0).unwrap_or(sysctl.tcp_notsent_lowat)
    }
}

/// Properties of a route and its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Largest packet of IP.
    pub mtu: u32,
    /// First window in segments.
    pub initial_window: u32,
    /// ACKs are always quick.
    pub quickack: bool,
    /// Memory that the device takes for received segments.
    pub memory: BufferMemory,
    /// The queue before the device paces (`fq`).
    pub fq: bool,
    /// Largest burst that the device takes, in bytes; 1: it takes single segments.
    pub gso_max_size: u32,
    /// The host's own address, which enters Fast Open cookies.
    pub local_address: u32,
    /// Addresses of both ends, where they are of IPv6 or all connections have the same.
    pub addresses: Option<Addresses>,
    /// Fast Open needs no cookie (`fastopen_no_cookie`).
    pub no_cookie: bool,
    /// Hops that packets may go.
    pub hop_limit: u8,
    /// Bytes of an IP header: 20, or 40 for version 6.
    pub ip_header: u32,
}

impl Default for Route {
    fn default() -> Self {
        Route {
            mtu: 1500,
            initial_window: 10,
            quickack: false,
            memory: BufferMemory::PerBuffer,
            fq: false,
            gso_max_size: 65_215,
            local_address: 0xc0a8_0001,
            addresses: None,
            no_cookie: false,
            hop_limit: 64,
            ip_header: 20,
        }
    }
}

impl Route {
    /// Largest segment that it takes, options off [rules/options.md rule 3].
    #[must_use]
    pub fn max_segment_size(&self) -> u32 {
        self.mtu.saturating_sub(self.ip_header + 20)
    }
}
