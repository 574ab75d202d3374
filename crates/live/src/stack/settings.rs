//! The settings that are fixed for the connections of one host.

use crate::wire::HEADERS;
use airtcp_core::Span;
use airtcp_tcp::{CongestionSpec, SenderConfig, TimerConfig, Variant};
use std::net::SocketAddrV4;

const SECOND: i64 = 1_000_000_000;
/// Largest buffer: windows have 16 bits, shifted by 14 at most [RFC 7323 2.3].
pub(super) const LARGEST_BUFFER: u32 = 0xFFFF << 14;
/// The shortest MTU: every host takes packets of this length [RFC 791 3.1].
pub(super) const SHORTEST_MTU: u16 = 576;

/// The two ends of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Peers {
    /// This end.
    pub local: SocketAddrV4,
    /// The other end.
    pub remote: SocketAddrV4,
}

/// The settings that are fixed for the connections of one host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Longest packet in bytes.
    pub mtu: u16,
    /// Settings of the sender, in bytes; those that depend on the other end (payload of a packet,
    /// window) are filled in when the connection opens.
    pub sender: SenderConfig,
    /// Longest time that an ACK waits for a second full packet [RFC 5681 4.2].
    pub delayed_ack: Span,
    /// If true, a SYN offers timestamps [RFC 7323].
    pub timestamps: bool,
    /// If true, a SYN offers window scaling [RFC 7323].
    pub scaling: bool,
    /// Size of the send buffer in bytes: data stays there until it is acknowledged.
    pub send_buffer: u32,
    /// Size of the receive buffer in bytes, which is the window: data stays there until it is read.
    pub receive_buffer: u32,
    /// Number of times that a SYN is retransmitted.
    pub syn_retries: u32,
    /// Time without an answer after which a connection is given up: at least 100 s [RFC 9293 3.8.3].
    pub patience: Span,
    /// Duration of TIME-WAIT: two maximum segment lifetimes, of two minutes each [RFC 9293 3.4.2].
    pub time_wait: Span,
    /// Limit on the number of connections.
    pub connections: usize,
    /// Limit on the number of handshakes, among the connections, that others began.
    pub backlog: usize,
}

impl Settings {
    /// Settings by the RFCs: packets of 1500 bytes, buffers of 256 KiB, RFC timers, all options.
    #[must_use]
    pub fn rfc(variant: Variant) -> Self {
        let mtu = 1500;
        let header = HEADERS as u32;
        Settings {
            mtu,
            sender: SenderConfig::rfc(
                variant,
                CongestionSpec::default(),
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

    /// Checks the settings, and returns them.
    ///
    /// # Errors
    ///
    /// The value that is not allowed, and the range that is.
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
            return Err(format!(
                "variant: {name} does not belong to the rules that the settings follow"
            ));
        }
        Ok(self)
    }

    /// Largest segment that fits into a packet: the value of the MSS option [RFC 9293 3.7.1].
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
