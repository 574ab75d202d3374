//! The report of a run.

use super::super::lateness::Lateness;
use serde::Serialize;
use std::collections::BTreeMap;

/// Share of late packets above which a run is invalid.
pub(super) const MAX_LATE_SHARE: f64 = 0.01;

/// The report of a run. Times are in seconds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Exit code of the command, 128 + n if signal n ended it; `None` if it had to be killed.
    pub status: Option<i32>,
    /// True if the time was over before the command ended.
    pub time_over: bool,
    /// The signal that ended the run, if one did.
    pub signal: Option<i32>,
    /// Length of the run.
    pub seconds: f64,
    /// Reading of CLOCK_MONOTONIC, in nanoseconds, when logical time began.
    pub origin: i64,
    /// Logical time in nanoseconds at which the log ends.
    pub end: i64,
    /// Number of packets, copies included, per fate: from the sender's side, and back.
    pub fates: [BTreeMap<&'static str, u64>; 2],
    /// Number of further copies of packets of which another copy had come to its end before, in each
    /// direction.
    pub copies: [u64; 2],
    /// Packets that the near and the far device dropped before the driver read them.
    pub overruns: [u64; 2],
    /// Packets that the far device refused to take.
    pub refused: u64,
    /// Packets that left the emulator.
    pub packets: u64,
    /// Share of the packets that left more than 1 ms late.
    pub late: f64,
    /// Lateness of the packets: the 50, 99 and 99.9 % quantiles, and the maximum.
    pub lateness: [f64; 4],
    /// True if the machine kept up: at most 1 % of the packets late, and none dropped by a device.
    pub valid: bool,
    /// Kernel settings that the kernel refused, and why.
    #[serde(rename = "unset")]
    pub refused_settings: Vec<String>,
    /// Congestion control of programs that ask for none, on the side of the scenario's sender.
    pub control: Option<String>,
    /// Outcomes of our own stacks on the near and the far side.
    pub own: [Option<Outcome>; 2],
}

/// Outcome of the built-in transfer at an end with our own stack.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Outcome of an end that sent.
    Sent(SenderOutcome),
    /// Outcome of an end that received.
    Received(ReceiverOutcome),
}

/// The transfer as its sender sees it, from its first data segment to the ACK of the last byte or to the end
/// of its time. SYN and FIN are not counted.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SenderOutcome {
    /// Duration of the transfer.
    pub seconds: f64,
    /// Time from the first SYN to the first data segment.
    pub handshake: f64,
    /// Bytes to send; `None`: without end.
    pub size: Option<u64>,
    /// Bytes acknowledged.
    pub bytes_acked: u64,
    /// Payload of a full packet in bytes.
    pub mss: u32,
    /// Data packets sent, retransmissions included.
    pub sent: u64,
    /// Retransmissions among them.
    pub resent: u64,
    /// Payload bytes sent, retransmissions included.
    pub bytes_sent: u64,
    /// Payload bytes of the retransmissions.
    pub bytes_resent: u64,
    /// Bytes sent as IP packets with data.
    pub wire_bytes: u64,
    /// Probes sent.
    pub probes: u64,
    /// Bytes of the probes as IP packets.
    pub probe_wire_bytes: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Retransmissions triggered by duplicate ACKs.
    pub fast_retransmits: u64,
    /// Reason for the end of the connection, if it ended before the transfer was over.
    pub ending: Option<&'static str>,
}

/// Outcome of an end that received.
#[derive(Clone, Debug, Serialize)]
pub struct ReceiverOutcome {
    /// Bytes received.
    pub bytes: u64,
    /// SHA-256 digest of the data, in hexadecimal digits.
    pub sha256: String,
    /// True if the other end has closed after its data.
    pub ended: bool,
}

impl Report {
    pub(super) fn set_validity(&mut self, lateness: &Lateness) {
        self.packets = lateness.packets();
        self.late = lateness.late_packets() as f64 / lateness.packets().max(1) as f64;
        let quantiles = [0.5, 0.99, 0.999].map(|q| lateness.quantile(q).seconds());
        self.lateness = [quantiles[0], quantiles[1], quantiles[2], lateness.largest().seconds()];
        self.valid = self.late <= MAX_LATE_SHARE && self.overruns == [0, 0];
    }
}
