//! The sending end of the built-in transfer: it measures from the first data segment to the ACK of the last
//! byte, as the simulator does.

use super::error_text::error_text;
use super::plan::Bulk;
use super::report::SenderOutcome;
use super::tcp::{Progress, Stage, Tcp};
use crate::stack::Content;
use crate::wire::{Flags, Packet, Sequence};
use airtcp_core::{Instant, Span};
use std::fs;

pub(super) struct Sending {
    /// The time at which the transfer counts the acknowledged bytes and ends, even if data is left.
    pub(super) end_time: Instant,
    pub(super) outcome: Option<SenderOutcome>,
    content: Content,
    size: u64,
    duration: Option<Span>,
    numbers: Option<Sequence>,
    /// First byte never sent.
    highest_sent: u64,
    began_at: Instant,
    first_sent: Option<Instant>,
    counts: SenderOutcome,
}

impl Sending {
    pub(super) fn new(bulk: &Bulk) -> Result<Self, String> {
        let failed =
            |error: std::io::Error| format!("{}: {}", bulk.content.display(), error_text(error));
        let content = Content::repeated(fs::read(&bulk.content).map_err(failed)?);
        let content = content.ok_or_else(|| format!("{}: is empty", bulk.content.display()))?;
        Ok(Sending {
            end_time: Instant::NEVER,
            outcome: None,
            content,
            size: bulk.size.unwrap_or(u64::MAX),
            duration: bulk.seconds.map(|seconds| Span::from_nanos((seconds * 1e9) as i64)),
            numbers: None,
            highest_sent: 0,
            began_at: Instant::START,
            first_sent: None,
            counts: SenderOutcome::default(),
        })
    }

    /// Begins the transfer. The sender waits for the connection at most as long as it would send.
    pub(super) fn begin(&mut self, now: Instant) {
        self.began_at = now;
        self.end_time = self.duration.map_or(Instant::NEVER, |length| now + length);
    }

    /// Writes as much as the connection takes, and takes the counts when the transfer is over.
    pub(super) fn write_available(&mut self, now: Instant, tcp: &mut dyn Tcp) {
        if self.outcome.is_some() {
            return;
        }
        let progress = tcp.progress();
        let complete = progress.acked >= self.size;
        if complete || now >= self.end_time || progress.ending.is_some() {
            self.outcome = Some(self.counts_at(now, progress));
            if !complete {
                return tcp.abort(now);
            }
        }
        tcp.write(now, &self.content, self.size);
    }

    /// Counts a packet that leaves.
    pub(super) fn count_packet(&mut self, now: Instant, bytes: &[u8]) {
        let Ok(packet) = Packet::parse(bytes) else { return };
        if packet.header.flags.has(Flags::SYN) {
            self.numbers = Some(Sequence::after(packet.header.seq));
        }
        if self.outcome.is_some() {
            return;
        }
        if packet.header.options.probe.is_some_and(|probe| !probe.answer) {
            self.counts.probes += 1;
            self.counts.probe_wire_bytes += bytes.len() as u64;
        }
        if !packet.payload.is_empty() {
            self.count_data(now, &packet);
            self.counts.wire_bytes += bytes.len() as u64;
        }
    }

    fn count_data(&mut self, now: Instant, packet: &Packet<'_>) {
        let Some(numbers) = self.numbers else { return };
        if self.first_sent.is_none() {
            self.first_sent = Some(now);
            self.end_time = self.duration.map_or(Instant::NEVER, |length| now + length);
        }
        let at = numbers.counter(packet.header.seq, self.highest_sent).cast_unsigned();
        let length = packet.payload.len() as u64;
        self.counts.sent += 1;
        self.counts.bytes_sent += length;
        if at < self.highest_sent {
            self.counts.resent += 1;
            self.counts.bytes_resent += length;
        }
        self.highest_sent = self.highest_sent.max(at + length);
    }

    /// The time at which the transfer ends by itself.
    pub(super) fn end_due(&self) -> Instant {
        if self.outcome.is_none() { self.end_time } else { Instant::NEVER }
    }

    /// True if nothing will happen to its connection any more.
    pub(super) fn is_connection_over(tcp: &dyn Tcp) -> bool {
        tcp.stage() != Some(Stage::Open)
    }

    fn counts_at(&self, now: Instant, progress: Progress) -> SenderOutcome {
        let first = self.first_sent.unwrap_or(now);
        SenderOutcome {
            seconds: (now - first).seconds(),
            handshake: (first - self.began_at).seconds(),
            size: (self.size < u64::MAX).then_some(self.size),
            bytes_acked: progress.acked,
            mss: progress.mss,
            timeouts: progress.timeouts,
            fast_retransmits: progress.fast_retransmits,
            ending: progress.ending,
            ..self.counts.clone()
        }
    }
}
