//! The sending half of a connection: loss recovery, timers, and the decision what to send when
//! [rules/recovery.md, rules/rack.md, rules/rtt.md, rules/timers.md B to D, rules/sending.md].

mod ack;
mod blocks;
mod buffer;
mod burst;
mod chrono;
mod clean;
mod context;
mod control_by_name;
mod dsack;
mod establish;
mod idle;
mod info;
mod limited;
mod loss;
mod mark;
mod mss;
mod nagle;
mod pacing;
mod packet;
mod persist;
mod plain;
mod prr;
mod queue;
mod rack;
mod rack_losses;
mod rack_order;
mod reductions;
mod reno_sack;
mod reordering;
mod replay;
mod resize;
mod retransmit;
mod rto;
mod rtt;
mod sack;
mod socket;
mod state_machine;
mod tail_probes;
mod timer;
mod timers;
mod tlp;
mod undo;
mod validation;
mod variables;
mod wire;
mod writer;
mod writes;
mod xmit;

pub use prr::{Prr, PrrInput};
pub use rack::{Rack, RackInput};
pub use replay::ObservedState;
pub use rtt::RttEstimator;
pub use tlp::{ProbeOutcome, TailProbeEpisode};
pub use wire::{
    AckIn, AckVerdict, Establishment, Outgoing, RuleChanges, SenderOptions, WriteFlags,
};

use crate::clock::{Clock, TimeInUnits, ms_to_jiffies};
use crate::congestion::{CaState, Control, INFINITE_SSTHRESH, TcpSock, Window};
use crate::minmax::MinMax;
use crate::rate::Rate;
use crate::sysctl::Sysctl;
use airtcp_core::Instant;
use blocks::Blocks;
use buffer::UnsentQueue;
use chrono::Chrono;
use queue::Queue;
use std::collections::VecDeque;
use timer::Timer;
use variables::{CwndUsage, SenderTotals, UndoState, ZeroWindowProbes};
use writer::Writer;

/// The sender of one connection.
#[derive(Clone, Debug)]
pub struct Sender {
    sysctl: Sysctl,
    clock: Clock,
    options: SenderOptions,
    control: Control,
    /// Properties of the control: it does everything by itself; it paces; it hears of every loss.
    full_control: bool,
    requires_pacing: bool,
    wants_packet_lost: bool,
    cc_window: Window,
    rate: Rate,

    /// SND.UNA, SND.NXT, and the end of the written data.
    una: u64,
    nxt: u64,
    write_seq: u64,
    queue: Queue,
    unsent: UnsentQueue,
    writer: Writer,
    output_queue: VecDeque<Outgoing>,

    /// The peer's window: now, the largest, and the number of the segment that advertised it last.
    snd_wnd: u64,
    max_window: u64,
    wl1: u64,

    mss_clamp: u32,
    mtu: u32,
    mss_cache: u32,
    sack_bytes: u32,
    sack: bool,
    /// Offset of the timestamps, where they are used.
    timestamps: Option<u32>,
    ecn: bool,
    cwr_pending: bool,

    state: CaState,
    high_seq: u64,
    undo: UndoState,
    prr: Prr,
    rack: Rack,
    rtt: RttEstimator,
    min_rtt: MinMax,
    probe: TailProbeEpisode,
    reordering: u32,
    reord_seen: u32,
    uses_frto: bool,
    reneging: bool,
    /// Millisecond of the first retransmission.
    retrans_stamp: Option<u32>,
    /// Highest SACKed number of a connection with S > 0, and the blocks of the ACK before.
    fack: u64,
    previous_sack: Blocks,
    dsack_dups: u32,

    timer: Timer,
    /// Timeouts in a row.
    retransmits: u32,
    window_probes: ZeroWindowProbes,
    /// Departure clock in ns, and when it lets the next burst go.
    departure: i64,
    pacing_timer: Instant,

    usage: CwndUsage,
    snd_sml: u64,
    pushed_seq: u64,
    last_sent: u64,
    last_ack: u64,
    totals: SenderTotals,
    chrono: Chrono,
    gave_up: bool,
    orphan: bool,
    /// The queue before the device refuses everything.
    drops_output: bool,
    /// A replay holds it back.
    is_muted: bool,
}

