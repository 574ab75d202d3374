//! The end of the built-in transfer that sends: from the first data segment to the ACK of the last byte, as
//! the simulator counts.

use super::plan::Bulk;
use super::report::Sent;
use crate::stack::{Connection, Ending, Peers, Stack, State};
use crate::wire::{Flags, Packet, Sequence};
use airtcp_core::{Instant, Span};
use std::fs;

pub(super) struct Sending {
    pub(super) peers: Option<Peers>,
    /// When what is acknowledged is counted, whatever is left.
    pub(super) until: Instant,
    pub(super) outcome: Option<Sent>,
    /// Sent over and over.
    content: Vec<u8>,
    size: u64,
    length: Option<Span>,
    written: u64,
    numbers: Option<Sequence>,
    /// First byte never sent.
    high: u64,
    first: Option<Instant>,
    counts: Sent,
}

impl Sending {
    pub(super) fn new(bulk: &Bulk) -> Result<Self, String> {
        let failed = |error| format!("{}: {error}", bulk.content.display());
        let content = fs::read(&bulk.content).map_err(failed)?;
        if content.is_empty() {
            return Err(format!("{}: is empty", bulk.content.display()));
        }
        Ok(Sending {
            peers: None,
            until: Instant::NEVER,
            outcome: None,
            content,
            size: bulk.size.unwrap_or(u64::MAX),
            length: bulk.seconds.map(|seconds| Span::from_nanos((seconds * 1e9) as i64)),
            written: 0,
            numbers: None,
            high: 0,
            first: None,
            counts: Sent::default(),
        })
    }

    /// Who connects waits for that as long as it would send.
    pub(super) fn begin(&mut self, now: Instant, peers: Option<Peers>) {
        self.peers = peers;
        self.until = self.length.map_or(Instant::NEVER, |length| now + length);
    }

    /// Writes what the connection takes, and counts when the transfer is over.
    pub(super) fn act(&mut self, now: Instant, stack: &mut Stack) {
        let Some(connection) = self.peers.and_then(|peers| stack.get_mut(peers)) else { return };
        self.write(connection);
        let complete = self.acked(connection) >= self.size;
        let over = complete || now >= self.until || connection.ending().is_some();
        if over && self.outcome.is_none() {
            self.outcome = Some(self.count(now, connection));
            if !complete {
                connection.abort(now);
            }
        }
    }

    /// A packet leaves.
    pub(super) fn note(&mut self, now: Instant, bytes: &[u8]) {
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
            self.note_data(now, &packet);
            self.counts.wire_bytes += bytes.len() as u64;
        }
    }

    fn note_data(&mut self, now: Instant, packet: &Packet<'_>) {
        let Some(numbers) = self.numbers else { return };
        if self.first.is_none() {
            self.first = Some(now);
            self.until = self.length.map_or(Instant::NEVER, |length| now + length);
        }
        let at = numbers.counter(packet.header.seq, self.high).cast_unsigned();
        let length = packet.payload.len() as u64;
        self.counts.sent += 1;
        self.counts.bytes_sent += length;
        if at < self.high {
            self.counts.resent += 1;
            self.counts.bytes_resent += length;
        }
        self.high = self.high.max(at + length);
    }

    /// When it does something by itself.
    pub(super) fn due(&self) -> Instant {
        if self.outcome.is_none() { self.until } else { Instant::NEVER }
    }

    pub(super) fn is_quiet(&self, stack: &Stack) -> bool {
        let connection = self.peers.and_then(|peers| stack.get(peers));
        let ends = [State::TimeWait, State::Closed];
        connection.is_none_or(|connection| ends.contains(&connection.state()))
    }

    fn write(&mut self, connection: &mut Connection) {
        while self.written < self.size {
            let rest = &self.content[(self.written % self.content.len() as u64) as usize..];
            let most = usize::try_from(self.size - self.written).unwrap_or(usize::MAX);
            let taken = connection.write(&rest[..rest.len().min(most)]);
            self.written += taken as u64;
            if taken == 0 {
                return;
            }
        }
        connection.close();
    }

    fn acked(&self, connection: &Connection) -> u64 {
        connection.sender().map_or(0, |sender| sender.view().una.min(self.written))
    }

    fn count(&self, now: Instant, connection: &Connection) -> Sent {
        let first = self.first.unwrap_or(now);
        let sender = connection.sender();
        let counters = sender.map(|sender| sender.counters()).unwrap_or_default();
        Sent {
            seconds: (now - first).seconds(),
            size: (self.size < u64::MAX).then_some(self.size),
            bytes_acked: self.acked(connection),
            mss: sender.map_or(0, |sender| sender.view().mss),
            timeouts: counters.timeouts,
            fast_retransmits: counters.fast_retransmits,
            ending: connection.ending().map(told),
            ..self.counts.clone()
        }
    }
}

fn told(ending: Ending) -> &'static str {
    match ending {
        Ending::Finished => "both ends have closed",
        Ending::Refused => "nobody listens there",
        Ending::Reset => "the other end has reset it",
        Ending::TimedOut => "the other end is silent",
        Ending::Aborted => "it was given up",
    }
}
