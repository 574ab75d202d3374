//! Keepalive [RFC 9293 3.8.4, rules/timers.md rule 27]: options of the socket, and state of the timer.

use crate::sysctl::Sysctl;
use airtcp_core::Instant;

/// `SO_KEEPALIVE`, `TCP_KEEPIDLE`, `TCP_KEEPINTVL` (in seconds) and `TCP_KEEPCNT`; none: the host's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Keepalive {
    pub on: bool,
    pub idle: Option<u64>,
    pub interval: Option<u64>,
    pub probes: Option<u64>,
}

impl Keepalive {
    /// Seconds of silence before the first probe.
    #[must_use]
    pub fn idle(&self, sysctl: &Sysctl) -> u64 {
        self.idle.unwrap_or(sysctl.tcp_keepalive_time)
    }

    /// Seconds between probes.
    #[must_use]
    pub fn interval(&self, sysctl: &Sysctl) -> u64 {
        self.interval.unwrap_or(sysctl.tcp_keepalive_intvl)
    }

    /// Probes without an answer after which the connection ends.
    #[must_use]
    pub fn probes(&self, sysctl: &Sysctl) -> u64 {
        self.probes.unwrap_or(sysctl.tcp_keepalive_probes)
    }
}

/// State of the keepalive timer.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeepaliveTimer {
    pub(super) at: Instant,
    pub(super) probes: u64,
    /// Jiffy of the last received segment when the last probe was sent.
    pub(super) last_receive_jiffy: u64,
}

impl Default for KeepaliveTimer {
    fn default() -> Self {
        KeepaliveTimer { at: Instant::NEVER, probes: 0, last_receive_jiffy: 0 }
    }
}
