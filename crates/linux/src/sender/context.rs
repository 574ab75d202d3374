//! State gathered while one ACK is handled.

use super::queue::NO_PACKET;

/// Flags and counts of one ACK [rules/recovery.md A].
#[derive(Clone, Copy, Debug)]
pub(super) struct AckContext {
    /// ack > una.
    pub una_advanced: bool,
    /// una before.
    pub una: u64,
    /// Highest SACKed number before.
    pub fack: u64,
    /// Packets in flight before.
    pub in_flight: u32,
    /// S before.
    pub sacked: u32,
    /// `delivered` before.
    pub delivered: u32,
    /// `lost` before.
    pub lost: u32,
    /// True if it carries data.
    pub acked_data: bool,
    /// True if its window was accepted.
    pub window_update: bool,
    /// True if whole packets were acknowledged.
    pub acked: bool,
    /// True if a packet was newly SACKed.
    pub newly_sacked: bool,
    /// True if it carries a D-SACK, and one of the probe.
    pub dsack: bool,
    pub dsack_of_probe: bool,
    /// True if it has ECE.
    pub ece: bool,
    /// True if it proves that original transmissions arrived (F-RTO).
    pub orig_sacked: bool,
    /// True if it acknowledges retransmitted packets.
    pub retrans_acked: bool,
    /// True if the head of the queue is SACKed.
    pub reneging: bool,
    /// True if a receiver reneged before.
    pub was_reneging: bool,
    /// True if it is probably delayed.
    pub delayed: bool,
    /// True if the timer must be rearmed.
    pub rearm_rto: bool,
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
    /// True if the RTO's estimator got a sample.
    pub measured: bool,
}

impl Default for AckContext {
    fn default() -> Self {
        AckContext {
            una_advanced: false,
            una: 0,
            fack: 0,
            in_flight: 0,
            sacked: 0,
            delivered: 0,
            lost: 0,
            acked_data: false,
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
            rearm_rto: false,
            sack_delivered: 0,
            reordered: NO_PACKET,
            sacked_first: None,
            sacked_last: 0,
            echo: None,
            rtt: -1,
            measured: false,
        }
    }
}

/// Action after a dubious ACK [rules/recovery.md rule 11].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LossVerdict {
    /// Nothing is repeated.
    None,
    /// The retransmission loop runs.
    Lost,
    /// New data go first (F-RTO).
    New,
}
