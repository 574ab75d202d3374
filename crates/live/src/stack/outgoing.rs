//! The sending half of a connection: the sender of the simulator, the bytes, the other end's window and the
//! persist timer.

use super::negotiated::Negotiated;
use super::ring::Ring;
use super::settings::Settings;
use crate::wire::ProbeOption;
use airtcp_core::{Instant, Span};
use airtcp_tcp::{Block, Data, ProbeId, Sack, Sender};

/// Longest interval between two probes of a closed window.
const MAX_PERSIST: Span = Span::from_nanos(60_000_000_000);

/// The content of an ACK, in counters.
pub(super) struct Acknowledgement<'a> {
    /// The next number expected.
    pub(super) next: u64,
    /// Position of the segment in the other direction, which orders window updates.
    pub(super) seq: i64,
    /// The window in bytes, already scaled.
    pub(super) window: u64,
    /// SACK blocks: data that arrived beyond `next`.
    pub(super) blocks: &'a [Block],
    /// The timestamp that the ACK echoes.
    pub(super) echo: u32,
    /// True if the ACK could be a duplicate: it has no data, SYN, FIN or probe.
    pub(super) bare: bool,
    /// The probe, or the answer to a probe, that comes with the ACK.
    pub(super) probe: Option<ProbeOption>,
}

/// The sending half of a connection. Positions count from 0, the first byte.
#[derive(Clone, Debug)]
pub(super) struct SendingHalf {
    pub(super) sender: Sender,
    ring: Ring,
    /// Bytes that the application has written.
    written: u64,
    closed: bool,
    mss: u64,
    /// Right edge of the other end's window, and the segment that advertised it: SND.WL1, SND.WL2.
    peer_window_edge: u64,
    edge_source: (i64, u64),
    /// Largest window that the other end has advertised: MAX.SND.WND of RFC 5961.
    largest_peer_window: u64,
    persist: Instant,
    interval: Span,
    /// True if a probe of the window is due.
    is_window_probe_due: bool,
    /// The last probe of the path that was sent.
    last_path_probe: Option<ProbeId>,
    /// The time at which the other end last gave a sign of life.
    last_heard: Instant,
}

impl SendingHalf {
    /// Makes the sending half; `window` is that of the other end's SYN, `seq` its position. `None` if no document
    /// defines the sender.
    pub(super) fn new(
        now: Instant,
        settings: &Settings,
        negotiated: &Negotiated,
        repeated: bool,
        (seq, window): (i64, u64),
    ) -> Option<Self> {
        let mut sender = Sender::new(&negotiated.sender(settings, repeated))?;
        sender.set_rwnd(window);
        Some(SendingHalf {
            sender,
            ring: Ring::new(settings.send_buffer),
            written: 0,
            closed: false,
            mss: negotiated.mss.into(),
            peer_window_edge: window,
            edge_source: (seq, 0),
            largest_peer_window: window,
            persist: Instant::NEVER,
            interval: Span::ZERO,
            is_window_probe_due: false,
            last_path_probe: None,
            last_heard: now,
        })
    }

    /// Takes bytes from the application; returns their number.
    pub(super) fn write(&mut self, data: &[u8]) -> usize {
        let free = if self.closed { 0 } else { self.ring.capacity() - (self.written - self.una()) };
        let amount = usize::try_from(free).unwrap_or(usize::MAX).min(data.len());
        self.ring.write_at(self.written, &data[..amount]);
        self.written += amount as u64;
        self.submit_to_sender(false);
        amount
    }

    /// Closes the sending direction: the FIN follows the data.
    pub(super) fn close(&mut self) {
        self.closed = true;
        self.submit_to_sender(false);
    }

    /// True if the application has closed.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// True if everything is acknowledged, the FIN included.
    pub(super) fn is_all_acknowledged(&self) -> bool {
        self.closed && self.sender.view().una > self.written
    }

    /// The first number that was not acknowledged.
    pub(super) fn una(&self) -> u64 {
        self.sender.view().una
    }

    /// The first number that was never sent: SND.NXT.
    pub(super) fn high(&self) -> u64 {
        self.sender.view().high
    }

    /// True if an ACK of everything below `next` is plausible [RFC 5961 5.2].
    pub(super) fn is_within_sent(&self, next: i64) -> bool {
        let oldest = self.una().cast_signed() - self.largest_peer_window.cast_signed();
        (oldest..=self.high().cast_signed()).contains(&next)
    }

    /// Takes a plausible ACK that is not older than the data already acknowledged.
    pub(super) fn on_ack(&mut self, now: Instant, ack: &Acknowledgement) {
        let new = ack.next > self.una();
        let moved = self.update_window(ack);
        if new || self.peer_window_edge == self.una() || self.una() == self.high() {
            self.last_heard = now;
        }
        self.sender.set_rwnd(self.peer_window_edge.saturating_sub(ack.next));
        // With what the window takes now, so that the sender knows whether this ACK is of the last byte.
        self.submit_to_sender(false);
        if let Some(id) = self.answered_probe(ack.probe) {
            self.sender.on_probe_ack(now, ack.next, id);
            return self.submit_to_sender(false);
        }
        // RFC 5681 2: a duplicate has no data and the window of the one before; what it reports counts
        // anyway [RFC 6675, section 2].
        let sack = self.sack_blocks(ack);
        if new || (ack.bare && (!moved || !sack.is_empty())) {
            self.sender.on_ack(now, ack.next, &sack, ack.echo);
        }
        self.submit_to_sender(false);
    }

