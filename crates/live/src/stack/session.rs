//! An open connection: handles arriving segments, and chooses the segment that leaves next [RFC 9293
//! 3.10.7.4; RFC 5961; RFC 7323].

use super::ending::{Ending, State};
use super::incoming::ReceivingHalf;
use super::limiter::AnswerLimiter;
use super::negotiated::Negotiated;
use super::outgoing::{Acknowledgement, SendingHalf};
use super::settings::Settings;
use crate::wire::{Flags, Header, Options, Packet, ProbeOption, SackBlocks, Sequence, Timestamps};
use airtcp_core::{Instant, Span};
use airtcp_tcp::{Ack, Block, Sender, timestamp};

/// An open connection.
#[derive(Clone, Debug)]
pub(super) struct Session {
    own_seq: Sequence,
    peer_seq: Sequence,
    outgoing: SendingHalf,
    incoming: ReceivingHalf,
    negotiated: Negotiated,
    challenges: AnswerLimiter,
    /// True if an ACK is due, whatever the receiver decides.
    ack_pending: bool,
    /// A probe that waits for its answer.
    probe_to_answer: Option<ProbeOption>,
    /// True if the other end closed first.
    is_passive_close: bool,
    /// True if the application has released the connection.
    released: bool,
    /// End of TIME-WAIT, or of FIN-WAIT-2 without an application.
    time_wait: Instant,
    time_wait_length: Span,
    patience: Span,
}

impl Session {
    /// Makes a session after the handshake, from our initial sequence number and the other end's SYN.
    pub(super) fn new(
        now: Instant,
        settings: &Settings,
        initial: u32,
        syn: &Header,
        repeated: bool,
    ) -> Option<Self> {
        let negotiated = Negotiated::new(settings, &syn.options);
        let window = (-1, u64::from(syn.window));
        Some(Session {
            own_seq: Sequence::after(initial),
            peer_seq: Sequence::after(syn.seq),
            outgoing: SendingHalf::new(now, settings, &negotiated, repeated, window)?,
            incoming: ReceivingHalf::new(settings, &negotiated),
            negotiated,
            challenges: AnswerLimiter::for_challenge_acks(),
            ack_pending: false,
            probe_to_answer: None,
            is_passive_close: false,
            released: false,
            time_wait: Instant::NEVER,
            time_wait_length: settings.time_wait,
            patience: settings.patience,
        })
    }

    /// Makes an ACK leave next.
    pub(super) fn acknowledge(&mut self) {
        self.ack_pending = true;
    }

    pub(super) fn write(&mut self, data: &[u8]) -> usize {
        self.outgoing.write(data)
    }

    pub(super) fn read(&mut self, data: &mut [u8]) -> usize {
        self.incoming.read(data)
    }

    /// True if the other end has closed and the application has read all data.
    pub(super) fn at_end(&self) -> bool {
        self.incoming.has_ended() && !self.has_unread()
    }

    pub(super) fn has_unread(&self) -> bool {
        self.incoming.readable() > 0
    }

    pub(super) fn close(&mut self) {
        self.is_passive_close |= !self.outgoing.is_closed() && self.incoming.has_ended();
        self.outgoing.close();
    }

    pub(super) fn release(&mut self) {
        self.released = true;
    }

    /// RST with which this end aborts.
    pub(super) fn reset(&mut self, now: Instant) -> Header {
        let seq = self.own_seq.number(self.outgoing.high());
        let flags = Flags::RST.union(Flags::ACK);
        Header { flags, ..self.header(now, seq, Options::default()) }
    }

    pub(super) fn sender(&self) -> &Sender {
        &self.outgoing.sender
    }

    pub(super) fn state(&self) -> State {
        let (closed, acknowledged) =
            (self.outgoing.is_closed(), self.outgoing.is_all_acknowledged());
        match (closed, acknowledged, self.incoming.has_ended()) {
            _ if self.time_wait < Instant::NEVER => State::TimeWait,
            (false, _, false) => State::Established,
            (false, _, true) => State::CloseWait,
            (true, false, false) => State::FinWait1,
            (true, true, false) => State::FinWait2,
            (true, _, true) if self.is_passive_close => State::LastAck,
            (true, _, true) => State::Closing,
        }
    }

