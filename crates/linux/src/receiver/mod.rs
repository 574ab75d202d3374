//! Receiver: order of data, window, and ACKs [rules/receiver.md].

mod acks;
mod blocks;
mod data;
mod memory;
mod order;
mod plain;
mod sack;
mod space;
mod timers;
mod window;

pub use blocks::Blocks;
pub use memory::BufferMemory;
pub(crate) use plain::InOrderData;

use crate::clock::{Clock, TimeInUnits};
use crate::sysctl::Sysctl;
use acks::AckState;
use order::OutOfOrder;
use sack::Sack;
use space::BufferTuning;
use std::collections::VecDeque;
use window::ReceiveWindow;

/// State of the sender beside it that the receiver needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct SenderPath {
    /// Eight times SRTT in us; 0 before a sample.
    pub srtt8: u32,
    /// RTO in jiffies.
    pub rto: u64,
}

/// Fields by which an ACK, or a segment with data, reports the receiver's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckFields {
    /// Counter of the next byte that is expected.
    pub ack: u64,
    /// Field of the window.
    pub window: u16,
    /// SACK blocks.
    pub sack: Blocks,
    /// Congestion is echoed.
    pub ece: bool,
}

/// Limits with which a receiver begins.
#[derive(Clone, Copy, Debug, Default)]
pub struct BufferLimits {
    /// `SO_RCVBUF` in bytes of memory, if it was set.
    pub buffer: Option<u64>,
    /// `TCP_WINDOW_CLAMP`; 0 without.
    pub clamp: u64,
    /// MSS that rounds the first window.
    pub mss: u64,
}

/// Result of a handshake.
#[derive(Clone, Copy, Debug)]
pub struct NegotiatedOptions {
    /// SACK.
    pub sack: bool,
    /// Timestamps.
    pub timestamps: bool,
    /// Window scaling.
    pub scaling: bool,
    /// ECN.
    pub ecn: bool,
    /// MSS of the sender beside it.
    pub mss: u32,
    /// Largest segment that it takes, options off.
    pub advmss: u32,
}

/// The receiving half of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    clock: Clock,
    settings: ReceiverSettings,
    timestamps: bool,
    ecn: bool,
    /// Next number that is expected, and the one before which everything was read.
    nxt: u64,
    copied_seq: u64,
    acks: AckState,
    sack: Sack,
    out_of_order_queue: OutOfOrder,
    window: ReceiveWindow,
    space: BufferTuning,
    /// Data that wait to be read: bytes and their memory, buffer by buffer.
    unread: VecDeque<(u64, u64)>,
    fin: bool,
    /// A CE mark arrived, and no CWR since.
    ece_pending: bool,
    seen_ect: bool,
    output_queue: VecDeque<AckFields>,
    out_of_order: u64,
    received: u64,
}

/// The settings that a receiver uses.
#[derive(Clone, Debug)]
struct ReceiverSettings {
    memory: BufferMemory,
    app_win: u64,
    reports_duplicates: bool,
    pingpong: u32,
    compressed: u32,
    delay_ns: u64,
    slack_ns: u64,
    quick: bool,
    delack_max: u64,
    accepted: bool,
}

impl Receiver {
    /// A receiver before the handshake.
    #[must_use]
    pub fn new(sysctl: &Sysctl, clock: Clock, memory: BufferMemory, limits: BufferLimits) -> Self {
        let settings = ReceiverSettings {
            memory,
            app_win: sysctl.tcp_app_win,
            reports_duplicates: sysctl.tcp_dsack != 0,
            pingpong: sysctl.tcp_pingpong_thresh.max(1) as u32,
            compressed: sysctl.tcp_comp_sack_nr as u32,
            delay_ns: sysctl.tcp_comp_sack_delay_ns,
            slack_ns: sysctl.tcp_comp_sack_slack_ns,
            quick: false,
            delack_max: 50.min(crate::clock::us_to_jiffies(sysctl.tcp_rto_min_us).max(2) - 1),
            accepted: true,
        };
        Receiver {
            clock,
            settings,
            timestamps: false,
            ecn: false,
            nxt: 0,
            copied_seq: 0,
            acks: AckState::default(),
            sack: Sack::default(),
            out_of_order_queue: OutOfOrder::default(),
            window: ReceiveWindow::new(sysctl, limits.buffer, limits.clamp, limits.mss),
            space: BufferTuning::default(),
            unread: VecDeque::new(),
            fin: false,
            ece_pending: false,
            seen_ect: false,
            output_queue: VecDeque::new(),
            out_of_order: 0,
            received: 0,
        }
    }

    /// The SYN of the other end came.
    pub fn on_syn(&mut self) {
        (self.nxt, self.copied_seq) = (1, 1);
        self.window.advertised_from = 1;
    }

    /// The handshake is over [rules/receiver.md rules 1, 21].
    pub fn establish(&mut self, now: TimeInUnits, n: &NegotiatedOptions) {
        (self.timestamps, self.ecn) = (n.timestamps, n.ecn);
        self.acks.last_received = now.jiffies;
        self.sack = Sack::new(n.sack, self.settings.reports_duplicates);
        if !n.scaling {
            self.window.scale = 0;
            self.window.clamp = self.window.clamp.min(65_535);
        }
        let advmss = u64::from(n.advmss);
        self.window.establish(self.settings.app_win, advmss);
        let space = self.window.ssthresh.min(self.window.advertised).min(10 * advmss);
        self.space.establish(space, self.copied_seq, now.us);
        let half = self.window.advertised / 2;
        let mss = advmss.min(n.mss.into()).min(half).min(536);
        self.acks.mss = (mss as u32).max(88);
    }

