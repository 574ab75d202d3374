//! How a run went.

use super::super::lateness::Lateness;
use serde::Serialize;
use std::collections::BTreeMap;

/// A share of late packets above which a run is invalid.
pub(super) const MOST_LATE: f64 = 0.01;

/// How a run went. Times in seconds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Exit code of the command, 128 + n if signal n ended it; none if it had to be killed.
    pub status: Option<i32>,
    /// Whether the time was over before the command ended.
    pub time_over: bool,
    /// The signal that ended the run, if one did.
    pub signal: Option<i32>,
    /// Length of the run.
    pub seconds: f64,
    /// CLOCK_MONOTONIC, in nanoseconds, as logical time began.
    pub origin: i64,
    /// Nanoseconds at which the log ends.
    pub end: i64,
    /// How many packets, copies included, met which fate: from the sender's side, and back.
    pub fates: [BTreeMap<&'static str, u64>; 2],
    /// How many of them were further copies of a packet that had come to its end already.
    pub copies: [u64; 2],
    /// Packets that the devices dropped before they were read: near, far.
    pub overruns: [u64; 2],
    /// Packets that the far device refused.
    pub refused: u64,
    /// Packets that left.
    pub packets: u64,
    /// Share of them that left more than 1 ms late.
    pub late: f64,
    /// How late they left: 50, 99, 99.9 %, the latest.
    pub lateness: [f64; 4],
    /// Whether the machine kept up: at most 1 % late, and no overrun.
    pub valid: bool,
    /// Kernel settings that could not be made, and why.
    pub unset: Vec<String>,
    /// Congestion control of programs that ask for none, where the scenario's sender is.
    pub control: Option<String>,
    /// What our own stacks did: near, far.
    pub own: [Option<Outcome>; 2],
}

/// What our own stack did in the built-in transfer.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It sent.
    Sent(Sent),
    /// It received.
    Received(Received),
}

/// The transfer as its sender sees it, from its first data segment to the ACK of the last byte or to the end
/// of its time. SYN and FIN are not counted.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Sent {
    /// How long that took.
    pub seconds: f64,
    /// From the first SYN to the first data segment.
    pub handshake: f64,
    /// Bytes to send; none: without end.
    pub size: Option<u64>,
    /// Bytes acknowledged.
    pub bytes_acked: u64,
    /// Payload of a full packet in bytes.
    pub mss: u32,
    /// Data packets sent, repetitions included.
    pub sent: u64,
    /// Repetitions among them.
    pub resent: u64,
    /// Payload of the packets sent.
    pub bytes_sent: u64,
    /// Payload of the repetitions.
    pub bytes_resent: u64,
    /// IP packets with data, in bytes.
    pub wire_bytes: u64,
    /// Probes sent.
    pub probes: u64,
    /// The same as IP packets, in bytes.
    pub probe_wire_bytes: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Retransmissions triggered by duplicate ACKs.
    pub fast_retransmits: u64,
    /// How the connection ended, if it did before.
    pub ending: Option<&'static str>,
}

/// What the receiver got.
#[derive(Clone, Debug, Serialize)]
pub struct Received {
    /// Bytes.
    pub bytes: u64,
    /// Digest of them, in hexadecimal digits.
    pub sha256: String,
    /// Whether the other end has closed behind them.
    pub ended: bool,
}

impl Report {
    pub(super) fn judge(&mut self, lateness: &Lateness) {
        self.packets = lateness.packets();
        self.late = lateness.late() as f64 / lateness.packets().max(1) as f64;
        let quantiles = [0.5, 0.99, 0.999].map(|q| lateness.quantile(q).seconds());
        self.lateness = [quantiles[0], quantiles[1], quantiles[2], lateness.most().seconds()];
        self.valid = self.late <= MOST_LATE && self.overruns == [0, 0];
    }
}
