//! What is known while one ACK is handled.

use super::queue::NONE;

/// Flags and counts of one ACK [linux/recovery.md A].
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    /// ack > una.
    pub advanced: bool,
    /// una before.
    pub una: u64,
    /// Highest SACKed number before.
    pub fack: u64,
    /// In flight before.
    pub in_flight: u32,
    /// S before.
    pub sacked: u32,
    /// `delivered` before.
    pub delivered: u32,
    /// `lost` before.
    pub lost: u32,
    /// Whether it carries data.
    pub data: bool,
    /// Whether its window was accepted.
    pub window_update: bool,
    /// Whether whole packets were acknowledged.
    pub acked: bool,
    /// Whether a packet was newly SACKed.
    pub newly_sacked: bool,
    /// Whether it carries a D-SACK, and one of the probe.
    pub dsack: bool,
    pub dsack_of_probe: bool,
    /// Whether it has ECE.
    pub ece: bool,
    /// Whether it proves that original transmissions arrived (F-RTO).
    pub orig_sacked: bool,
    /// Whether it acknowledges retransmitted packets.
    pub retrans_acked: bool,
    /// Whether the head of the queue is SACKed.
    pub reneging: bool,
    /// Whether a receiver reneged before.
    pub was_reneging: bool,
    /// Whether it is probably delayed.
    pub delayed: bool,
    /// Whether the timer is to be armed.
    pub rearm: bool,
    /// Delivered by SACK.
    pub sack_delivered: u32,
    /// Lowest reordered number.
    pub reordered: u64,
    /// Send times of the first and last newly SACKed packets, in us.
    pub sacked_first: Option<u64>,
    pub sacked_last: u64,
    /// Timestamp echoed, in ms of the own clock.
    pub echo: Option<u32>,
    /// Round trip for congestion control in us; -1: none.
    pub rtt: i64,
    /// Whether the RTO's estimator got a sample.
    pub measured: bool,
}

impl Default for Context {
    fn default() -> Self {
        Context {
            advanced: false,
            una: 0,
            fack: 0,
            in_flight: 0,
            sacked: 0,
            delivered: 0,
            lost: 0,
            data: false,
            window_update: false,
            acked: false,
            newly_sacked: false,
            dsack: false,
            dsack_of_probe: false,
            ece: false,
            orig_sacked: false,
            retrans_acked: false,
            reneging: false,
            was_reneging: false,
            delayed: false,
            rearm: false,
            sack_delivered: 0,
            reordered: NONE,
            sacked_first: None,
            sacked_last: 0,
            echo: None,
            rtt: -1,
            measured: false,
        }
    }
}

/// What follows a dubious ACK [linux/recovery.md rule 11].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing is repeated.
    None,
    /// The retransmission loop runs.
    Lost,
    /// New data go first (F-RTO).
    New,
}