    /// Notes whether a process has the connection: without one data beyond a hole do not make the buffer grow
    /// [rules/receiver.md rule 26].
    pub fn set_accepted(&mut self, accepted: bool) {
        self.settings.accepted = accepted;
    }

    /// Sets whether the route requires quick ACKs.
    pub fn set_quick_route(&mut self, quick: bool) {
        self.settings.quick = quick;
    }

    /// Next number that is expected.
    #[must_use]
    pub fn nxt(&self) -> u64 {
        self.nxt
    }

    /// Bytes that wait to be read.
    #[must_use]
    pub fn unread(&self) -> u64 {
        self.nxt - u64::from(self.fin) - self.copied_seq
    }

    /// The jiffy of the last data.
    #[must_use]
    pub fn last_received(&self) -> u64 {
        self.acks.last_received
    }

    /// No segment counts as the last one with data [rules/fast_open.md rule 9].
    pub fn forget_last_receive(&mut self) {
        self.acks.last_received = 0;
    }

    /// Numbers received in order so far.
    #[must_use]
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Returns whether the other end has ended its data.
    #[must_use]
    pub fn fin(&self) -> bool {
        self.fin
    }

    /// Bytes of SACK options that a segment would carry now.
    #[must_use]
    #[inline]
    pub fn sack_bytes(&self) -> u32 {
        match self.sack.pending(self.timestamps) as u32 {
            0 => 0,
            blocks => 4 + 8 * blocks,
        }
    }

    /// Returns whether an ACK waits to be sent.
    #[must_use]
    #[inline]
    pub fn has_output(&self) -> bool {
        !self.output_queue.is_empty()
    }

    /// The next ACK to be sent, if there is one.
    #[inline]
    pub fn transmit(&mut self) -> Option<AckFields> {
        self.output_queue.pop_front()
    }

    /// Fields of a segment that is sent now, which counts as an ACK [rules/receiver.md rule 7].
    pub fn header(&mut self) -> AckFields {
        let (window, scarce) = self.window.advertise(self.nxt, self.acks.mss.into());
        if scarce {
            self.acks.quick = 0;
        }
        self.acks.on_ack_sent();
        let sack = self.sack.take(self.timestamps);
        AckFields { ack: self.nxt, window, sack, ece: self.ecn && self.ece_pending }
    }

    /// Field of the window of a segment that counts as no ACK: SYN, SYN-ACK.
    #[must_use]
    pub fn first_window(&self) -> u16 {
        self.window.advertised.min(65_535) as u16
    }

    /// Shift of the windows that it advertises.
    #[must_use]
    pub fn scale(&self) -> u8 {
        self.window.scale
    }

    /// The window last advertised, as far as it is left.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.window.remaining(self.nxt)
    }

    /// The number after the last ACK.
    #[must_use]
    pub fn acknowledged(&self) -> u64 {
        self.window.advertised_from
    }

    /// `SO_RCVBUF`: the buffer in bytes of memory, which does not grow any more.
    pub fn set_buffer(&mut self, bytes: u64) {
        (self.window.buffer, self.window.fixed) = (bytes, true);
    }

    /// The receive buffer in bytes of memory.
    #[must_use]
    pub fn buffer(&self) -> u64 {
        self.window.buffer
    }

    /// `TCP_WINDOW_CLAMP`.
    pub fn set_clamp(&mut self, clamp: u64) {
        self.window.set_clamp(clamp);
    }

    /// A field of `TCP_INFO` [rules/sockets.md D].
    #[must_use]
    pub fn information(&self, now: TimeInUnits, field: &str) -> Option<i128> {
        Some(match field {
            "tcpi_ato" => (u64::from(self.acks.ato).min(self.settings.delack_max) * 4000).into(),
            "tcpi_rcv_mss" => self.acks.mss.into(),
            "tcpi_advmss" => self.window.advmss.into(),
            "tcpi_last_data_recv" => ((now.jiffies - self.acks.last_received) * 4).into(),
            "tcpi_rcv_ssthresh" => self.window.ssthresh.into(),
            "tcpi_rcv_rtt" => (self.space.rtt8 >> 3).into(),
            "tcpi_rcv_space" => self.space.bytes.into(),
            "tcpi_rcv_wscale" => self.window.scale.into(),
            "tcpi_rcv_wnd" => self.window.advertised.into(),
            "tcpi_rcv_ooopack" => self.out_of_order.into(),
            "tcpi_bytes_received" => self.received.into(),
            _ => return None,
        })
    }

    /// Returns whether nothing is held beyond a hole.
    #[must_use]
    pub fn has_no_out_of_order(&self) -> bool {
        self.out_of_order_queue.is_empty()
    }

    /// End of the highest SACK block that the receiver reports.
    #[must_use]
    pub fn highest_block(&self) -> Option<u64> {
        self.sack.highest()
    }

    /// Returns whether ECN was seen on segments of the other end.
    #[must_use]
    pub fn seen_ect(&self) -> bool {
        self.seen_ect
    }
}
