//! State of a sender that a strategy may see.

use crate::ns::{Ns, NsSettings};
use crate::reduction::Reduction;
use crate::scoreboard::Scoreboard;
use crate::segment::Sack;
use crate::window::Window;
use airtcp_core::Instant;
use serde::Serialize;

/// The sender as its strategies see it. Sequence numbers count packets or bytes; `mss` says how many
/// make a full packet.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[repr(C)]
pub struct View {
    /// The time of the current input.
    pub now: Instant,
    /// First sequence number not acknowledged.
    pub una: u64,
    /// Next one to send: below `high` after a rewind.
    pub next: u64,
    /// First one never sent.
    pub high: u64,
    /// First one that the application has not written yet.
    pub written: u64,
    /// Congestion window.
    pub cwnd: Window,
    /// Slow-start threshold.
    pub ssthresh: Window,
    /// Sequence numbers that may be sent beyond `cwnd`.
    pub inflation_amount: u64,
    /// The advertised window.
    pub rwnd: u64,
    /// A full packet in sequence numbers.
    pub mss: u32,
    /// Duplicate ACKs since `una` last moved or the timer expired. A rewind by fast retransmit does not clear the
    /// count: duplicates still in flight must not trigger another one.
    pub dupacks: u32,
    /// True if the current ACK shows that the first segment not acknowledged is lost.
    pub is_first_lost: bool,
    /// Duplicate ACKs that trigger a fast retransmit (K).
    pub dupack_threshold: u32,
    /// True if idealised recovery sends new data on an inflated window, or none at all.
    pub inflation: bool,
    /// True if the first duplicate ACKs send new data [RFC 3042].
    pub limited_transmit: bool,
    /// Reduction of the window in a recovery.
    pub reduction: Reduction,
    /// Segments sent and not acknowledged.
    pub segments: Scoreboard,
    /// SACK blocks of the current ACK.
    pub sack: Sack,
    /// Timestamp echo (TSecr) of the current ACK, if timestamps are in use [RFC 7323].
    pub echo: u32,
    /// The timestamp clock as the retransmission timer last expired, likewise.
    pub timestamp_now: u32,
    /// True if the last probing cycle is long enough ago for another to be useful.
    pub probe_due: bool,
    /// Settings and state of ns, in a sender that follows it.
    pub(crate) ns: Option<Box<Ns>>,
}

impl View {
    /// Settings of ns.
    ///
    /// # Panics
    /// If the sender follows other rules.
    pub(crate) fn ns(&self) -> &NsSettings {
        &self.ns.as_ref().expect("a sender by the rules of ns").settings
    }

    /// Sequence numbers that may be outstanding: the window in use.
    #[must_use]
    #[inline]
    pub fn usable_window(&self) -> u64 {
        (self.cwnd.floor() + self.inflation_amount).min(self.rwnd)
    }

    /// Half the usable window in whole packets, rounded down.
    #[must_use]
    pub fn half_window(&self) -> u32 {
        (self.usable_window() / 2) as u32
    }

    /// Sent since the last rewind and not acknowledged.
    #[must_use]
    pub fn flight_size(&self) -> u64 {
        self.next - self.una
    }

    /// Returns whether the receiver's window and the application allow another packet of new data.
    #[must_use]
    pub fn can_send_new(&self) -> bool {
        self.can_send(self.next)
    }

    /// Returns whether they allow the packet that begins at `seq`.
    #[must_use]
    pub fn can_send(&self, seq: u64) -> bool {
        let end = seq + u64::from(self.packet_length(seq));
        seq < self.written && end <= self.una + self.rwnd
    }

    /// Length of the packet that begins at `seq`: only the last may be shorter than the others.
    #[must_use]
    #[inline]
    pub fn packet_length(&self, seq: u64) -> u32 {
        let rest = self.written.saturating_sub(seq);
        u32::try_from(rest).unwrap_or(u32::MAX).min(self.mss)
    }
}