    /// Takes a segment; returns the reason for the end of the connection, if it ends by that.
    pub(super) fn on_packet(&mut self, now: Instant, packet: &Packet) -> Option<Ending> {
        let header = &packet.header;
        let at = self.peer_seq.counter(header.seq, self.incoming.next_expected());
        if header.flags.has(Flags::RST) {
            return self.on_reset(now, at);
        }
        let stamp = self.recent_stamp(now, header)?;
        if header.flags.has(Flags::SYN) {
            self.challenge(now); // RFC 5961 4.2
        }
        if header.flags.has(Flags::SYN) || !header.flags.has(Flags::ACK) {
            return None;
        }
        let next = self.own_seq.counter(header.ack, self.outgoing.una());
        if !self.outgoing.is_within_sent(next) {
            self.challenge(now); // RFC 5961 5.2
            return None;
        }
        if !self.is_acceptable(now, at, packet, stamp) {
            return None;
        }
        if packet.length() == 0 && at >= 0 {
            self.incoming.receiver.record_timestamp(at.cast_unsigned(), stamp);
        }
        self.on_ack(now, at, next, packet);
        self.on_content(now, at, packet, stamp);
        self.advance(now)
    }

    /// Handles a reset [RFC 5961 3.2]. A reset does not end TIME-WAIT [RFC 1337].
    fn on_reset(&mut self, now: Instant, at: i64) -> Option<Ending> {
        let next = self.incoming.next_expected().cast_signed();
        if at == next && self.time_wait == Instant::NEVER {
            return Some(Ending::Reset);
        }
        if at > next && at < self.incoming.buffer_edge().cast_signed() {
            self.challenge(now);
        }
        None
    }

    /// The segment's timestamp relative to the other end's SYN, 0 without timestamps; `None` if the segment
    /// does not belong to this connection [RFC 7323 3.2, 5.3].
    fn recent_stamp(&mut self, now: Instant, header: &Header) -> Option<u32> {
        let Some(clock) = self.negotiated.their_clock else { return Some(0) };
        let stamp = header.options.timestamps?.value.wrapping_sub(clock);
        if self.incoming.receiver.is_old_timestamp(stamp) {
            self.challenge(now);
            return None;
        }
        Some(stamp)
    }

    /// True if the segment passes the test of RFC 9293 3.10.7.4. An ACK at the edge of a full window is
    /// accepted as well: its sender has sent all that it may, and some of that may be lost.
    fn is_acceptable(&mut self, now: Instant, at: i64, packet: &Packet, stamp: u32) -> bool {
        let (next, limit) = (
            self.incoming.next_expected().cast_signed(),
            self.incoming.buffer_edge().cast_signed(),
        );
        let end = at + i64::from(packet.length());
        if at == next || (next <= at && at < limit) || (at == limit && end == at) {
            return true;
        }
        if end > next && at < limit {
            return true; // It begins below, and brings something new.
        }
        if end > at && self.incoming.is_recent(end) {
            // All of it is there: a duplicate ACK. It echoes this time [RFC 7323 4.3, rule 2], or Eifel would take the answer
            // to a retransmission for that to the original, whose ACK was lost.
            self.on_content(now, at, packet, stamp);
        } else {
            self.challenge(now);
        }
        false
    }

    fn on_ack(&mut self, now: Instant, at: i64, next: i64, packet: &Packet) {
        let header = &packet.header;
        let probe = header.options.probe.filter(|_| packet.length() == 0);
        if next < self.outgoing.una().cast_signed() {
            return self.outgoing.on_old_ack(now, probe);
        }
        let blocks = self.sack_blocks(header);
        self.outgoing.on_ack(
            now,
            &Acknowledgement {
                next: next.cast_unsigned(),
                seq: at,
                window: u64::from(header.window) << self.negotiated.their_shift,
                blocks: &blocks,
                echo: header.options.timestamps.map_or(0, |t| t.echo),
                bare: packet.length() == 0 && header.options.probe.is_none(),
                probe,
            },
        );
    }

    /// SACK blocks in counters.
    fn sack_blocks(&self, header: &Header) -> Vec<Block> {
        let counter = |edge| u64::try_from(self.own_seq.counter(edge, self.outgoing.una())).ok();
        let blocks = header.options.sack.as_slice().iter();
        blocks.filter_map(|b| Some(Block { start: counter(b.0)?, end: counter(b.1)? })).collect()
    }

    /// Handles data, FIN and probes.
    fn on_content(&mut self, now: Instant, at: i64, packet: &Packet, stamp: u32) {
        if packet.length() == 0 {
            self.probe_to_answer = packet.header.options.probe.filter(|p| !p.answer);
            return;
        }
        let (next, ended) = (self.incoming.next_expected(), self.incoming.has_ended());
        if at >= self.incoming.buffer_edge().cast_signed() {
            return self.challenge(now); // There is no room at all.
        }
        let fin = packet.header.flags.has(Flags::FIN);
        self.incoming.on_segment(now, at, packet.payload, fin, stamp);
        self.ack_pending |=
            self.incoming.has_ended() && (!ended || next == self.incoming.next_expected());
        if fin && self.time_wait < Instant::NEVER {
            self.time_wait = now + self.time_wait_length;
        }
    }