    /// Takes an ACK that a later one has overtaken: it may still answer a probe.
    pub(super) fn on_old_ack(&mut self, now: Instant, probe: Option<ProbeOption>) {
        if let Some(id) = self.answered_probe(probe) {
            self.sender.on_probe_ack(now, self.una(), id);
        }
    }

    /// The probe that `probe` answers, if one was sent. The sender knows if it waits for that answer; if not,
    /// only the ACK counts.
    fn answered_probe(&self, probe: Option<ProbeOption>) -> Option<ProbeId> {
        probe?.answered_id(self.last_path_probe?)
    }

    /// Takes the window, if it is not older than the one known [RFC 9293 3.10.7.4]; returns true if it changes.
    fn update_window(&mut self, ack: &Acknowledgement) -> bool {
        let (seq, next) = self.edge_source;
        if ack.seq < seq || (ack.seq == seq && ack.next < next) {
            return false;
        }
        let before = self.peer_window_edge;
        self.edge_source = (ack.seq, ack.next);
        self.peer_window_edge = ack.next + ack.window;
        self.largest_peer_window = self.largest_peer_window.max(ack.window);
        if self.peer_window_edge > before {
            (self.persist, self.interval) = (Instant::NEVER, Span::ZERO);
        }
        self.peer_window_edge != before
    }

    /// The SACK blocks about data that was sent and is not acknowledged: others are old, or forged.
    fn sack_blocks(&self, ack: &Acknowledgement) -> Sack {
        let mut sack = Sack::default();
        let sent = |b: &&Block| ack.next <= b.start && b.start < b.end && b.end <= self.high();
        ack.blocks.iter().filter(sent).for_each(|block| sack.push(ack.next, *block));
        sack
    }

    /// Hands over to the sender as much data as the window takes, in full packets. A shorter rest follows if it is the
    /// last data and nothing is in flight [Nagle: RFC 9293 3.7.4] or the FIN is behind it; if it is half the largest
    /// window; or if `forced` [RFC 9293 3.8.6.2.1].
    fn submit_to_sender(&mut self, forced: bool) {
        let given = self.sender.view().written;
        let all = self.written + u64::from(self.closed);
        let room = all.min(self.peer_window_edge).saturating_sub(given);
        let (whole, rest) = (room - room % self.mss, room % self.mss);
        let idle = self.una() == given && whole == 0;
        let last = all <= self.peer_window_edge && (self.closed || idle);
        let enough = idle && rest >= (self.largest_peer_window / 2).max(1);
        let rest = if last || enough || forced { rest } else { 0 };
        if whole + rest > 0 {
            self.sender.write(whole + rest);
        }
    }

    /// Takes the next packet to send, with its bytes, and true if the FIN is in it.
    pub(super) fn poll_data(&mut self, now: Instant) -> Option<(Data, Vec<u8>, bool)> {
        let idle = self.una() == self.high();
        let Some(data) = self.sender.poll_data(now) else {
            self.arm_persist_timer(now);
            return None;
        };
        if idle {
            self.last_heard = now;
        }
        self.persist = Instant::NEVER;
        let end = data.seq + u64::from(data.len);
        let mut bytes = vec![0; end.min(self.written).saturating_sub(data.seq) as usize];
        self.ring.read_at(data.seq, &mut bytes);
        Some((data, bytes, self.closed && end > self.written))
    }

    /// True if this packet sends the last of the data written: the other end should not wait for more.
    pub(super) fn is_last(&self, data: &Data) -> bool {
        data.seq + u64::from(data.len) >= self.written
    }

    /// Takes the probe of the path to send now, if one is due and there is no data to send.
    pub(super) fn poll_probe(&mut self, now: Instant) -> Option<ProbeOption> {
        let id = self.sender.poll_probe(now)?.id;
        self.last_path_probe = Some(id);
        Some(ProbeOption::request(id))
    }

    /// True if a probe of the window leaves now; it is not due any more after this call.
    pub(super) fn poll_window_probe(&mut self) -> bool {
        std::mem::take(&mut self.is_window_probe_due)
    }

    pub(super) fn on_timer(&mut self, now: Instant) {
        self.sender.on_timer(now);
        if now >= self.persist {
            self.persist = Instant::NEVER;
            self.interval = (self.interval * 2).min(MAX_PERSIST);
            let before = self.sender.view().written;
            self.submit_to_sender(true);
            self.is_window_probe_due = self.sender.view().written == before;
        }
    }

    pub(super) fn poll_timeout(&self) -> Instant {
        self.sender.poll_timeout().min(self.persist)
    }

    /// The time since which the other end has been silent although an answer is expected.
    pub(super) fn unanswered_since(&self) -> Option<Instant> {
        let waits = self.una() < self.high() || self.sender.is_probing();
        (waits || self.persist < Instant::NEVER).then_some(self.last_heard)
    }

    /// Starts the persist timer if only the window holds data back [RFC 9293 3.8.6.1].
    fn arm_persist_timer(&mut self, now: Instant) {
        let blocked =
            self.una() == self.high() && self.written + u64::from(self.closed) > self.una();
        if !blocked || self.sender.is_probing() || self.persist < Instant::NEVER {
            return;
        }
        let first = self.sender.rtt_estimate().rto;
        if self.interval == Span::ZERO {
            self.last_heard = now;
        }
        self.interval = self.interval.max(first).min(MAX_PERSIST);
        self.persist = now + self.interval;
    }
}