impl Sender {
    /// A sender that is not established yet.
    ///
    /// A congestion control of no known name is Reno; who reads names refuses others.
    #[must_use]
    pub fn new(sysctl: &Sysctl, clock: Clock, options: SenderOptions) -> Self {
        let control = control_by_name::control(sysctl, &options);
        Sender {
            full_control: control.has_cong_control(),
            requires_pacing: control.requires_pacing(),
            wants_packet_lost: control.wants_packet_lost(),
            control,
            cc_window: Window {
                cwnd: 10,
                cwnd_count: 0,
                clamp: u32::MAX,
                ssthresh: INFINITE_SSTHRESH,
                prior_cwnd: 0,
                pacing_rate: options.max_pacing_rate,
                app_limited: u32::MAX,
            },
            rate: Rate::default(),
            una: 1,
            nxt: 1,
            write_seq: 1,
            queue: Queue::new(),
            unsent: UnsentQueue::default(),
            writer: Writer::new(sysctl, &options),
            output_queue: VecDeque::with_capacity(64),
            snd_wnd: 0,
            max_window: 0,
            wl1: 0,
            mss_clamp: 536,
            mtu: 1500,
            mss_cache: 536,
            sack_bytes: 0,
            sack: false,
            timestamps: None,
            ecn: false,
            cwr_pending: false,
            state: CaState::Open,
            high_seq: 0,
            undo: UndoState::default(),
            prr: Prr::default(),
            rack: Rack::default(),
            rtt: RttEstimator::new(sysctl.tcp_rto_min_us, ms_to_jiffies(sysctl.tcp_rto_max_ms)),
            min_rtt: MinMax::new(0, u32::MAX),
            probe: TailProbeEpisode::default(),
            reordering: sysctl.tcp_reordering as u32,
            reord_seen: 0,
            uses_frto: false,
            reneging: false,
            retrans_stamp: None,
            fack: 0,
            previous_sack: Blocks::default(),
            dsack_dups: 0,
            timer: Timer::default(),
            retransmits: 0,
            window_probes: ZeroWindowProbes::default(),
            departure: 0,
            pacing_timer: Instant::NEVER,
            usage: CwndUsage::default(),
            snd_sml: 0,
            pushed_seq: 0,
            last_sent: 0,
            last_ack: 0,
            totals: SenderTotals::default(),
            chrono: Chrono::default(),
            gave_up: false,
            orphan: false,
            drops_output: false,
            is_muted: false,
            sysctl: sysctl.clone(),
            clock,
            options,
        }
    }

    /// State of the sender for its congestion control.
    #[must_use]
    #[inline(always)]
    pub fn tcp_sock(&self, now: TimeInUnits) -> TcpSock {
        TcpSock {
            now,
            una: self.una,
            nxt: self.nxt,
            mss: self.mss_cache,
            packets_out: self.queue.packets_out(),
            in_flight: self.queue.in_flight(),
            srtt8: self.rtt.srtt8,
            min_rtt: self.min_rtt.best_value(),
            delivered: self.rate.delivered,
            delivered_us: self.rate.delivered_us,
            lost: self.rate.lost,
            state: self.state,
            cwnd_limited: self.is_cwnd_limited(),
            cwnd_used: self.usage.limited,
            sack: self.sack,
            last_sent: self.last_sent,
            departure: self.departure,
            paced: self.is_pacing(),
            gso_max_size: self.options.gso_max_size,
            max_pacing_rate: self.options.max_pacing_rate,
        }
    }

    /// Returns whether a burst waits to leave.
    #[must_use]
    #[inline]
    pub fn has_output(&self) -> bool {
        !self.output_queue.is_empty()
    }

    /// The next burst to leave.
    #[inline]
    pub fn transmit(&mut self) -> Option<Outgoing> {
        self.output_queue.pop_front()
    }
}

#[cfg(test)]
mod check;
#[cfg(test)]
mod tests;