    /// Starts TIME-WAIT, or ends the connection, once both ends have closed.
    fn advance(&mut self, now: Instant) -> Option<Ending> {
        if !(self.outgoing.is_all_acknowledged() && self.incoming.has_ended()) {
            return None;
        }
        if self.is_passive_close {
            return Some(Ending::Finished);
        }
        if self.time_wait == Instant::NEVER {
            self.time_wait = now + self.time_wait_length;
        }
        None
    }

    /// Sends an ACK, at a limited rate, to a sender that may have forged a segment [RFC 5961, section 7].
    fn challenge(&mut self, now: Instant) {
        self.ack_pending |= self.challenges.allows_answer(now);
    }

    pub(super) fn on_timer(&mut self, now: Instant) -> Option<Ending> {
        if now >= self.time_wait {
            return Some(Ending::Finished);
        }
        if self.outgoing.unanswered_since().is_some_and(|since| now - since >= self.patience) {
            return Some(Ending::TimedOut);
        }
        self.outgoing.on_timer(now);
        self.incoming.receiver.on_timer(now);
        None
    }

    pub(super) fn poll_timeout(&self) -> Instant {
        let receiver = self.incoming.receiver.poll_timeout();
        self.outgoing.poll_timeout().min(receiver).min(self.time_wait)
    }

    /// The next segment to send: ACKs, answers, probes of the window, data.
    pub(super) fn poll_transmit(&mut self, now: Instant) -> Option<(Header, Vec<u8>)> {
        if self.released && self.outgoing.is_all_acknowledged() && self.time_wait == Instant::NEVER
        {
            self.time_wait = now + self.time_wait_length;
        }
        let control = self.poll_control(now).map(|header| (header, vec![]));
        control.or_else(|| self.poll_data(now)).or_else(|| self.poll_probe(now))
    }

    fn poll_control(&mut self, now: Instant) -> Option<Header> {
        let here = self.own_seq.number(self.outgoing.high());
        if let Some(ack) = self.incoming.receiver.poll_ack() {
            self.ack_pending = false;
            let options = Options { sack: self.sack(&ack), ..Options::default() };
            return Some(self.header(now, here, options));
        }
        let opened = !self.incoming.has_ended() && self.incoming.has_window_opened();
        if std::mem::take(&mut self.ack_pending) || opened {
            return Some(self.header(now, here, Options::default()));
        }
        if let Some(probe) = self.probe_to_answer.take() {
            let probe = Some(ProbeOption { answer: true, ..probe });
            // An ACK that waits goes on waiting, as in the simulator.
            let echo = self.incoming.receiver.take_echo();
            let options = Options { probe, ..Options::default() };
            return Some(self.header_with_echo(now, here, options, echo));
        }
        // An old segment calls for an ACK, which shows the window [RFC 9293 3.8.6.1].
        let old = here.wrapping_sub(1);
        self.outgoing.poll_window_probe().then(|| self.header(now, old, Options::default()))
    }

    fn poll_data(&mut self, now: Instant) -> Option<(Header, Vec<u8>)> {
        let (data, bytes, fin) = self.outgoing.poll_data(now)?;
        let mut flags = Flags::ACK;
        if fin {
            flags = flags.union(Flags::FIN);
        }
        if !bytes.is_empty() && self.outgoing.is_last(&data) {
            flags = flags.union(Flags::PSH);
        }
        let header = self.header(now, self.own_seq.number(data.seq), Options::default());
        Some((Header { flags, ..header }, bytes))
    }

    /// Takes a probe of the path to send. It lies at the end of all data sent, so that the other end
    /// accepts it however much of that data has arrived.
    fn poll_probe(&mut self, now: Instant) -> Option<(Header, Vec<u8>)> {
        let probe = Some(self.outgoing.poll_probe(now)?);
        let here = self.own_seq.number(self.outgoing.high());
        Some((self.header(now, here, Options { probe, ..Options::default() }), vec![]))
    }

    /// A header with the ACK that every segment carries, and the timestamps.
    fn header(&mut self, now: Instant, seq: u32, options: Options) -> Header {
        let echo = self.incoming.receiver.take_piggybacked_ack();
        self.header_with_echo(now, seq, options, echo)
    }

    fn header_with_echo(&mut self, now: Instant, seq: u32, options: Options, echo: u32) -> Header {
        let timestamps = self
            .negotiated
            .their_clock
            .map(|clock| Timestamps { value: timestamp(now), echo: echo.wrapping_add(clock) });
        Header {
            seq,
            ack: self.peer_seq.number(self.incoming.next_expected()),
            flags: Flags::ACK,
            window: self.incoming.advertise(),
            options: Options { timestamps, ..options },
        }
    }

    fn sack(&self, ack: &Ack) -> SackBlocks {
        let mut sack = SackBlocks::default();
        for block in ack.sack.blocks(ack.next) {
            sack.push(self.peer_seq.number(block.start), self.peer_seq.number(block.end));
        }
        sack
    }
}
