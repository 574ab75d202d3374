//! Inputs and outputs of a sender.

use airtcp_core::{Instant, Stream};

/// Options of a socket before it is connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SenderOptions {
    /// Name of the congestion control.
    pub control: String,
    /// `TCP_NODELAY`.
    pub nodelay: bool,
    /// `TCP_CORK`.
    pub cork: bool,
    /// `SO_MAX_PACING_RATE` in bytes per second; `u64::MAX` is no limit.
    pub max_pacing_rate: u64,
    /// `SO_SNDBUF` as it is in force, in bytes.
    pub sndbuf: Option<u64>,
    /// Largest burst in bytes.
    pub gso_max_size: u32,
    /// Largest burst in packets.
    pub gso_max_segs: u32,
    /// `TCP_USER_TIMEOUT` in milliseconds; 0: none.
    pub user_timeout: u64,
    /// `TCP_NOTSENT_LOWAT`: unsent bytes from which a call blocks.
    pub notsent_lowat: u64,
    /// True if the queueing discipline paces by departure times (fq).
    pub fq: bool,
    /// `TCP_THIN_LINEAR_TIMEOUTS`.
    pub thin_linear: bool,
    /// True if a blocked call continues at the ACK that frees space; otherwise at
    /// [`Sender::resume`](super::Sender::resume), as processes wake up later.
    pub wakes_itself: bool,
    /// Bytes of each call of an application that always has more; see [`WriteFlags::blocking_call`].
    pub write_size: u64,
    /// Random stream for the probe waits of BBRv3.
    pub random: Stream,
    /// Rules that are not as Linux has them, to judge what judges senders.
    pub changed: RuleChanges,
}

/// Rules that can be changed on purpose; by default none is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleChanges {
    /// In recovery cwnd is ssthresh at once [not rules/recovery.md rule 47].
    pub no_prr: bool,
    /// RACK waits twice as long [not rules/rack.md rule 5].
    pub double_window: bool,
    /// No reduction is undone [not rules/recovery.md rules 38 to 42].
    pub no_undo: bool,
}

impl Default for SenderOptions {
    fn default() -> Self {
        SenderOptions {
            control: "cubic".to_owned(),
            nodelay: false,
            cork: false,
            max_pacing_rate: u64::MAX,
            sndbuf: None,
            gso_max_size: 65_279,
            gso_max_segs: 65_535,
            user_timeout: 0,
            notsent_lowat: u64::MAX,
            fq: false,
            thin_linear: false,
            wakes_itself: true,
            write_size: u64::MAX,
            random: Stream::new(0, "control", 0),
            changed: RuleChanges::default(),
        }
    }
}

/// Result of a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Establishment {
    /// True if this end sent the SYN.
    pub client: bool,
    /// The peer's MSS option, 536 if it has none.
    pub mss_clamp: u32,
    /// MTU of the path.
    pub mtu: u32,
    /// True if both ends permit SACK.
    pub sack: bool,
    /// Offset of the timestamps, where both use them.
    pub timestamps: Option<u32>,
    /// True if both use ECN.
    pub ecn: bool,
    /// The peer's window in bytes.
    pub window: u64,
    /// The peer's window scale.
    pub scale: u8,
    /// Number of the segment that advertised the window.
    pub seq: u64,
    /// Round trip of the handshake in us.
    pub rtt_us: Option<u64>,
    /// Repeated SYNs or SYN-ACKs.
    pub syn_copies: u32,
    /// Timeouts among them.
    pub timeouts: u32,
    /// True if the timestamp of the first copy was echoed.
    pub first_syn_echoed: bool,
    /// cwnd to start with.
    pub initial_window: u32,
}

/// The acknowledging part of a segment.
#[derive(Clone, Copy, Debug)]
pub struct AckIn<'a> {
    /// The number expected next.
    pub ack: u64,
    /// The segment's own number.
    pub seq: u64,
    /// True if it carries data.
    pub has_data: bool,
    /// Its window in bytes.
    pub window: u64,
    /// SACK blocks in the order of the option.
    pub sack: &'a [(u64, u64)],
    /// Timestamps: value and echo.
    pub ts: Option<(u32, u32)>,
    /// ECE.
    pub ece: bool,
    /// True if header prediction matched [rules/recovery.md rule 4].
    pub header_predicted: bool,
    /// SYN.
    pub syn: bool,
}

/// Fate of the segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckVerdict {
    /// The ACK is processed further.
    Ok,
    /// The segment is dropped.
    Drop,
    /// The segment is dropped and answered by a challenge ACK.
    Challenge,
}

/// A burst of segments sent back to back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// First sequence number.
    pub seq: u64,
    /// Bytes of data.
    pub len: u32,
    /// Segments: all of `mss` bytes but the last.
    pub packets: u32,
    /// Bytes of each segment but the last.
    pub mss: u32,
    /// FIN on the last one.
    pub fin: bool,
    /// PSH on the last one.
    pub psh: bool,
    /// True if it was sent before.
    pub retransmission: bool,
    /// CWR, on the first one.
    pub cwr: bool,
    /// ECN-capable.
    pub ect: bool,
    /// Earliest departure time.
    pub departure: Instant,
    /// A zero-window probe without data.
    pub probe: bool,
}

/// Options of a write by the application.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteFlags {
    /// `MSG_MORE`.
    pub more_follows: bool,
    /// `MSG_EOR`.
    pub eor: bool,
    /// True if no more data may be added to the buffer, as if its pages were full.
    pub seal_buffer: bool,
    /// The call waits for space and takes everything in the end.
    pub blocking: bool,
}

impl From<bool> for WriteFlags {
    /// `MSG_MORE` or nothing.
    fn from(more: bool) -> Self {
        WriteFlags { more_follows: more, ..WriteFlags::default() }
    }
}

impl WriteFlags {
    /// A call that waits until all is written.
    #[must_use]
    pub const fn blocking_call() -> Self {
        WriteFlags { more_follows: false, eor: false, seal_buffer: false, blocking: true }
    }
}
