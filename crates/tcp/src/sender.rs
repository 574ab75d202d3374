//! The sender: sliding window, duplicate-ACK counting, timers. What to do about a loss is the
//! recovery strategy's decision.

use crate::recovery::{Plan, Recovery, Strategy, Variant, View};
use crate::segment::Segment;
use crate::timers::PacketTimers;
use crate::window::Window;
use airtcp_core::{Instant, Span};
use serde::Serialize;

/// What is fixed during a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderConfig {
    /// Loss recovery.
    pub variant: Variant,
    /// Window that the receiver advertises, in packets (`W_max`), at least 1.
    pub window: u32,
    /// Duplicate ACKs that trigger a fast retransmit (K), at least 1.
    pub dupack_threshold: u32,
    /// Length of a packet's timer (`T_o`).
    pub timeout: Span,
    /// Whether recovery sends new data on an inflated window.
    pub inflation: bool,
    /// Length of a data packet on the air.
    pub packet_bits: u64,
}

/// What a sender has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Data packets sent, repetitions included.
    pub transmissions: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Retransmissions triggered by duplicate ACKs.
    pub fast_retransmits: u64,
}

/// The sending end of one connection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sender {
    una: u64,
    next: u64,
    offered: u64,
    cwnd: Window,
    ssthresh: Window,
    dupacks: u32,
    retransmit: Option<u64>,
    suspended: bool,
    recovery: Recovery,
    timers: PacketTimers,
    counters: Counters,
    rwnd: Window,
    dupack_threshold: u32,
    inflation: bool,
    packet_bits: u64,
}

impl Sender {
    /// A sender with an open connection, window 1 and nothing to send yet.
    #[must_use]
    pub fn new(config: &SenderConfig) -> Self {
        Sender {
            una: 0,
            next: 0,
            offered: 0,
            cwnd: Window::ONE,
            ssthresh: Window::packets(config.window),
            dupacks: 0,
            retransmit: None,
            suspended: false,
            recovery: config.variant.build(),
            timers: PacketTimers::new(config.timeout, config.window),
            counters: Counters::default(),
            rwnd: Window::packets(config.window),
            dupack_threshold: config.dupack_threshold,
            inflation: config.inflation,
            packet_bits: config.packet_bits,
        }
    }

    /// The application hands over `packets` more packets.
    pub fn offer(&mut self, packets: u64) {
        self.offered = self.offered.saturating_add(packets);
    }

    /// Takes an ACK.
    #[inline]
    pub fn on_segment(&mut self, _now: Instant, segment: &Segment) {
        let Segment::Ack { next, .. } = *segment else { return };
        if next > self.una {
            self.on_new_ack(next);
        } else if next == self.una && self.una < self.next {
            self.on_duplicate_ack();
        }
    }

    /// Lets the retransmission timer expire if it is due.
    pub fn on_timer(&mut self, now: Instant) {
        if now < self.poll_timeout() {
            return;
        }
        self.counters.timeouts += 1;
        self.dupacks = 0;
        let mut plan = Plan::default();
        self.recovery.on_timeout(&self.view(), &mut plan);
        self.execute(&plan);
    }

    /// The next packet to send now, if any.
    #[inline]
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Segment> {
        let seq = match self.retransmit.take() {
            Some(seq) => seq,
            None => self.next_in_window(now)?,
        };
        self.counters.transmissions += 1;
        Some(Segment::Data { seq, bits: self.packet_bits })
    }

    /// When the retransmission timer expires; [`Instant::NEVER`] if nothing is outstanding.
    #[inline]
    #[must_use]
    pub fn poll_timeout(&self) -> Instant {
        if self.una < self.next { self.timers.expiry(self.una) } else { Instant::NEVER }
    }

    /// First packet not acknowledged.
    #[must_use]
    pub fn una(&self) -> u64 {
        self.una
    }

    /// Packets sent since the last rewind and not acknowledged.
    #[must_use]
    pub fn flight(&self) -> u64 {
        self.next - self.una
    }

    /// Congestion window.
    #[must_use]
    pub fn cwnd(&self) -> Window {
        self.cwnd
    }

    /// Slow-start threshold.
    #[must_use]
    pub fn ssthresh(&self) -> Window {
        self.ssthresh
    }

    /// What was done so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters
    }

    #[inline]
    fn on_new_ack(&mut self, ack: u64) {
        let acked = ack - self.una;
        self.una = ack;
        self.next = self.next.max(ack);
        self.dupacks = 0;
        self.retransmit = None;
        let mut plan = Plan::default();
        self.recovery.on_new_ack(&self.view(), acked, &mut plan);
        self.execute(&plan);
    }

    fn on_duplicate_ack(&mut self) {
        self.dupacks += 1;
        let mut plan = Plan::default();
        self.recovery.on_duplicate_ack(&self.view(), &mut plan);
        self.execute(&plan);
    }

    #[inline]
    fn next_in_window(&mut self, now: Instant) -> Option<u64> {
        let end = (self.una + self.cwnd.floor()).min(self.offered);
        if self.suspended || self.next >= end {
            return None;
        }
        let seq = self.next;
        self.next += 1;
        self.timers.start(seq, now);
        Some(seq)
    }

    #[inline]
    fn execute(&mut self, plan: &Plan) {
        if plan.retransmit.is_some() {
            self.retransmit = plan.retransmit;
        }
        self.ssthresh = plan.ssthresh.unwrap_or(self.ssthresh);
        self.cwnd = plan.cwnd.unwrap_or(self.cwnd).min(self.rwnd);
        self.suspended = plan.suspend.unwrap_or(self.suspended);
        self.counters.fast_retransmits += u64::from(plan.fast_retransmit);
        if plan.rewind {
            self.next = self.una;
            self.retransmit = None;
        }
    }

    #[inline]
    fn view(&self) -> View {
        View {
            una: self.una,
            next: self.next,
            cwnd: self.cwnd,
            ssthresh: self.ssthresh,
            dupacks: self.dupacks,
            dupack_threshold: self.dupack_threshold,
            inflation: self.inflation,
        }
    }
}
