//! Congestion control as Linux cuts it: a module sees [`TcpSock`] of the connection and changes the [`Window`].
//!
//! A control is one file with a [`Module`] and one line in the list of `control.rs`.

mod additive_increase;
mod bbr;
mod bbr3;
mod control;
mod cubic;
mod cubic_root;
mod hystart;
mod hystart_plus;
mod module;
mod reno;
mod slow_start;

pub use self::bbr::{Bbr, Mode};
pub use self::bbr3::{Bbr3, State};
pub use self::control::{Control, DRAFT_NAMES, KERNEL_NAMES, NAMES};
pub use self::cubic::Cubic;
pub use self::hystart::HyStart;
pub use self::hystart_plus::HyStartPlus;
pub use self::module::{BbrInfo, Event, Module, VariableSink};
pub use self::reno::Reno;
use crate::clock::TimeInUnits;

/// The state of loss recovery; the order matters [rules/README.md Notation].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CaState {
    /// Nothing is suspicious.
    #[default]
    Open,
    /// Something was SACKed or repeated.
    Disorder,
    /// The window is being reduced without a loss.
    Cwr,
    /// Fast retransmit and recovery.
    Recovery,
    /// A timeout happened.
    Loss,
}

/// Variables that a module may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// cwnd in packets.
    pub cwnd: u32,
    /// The part of a packet that additive increase has collected [rules/cubic.md rule 2].
    pub cwnd_count: u32,
    /// Upper limit of cwnd.
    pub clamp: u32,
    /// ssthresh in packets.
    pub ssthresh: u32,
    /// cwnd as the last reduction began.
    pub prior_cwnd: u32,
    /// Bytes per second; `u64::MAX` is no limit.
    pub pacing_rate: u64,
    /// `app_limited` of the rate samples: 0, or a value of `delivered` [rules/bbr.md rule 4].
    pub app_limited: u32,
}

/// ssthresh that has not been set.
pub const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;

/// State of the connection that a congestion control module may read: the part of the kernel's `tcp_sock` that it uses.
#[derive(Clone, Copy, Debug)]
pub struct TcpSock {
    /// Time at which processing of the current event began.
    pub now: TimeInUnits,
    /// Oldest number not acknowledged.
    pub una: u64,
    /// Next new number.
    pub nxt: u64,
    /// MSS in bytes.
    pub mss: u32,
    /// `packets_out`.
    pub packets_out: u32,
    /// Packets in flight.
    pub in_flight: u32,
    /// Eight times SRTT in us; 0 before a sample.
    pub srtt8: u32,
    /// Windowed minimum of the round trip in us; `u32::MAX` before a sample.
    pub min_rtt: u32,
    /// Packets delivered.
    pub delivered: u32,
    /// Time of the latest delivery in us.
    pub delivered_us: u64,
    /// Packets marked lost, each time.
    pub lost: u32,
    /// State of recovery.
    pub state: CaState,
    /// True if the window limits the sender [rules/sending.md rule 21].
    pub cwnd_limited: bool,
    /// True if all of cwnd was used in this round, in slow start too [rules/sending.md rule 20].
    pub cwnd_used: bool,
    /// True if SACK was negotiated.
    pub sack: bool,
    /// Jiffy in which data were last sent.
    pub last_sent: u64,
    /// Departure clock in nanoseconds [rules/sending.md rule 14].
    pub departure: i64,
    /// True if TCP (or fq) paces.
    pub paced: bool,
    /// Largest burst in bytes.
    pub gso_max_size: u32,
    /// `SO_MAX_PACING_RATE`.
    pub max_pacing_rate: u64,
}

/// Rate of delivery that an ACK has measured [rules/bbr.md rule 3].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSample {
    /// `delivered` as the packet was sent; 0: there is none.
    pub prior_delivered: u32,
    /// Time of `prior_delivered` in us.
    pub prior_us: u64,
    /// Packets delivered in the interval; -1: invalid.
    pub delivered: i32,
    /// The interval in us; -1: invalid.
    pub interval_us: i64,
    /// Round trip in us; -1: none.
    pub rtt_us: i64,
    /// Packets newly marked lost.
    pub losses: u32,
    /// Packets newly acknowledged or SACKed.
    pub acked_sacked: u32,
    /// Packets in flight before this ACK.
    pub prior_in_flight: u32,
    /// True if the application limited the sender then.
    pub app_limited: bool,
    /// True if the ACK is probably delayed [rules/rtt.md rule 10].
    pub ack_delayed: bool,
    /// Packets in flight right after the packet was sent [rules/bbr3.md rule 2].
    pub tx_in_flight: u32,
    /// Packets marked lost since then.
    pub lost: u32,
}

impl RateSample {
    /// Returns whether packets were delivered over a known time.
    pub(crate) fn has_rate(&self) -> bool {
        self.delivered >= 0 && self.interval_us > 0
    }
}

/// A packet that is marked lost [rules/bbr3.md rule 3].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostPacket {
    /// First sequence number.
    pub seq: u64,
    /// The number after its last.
    pub end: u64,
    /// Packets in flight right after it was sent.
    pub tx_in_flight: u32,
    /// Packets marked lost since then, with it.
    pub lost: u32,
    /// True if the application limited the sender then.
    pub app_limited: bool,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Clock;
    use airtcp_core::Instant;

    /// A window of `cwnd` packets before any reduction.
    pub(crate) fn window(cwnd: u32) -> Window {
        Window {
            cwnd,
            cwnd_count: 0,
            clamp: u32::MAX,
            ssthresh: INFINITE_SSTHRESH,
            prior_cwnd: 0,
            pacing_rate: u64::MAX,
            app_limited: 0,
        }
    }

    /// A connection one second after the host's start, limited by its window.
    pub(crate) fn tcp_sock() -> TcpSock {
        TcpSock {
            now: Clock::default().units_at(Instant::from_nanos(1_000_000_000)),
            una: 1,
            nxt: 1,
            mss: 1448,
            packets_out: 0,
            in_flight: 0,
            srtt8: 0,
            min_rtt: u32::MAX,
            delivered: 0,
            delivered_us: 0,
            lost: 0,
            state: CaState::Open,
            cwnd_limited: true,
            cwnd_used: true,
            sack: true,
            last_sent: 0,
            departure: 0,
            paced: false,
            gso_max_size: 65_215,
            max_pacing_rate: u64::MAX,
        }
    }
}
