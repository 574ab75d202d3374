//! Opening a connection: SYN-SENT and SYN-RECEIVED [RFC 9293 3.10.7.3, 3.10.7.4].

use super::limiter::AnswerLimiter;
use super::negotiated::{self, Negotiated};
use super::settings::Settings;
use crate::wire::{Flags, Header, Options, Packet, Timestamps};
use airtcp_core::{Instant, Span};
use airtcp_tcp::timestamp;

/// Longest interval between two SYNs.
const MAX_TIMEOUT: Span = Span::from_nanos(60_000_000_000);

/// The step by which the handshake answers a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum HandshakeStep {
    /// Nothing happens.
    Stay,
    /// Sends this answer.
    Answer(Header),
    /// The connection is open.
    Open {
        /// True if this end owes an ACK for a SYN.
        ack: bool,
    },
    /// The other end refuses the connection.
    Refused,
}

/// A handshake in progress.
#[derive(Clone, Debug)]
pub(super) struct Handshake {
    /// Our initial sequence number.
    pub(super) initial_seq: u32,
    /// The other end's SYN, once it has arrived: SYN-RECEIVED.
    pub(super) peer_syn: Option<Header>,
    /// True if the handshake has ended without an answer.
    pub(super) failed: bool,
    expiry: Instant,
    interval: Span,
    sent: u32,
    is_syn_due: bool,
    challenges: AnswerLimiter,
}

impl Handshake {
    /// Begins an active open, or answers the SYN `theirs`.
    pub(super) fn new(settings: &Settings, initial: u32, theirs: Option<Header>) -> Self {
        Handshake {
            initial_seq: initial,
            peer_syn: theirs,
            failed: false,
            expiry: Instant::NEVER,
            interval: settings.first_timeout(),
            sent: 0,
            is_syn_due: true,
            challenges: AnswerLimiter::for_challenge_acks(),
        }
    }

    /// True if the SYN had to be retransmitted.
    pub(super) fn was_retransmitted(&self) -> bool {
        self.sent > 1
    }

    pub(super) fn on_packet(
        &mut self,
        now: Instant,
        settings: &Settings,
        packet: &Packet,
    ) -> HandshakeStep {
        match self.peer_syn {
            None => self.on_packet_in_syn_sent(packet),
            Some(syn) => self.on_packet_in_syn_received(now, settings, &syn, packet),
        }
    }

    /// Handles a packet in SYN-SENT [RFC 9293 3.10.7.3].
    fn on_packet_in_syn_sent(&mut self, packet: &Packet) -> HandshakeStep {
        let header = &packet.header;
        let (ack, reset) = (header.flags.has(Flags::ACK), header.flags.has(Flags::RST));
        if ack && header.ack != self.initial_seq.wrapping_add(1) {
            return if reset {
                HandshakeStep::Stay
            } else {
                HandshakeStep::Answer(reset_at(header.ack))
            };
        }
        if reset {
            return if ack { HandshakeStep::Refused } else { HandshakeStep::Stay };
        }
        if !header.flags.has(Flags::SYN) {
            return HandshakeStep::Stay;
        }
        self.peer_syn = Some(*header);
        if ack {
            return HandshakeStep::Open { ack: true };
        }
        // Both have called at the same time.
        self.is_syn_due = true;
        HandshakeStep::Stay
    }

    /// Handles a packet in SYN-RECEIVED [RFC 9293 3.10.7.4 with the changes of RFC 5961].
    fn on_packet_in_syn_received(
        &mut self,
        now: Instant,
        settings: &Settings,
        syn: &Header,
        packet: &Packet,
    ) -> HandshakeStep {
        let header = &packet.header;
        let distance = header.seq.wrapping_sub(syn.seq.wrapping_add(1));
        let inside = distance <= u32::from(u16::MAX);
        if header.flags.has(Flags::RST) {
            return match distance {
                0 => HandshakeStep::Refused,
                _ if inside => self.challenge_ack(now, settings, syn),
                _ => HandshakeStep::Stay,
            };
        }
        if header.flags.has(Flags::SYN) && !header.flags.has(Flags::ACK) && header.seq == syn.seq {
            self.is_syn_due |= self.challenges.allows_answer(now); // The answer was lost.
            return HandshakeStep::Stay;
        }
        if header.flags.has(Flags::SYN) || !inside {
            return self.challenge_ack(now, settings, syn);
        }
        if !header.flags.has(Flags::ACK) {
            return HandshakeStep::Stay;
        }
        if header.ack != self.initial_seq.wrapping_add(1) {
            return HandshakeStep::Answer(reset_at(header.ack));
        }
        HandshakeStep::Open { ack: false }
    }

    /// Answers with an ACK of the other end's SYN. Its window is the one that our SYN has promised,
    /// now shifted.
    fn challenge_ack(&mut self, now: Instant, settings: &Settings, syn: &Header) -> HandshakeStep {
        if !self.challenges.allows_answer(now) {
            return HandshakeStep::Stay;
        }
        let negotiated = Negotiated::new(settings, &syn.options);
        let stamps = |echo| Timestamps { value: timestamp(now), echo };
        HandshakeStep::Answer(Header {
            seq: self.initial_seq.wrapping_add(1),
            ack: syn.seq.wrapping_add(1),
            flags: Flags::ACK,
            window: first_window(settings) >> negotiated.our_shift,
            options: Options {
                timestamps: negotiated.their_clock.map(stamps),
                ..Options::default()
            },
        })
    }

    pub(super) fn on_timer(&mut self, now: Instant, settings: &Settings) {
        if now < self.expiry {
            return;
        }
        self.failed = self.sent > settings.syn_retries;
        self.is_syn_due = !self.failed;
        self.expiry = Instant::NEVER;
    }

    pub(super) fn poll_timeout(&self) -> Instant {
        self.expiry
    }

    /// Takes the SYN to send, if it is due.
    pub(super) fn poll_transmit(&mut self, now: Instant, settings: &Settings) -> Option<Header> {
        if !std::mem::take(&mut self.is_syn_due) {
            return None;
        }
        if self.sent > 0 {
            self.interval = (self.interval * 2).min(MAX_TIMEOUT);
        }
        self.sent += 1;
        self.expiry = now + self.interval;
        Some(self.syn(now, settings))
    }

    fn syn(&self, now: Instant, settings: &Settings) -> Header {
        let theirs = self.peer_syn.as_ref();
        let ack = if theirs.is_some() { Flags::ACK } else { Flags::default() };
        Header {
            seq: self.initial_seq,
            ack: theirs.map_or(0, |syn| syn.seq.wrapping_add(1)),
            flags: Flags::SYN.union(ack),
            // Never shifted [RFC 7323 2.2].
            window: first_window(settings),
            options: negotiated::own_options(
                settings,
                timestamp(now),
                theirs.map(|syn| &syn.options),
            ),
        }
    }
}

/// The window field, in bytes, before there is data.
fn first_window(settings: &Settings) -> u16 {
    u16::try_from(settings.receive_buffer).unwrap_or(u16::MAX)
}

/// The reset that answers a segment with this ACK.
pub(super) fn reset_at(ack: u32) -> Header {
    Header { seq: ack, flags: Flags::RST, ..Header::default() }
}
