//! Rules of ns's sinks on when to acknowledge, and on echoes of marks [ns 2.35, tcp-sink.cc].

use airtcp_core::{Instant, Span};
use serde::Serialize;

/// Settings of a sink of ns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NsSinkConfig {
    /// Longest wait of an ACK for the next packet; zero: none waits.
    pub interval: Span,
    /// True if a packet that fills a part of a hole is acknowledged at once.
    pub immediate_ack: bool,
    /// True if the first packet is acknowledged at once.
    pub syn_immediate_ack: bool,
    /// True if marks are echoed.
    pub ecn: bool,
}

/// An ACK that may wait, and the marks that it will echo.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct NsSink {
    config: NsSinkConfig,
    expiry: Instant,
    /// The packet whose ACK waits.
    pub(super) delayed_number: u64,
    /// True if a packet that the next ACK covers carried a mark; next: carried CWR; was the first of the connection.
    marked: bool,
    confirms: bool,
    before_first_packet: bool,
    /// Marks are echoed until the sender confirms.
    echoes: bool,
}

impl NsSink {
    pub(super) fn new(config: NsSinkConfig) -> Self {
        NsSink {
            config,
            expiry: Instant::NEVER,
            delayed_number: 0,
            marked: false,
            confirms: false,
            before_first_packet: false,
            echoes: false,
        }
    }

    /// Takes packet `seq`; all below `next` has arrived, and something beyond it if `holes`. Returns whether its ACK is
    /// delayed.
    pub(super) fn delays_ack(&mut self, now: Instant, seq: u64, next: u64, holes: bool) -> bool {
        self.before_first_packet |= seq == 0;
        let NsSinkConfig { interval, immediate_ack, syn_immediate_ack, .. } = self.config;
        let may = seq + 1 == next && !(immediate_ack && holes) && !(syn_immediate_ack && seq == 0);
        if interval == Span::ZERO || self.expiry != Instant::NEVER || !may {
            self.expiry = Instant::NEVER;
            return false;
        }
        self.expiry = now + interval;
        self.delayed_number = seq;
        true
    }

    pub(super) fn expiry(&self) -> Instant {
        self.expiry
    }

    /// The ACK that waited leaves.
    pub(super) fn on_ack_sent(&mut self) {
        self.expiry = Instant::NEVER;
    }

    pub(super) fn record_marks(&mut self, marked: bool, confirms: bool) {
        self.marked |= marked;
        self.confirms |= confirms;
    }

    /// Returns whether the ACK that leaves now echoes a mark. The ACK of the first packet always does: it negotiates
    /// ECN.
    pub(super) fn echoes_mark(&mut self) -> bool {
        self.echoes = self.marked || self.echoes && !self.confirms;
        let first = std::mem::take(&mut self.before_first_packet);
        (self.marked, self.confirms) = (false, false);
        self.config.ecn && (first || self.echoes)
    }
}
