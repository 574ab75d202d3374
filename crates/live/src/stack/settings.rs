//! What is fixed for the connections of one host.

use crate::wire::HEADERS;
use airtcp_core::Span;
use airtcp_tcp::{GrowthLaw, SenderConfig, TimerConfig, Variant};
use std::net::SocketAddrV4;

const SECOND: i64 = 1_000_000_000;
/// Windows have 16 bits, shifted by 14 at most [RFC 7323 2.3].
pub(super) const LARGEST_BUFFER: u32 = 0xFFFF << 14;
/// Every host takes packets of this length [RFC 791 3.1].
pub(super) const SHORTEST_MTU: u16 = 576;

/// The two ends of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Peers {
    /// This end.
    pub local: SocketAddrV4,
    /// The other one.
    pub remote: SocketAddrV4,
}

/// What is fixed for the connections of one host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Longest packet in bytes.
    pub mtu: u16,
    /// How it sends, in bytes; what depends on the other end (payload of a packet, window) is filled in
    /// when the connection opens.
    pub sender: SenderConfig,
    /// How long an ACK may wait for a second full packet [RFC 5681 4.2].
    pub delayed_ack: Span,
    /// Whether timestamps are offered [RFC 7323].
    pub timestamps: bool,
    /// Whether window scaling is offered [RFC 7323].
    pub scaling: bool,
    /// Bytes that are kept until they are acknowledged.
    pub send_buffer: u32,
    /// Bytes that are kept until they are read: the window.
    pub receive_buffer: u32,
    /// How often a SYN is sent again.
    pub syn_retries: u32,
    /// After how long without an answer a connection is given up: at least 100 s [RFC 9293 3.8.3].
    pub patience: Span,
    /// Stay in TIME-WAIT: two maximum segment lifetimes, of two minutes each [RFC 9293 3.4.2].
    pub time_wait: Span,
    /// Connections at most.
    pub connections: usize,
    /// Handshakes at most, within these, that others began.
    pub backlog: usize,
}

impl Settings {
    /// Packets of 1500 bytes, buffers of 256 KiB, RFC timers, all options.
    #[must_use]
    pub fn rfc(variant: Variant) -> Self {
        let mtu = 1500;
        let header = HEADERS as u32;
        Settings {
            mtu,
            sender: SenderConfig::rfc(
                variant,
                GrowthLaw::default(),
                1,
                u32::from(mtu) - header,
                header,
            ),
            delayed_ack: Span::from_nanos(SECOND / 10),
            timestamps: true,
            scaling: true,
            send_buffer: 1 << 18,
            receive_buffer: 1 << 18,
            syn_retries: 6,
            patience: Span::from_nanos(900 * SECOND),
            time_wait: Span::from_nanos(240 * SECOND),
            connections: 64,
            backlog: 16,
        }
    }

    /// The settings, if they can be.
    ///
    /// # Errors
    /// What cannot be, and what could.
    pub fn checked(self) -> Result<Self, String> {
        let buffers = [("send_buffer", self.send_buffer), ("receive_buffer", self.receive_buffer)];
        for (name, bytes) in buffers {
            if !(1..=LARGEST_BUFFER).contains(&bytes) {
                return Err(format!("{name}: {bytes} bytes: from 1 to {LARGEST_BUFFER}"));
            }
        }
        if self.mtu < SHORTEST_MTU {
            return Err(format!("mtu: {} bytes: from {SHORTEST_MTU} to 65535", self.mtu));
        }
        let name = self.sender.variant.name();
        if airtcp_tcp::Sender::new(&self.sender).is_none() {
            return Err(format!("variant: {name}: its rules are not those of the settings"));
        }
        Ok(self)
    }

    /// Largest segment that fits into a packet: what the MSS option says [RFC 9293 3.7.1].
    pub(super) fn mss(&self) -> u16 {
        self.mtu - HEADERS as u16
    }

    /// Timeout before the first sample.
    pub(super) fn first_timeout(&self) -> Span {
        match self.sender.timer {
            TimerConfig::Rfc6298 { initial, .. } => initial,
            TimerConfig::PerPacket { .. }
            | TimerConfig::Ticks { .. }
            | TimerConfig::SlowTicks { .. } => Span::from_nanos(SECOND),
        }
    }
}
