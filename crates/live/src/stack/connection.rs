//! One connection, from its first SYN to its end.

use super::ending::{Ending, State};
use super::handshake::{Handshake, HandshakeStep};
use super::session::Session;
use super::settings::{Peers, Settings};
use crate::wire::{Header, Packet};
use airtcp_core::Instant;
use airtcp_tcp::Sender;

/// One connection, driven like a [`super::Stack`].
#[derive(Clone, Debug)]
pub struct Connection {
    peers: Peers,
    settings: Settings,
    phase: Phase,
    /// The packet that leaves before any other: a reset, or an answer within the handshake.
    reply: Option<Header>,
    /// True if the application has closed before the connection was open.
    closing: bool,
    /// True if the application has released the connection.
    released: bool,
    identification: u16,
}

#[derive(Clone, Debug)]
enum Phase {
    Opening(Handshake),
    Open(Box<Session>),
    /// A closed connection; its session is kept, so that data that has arrived can still be read.
    Closed(Ending, Option<Box<Session>>),
}

impl Connection {
    /// Begins a connection with `initial` as its first sequence number.
    #[must_use]
    pub fn connect(peers: Peers, settings: Settings, initial: u32) -> Self {
        Connection::begin(peers, settings, Handshake::new(&settings, initial, None))
    }

    /// Answers the SYN of another host.
    #[must_use]
    pub fn accept(peers: Peers, settings: Settings, initial: u32, syn: &Header) -> Self {
        Connection::begin(peers, settings, Handshake::new(&settings, initial, Some(*syn)))
    }

    fn begin(peers: Peers, settings: Settings, handshake: Handshake) -> Self {
        let phase = Phase::Opening(handshake);
        let (closing, released) = (false, false);
        Connection { peers, settings, phase, reply: None, closing, released, identification: 0 }
    }

    /// Takes as many bytes to send as the send buffer has space for; returns their number.
    pub fn write(&mut self, data: &[u8]) -> usize {
        match &mut self.phase {
            Phase::Open(session) => session.write(data),
            Phase::Opening(_) | Phase::Closed(..) => 0,
        }
    }

    /// Reads bytes that have arrived into `data`; returns their number.
    pub fn read(&mut self, data: &mut [u8]) -> usize {
        match &mut self.phase {
            Phase::Open(session) | Phase::Closed(_, Some(session)) => session.read(data),
            Phase::Opening(_) | Phase::Closed(_, None) => 0,
        }
    }

    /// True if the other end has closed, and the application has read all that it sent.
    #[must_use]
    pub fn has_read_all(&self) -> bool {
        match &self.phase {
            Phase::Open(session) | Phase::Closed(_, Some(session)) => session.at_end(),
            Phase::Opening(_) | Phase::Closed(_, None) => false,
        }
    }

    /// True if there are bytes to read.
    #[must_use]
    pub fn has_unread(&self) -> bool {
        match &self.phase {
            Phase::Open(session) | Phase::Closed(_, Some(session)) => session.has_unread(),
            Phase::Opening(_) | Phase::Closed(_, None) => false,
        }
    }

    /// Closes the sending direction. Data written before are still delivered, and reading remains possible.
    pub fn close(&mut self) {
        self.closing = true;
        match &mut self.phase {
            Phase::Open(session) => session.close(),
            Phase::Opening(handshake) if handshake.peer_syn.is_none() => {
                self.end_with(Ending::Aborted);
            }
            Phase::Opening(_) | Phase::Closed(..) => {}
        }
    }

    /// Closes the connection, and waits for the other end to close no longer than TIME-WAIT lasts.
    pub(super) fn release(&mut self) {
        self.released = true;
        self.close();
        if let Phase::Open(session) = &mut self.phase {
            session.release();
        }
    }

    /// Gives the connection up, with a reset.
    pub fn abort(&mut self, now: Instant) {
        if let Phase::Open(session) = &mut self.phase {
            self.reply = Some(session.reset(now));
        }
        self.end_with(Ending::Aborted);
    }

    /// State of the connection.
    #[must_use]
    pub fn state(&self) -> State {
        match &self.phase {
            Phase::Opening(handshake) if handshake.peer_syn.is_some() => State::SynReceived,
            Phase::Opening(_) => State::SynSent,
            Phase::Open(session) => session.state(),
            Phase::Closed(..) => State::Closed,
        }
    }

    /// Reason for the end of the connection, if it has ended.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        match self.phase {
            Phase::Closed(ending, _) => Some(ending),
            Phase::Opening(_) | Phase::Open(_) => None,
        }
    }

    /// The sender, once the connection is open.
    #[must_use]
    pub fn sender(&self) -> Option<&Sender> {
        match &self.phase {
            Phase::Open(session) | Phase::Closed(_, Some(session)) => Some(session.sender()),
            Phase::Opening(_) | Phase::Closed(_, None) => None,
        }
    }

    /// The two ends of the connection.
    #[must_use]
    pub fn peers(&self) -> Peers {
        self.peers
    }

    /// Takes a packet between these two ends.
    pub fn on_packet(&mut self, now: Instant, packet: &Packet) {
        match &mut self.phase {
            Phase::Opening(handshake) => {
                let step = handshake.on_packet(now, &self.settings, packet);
                self.apply_step(now, step, packet);
            }
            Phase::Open(session) => {
                if let Some(ending) = session.on_packet(now, packet) {
                    self.end_with(ending);
                }
            }
            Phase::Closed(..) => {}
        }
    }

    /// Handles timers that have expired.
    pub fn on_timer(&mut self, now: Instant) {
        match &mut self.phase {
            Phase::Opening(handshake) => {
                handshake.on_timer(now, &self.settings);
                if handshake.failed {
                    self.end_with(Ending::TimedOut);
                }
            }
            Phase::Open(session) => {
                if let Some(ending) = session.on_timer(now) {
                    self.end_with(ending);
                }
            }
            Phase::Closed(..) => {}
        }
    }

    /// The time at which the next timer expires; [`Instant::NEVER`] if none runs.
    #[must_use]
    pub fn poll_timeout(&self) -> Instant {
        match &self.phase {
            Phase::Opening(handshake) => handshake.poll_timeout(),
            Phase::Open(session) => session.poll_timeout(),
            Phase::Closed(..) => Instant::NEVER,
        }
    }

    /// The next packet to send now, if any.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Vec<u8>> {
        let (header, payload) = match self.reply.take() {
            Some(header) => (header, vec![]),
            None => self.next_segment(now)?,
        };
        self.identification = self.identification.wrapping_add(1);
        let Peers { local, remote } = self.peers;
        let packet = Packet { source: local, destination: remote, header, payload: &payload };
        Some(packet.write(self.identification))
    }

    fn next_segment(&mut self, now: Instant) -> Option<(Header, Vec<u8>)> {
        match &mut self.phase {
            Phase::Opening(handshake) => {
                handshake.poll_transmit(now, &self.settings).map(|header| (header, vec![]))
            }
            Phase::Open(session) => session.poll_transmit(now),
            Phase::Closed(..) => None,
        }
    }

    /// Carries out the step by which the handshake answers a packet.
    fn apply_step(&mut self, now: Instant, step: HandshakeStep, packet: &Packet) {
        match step {
            HandshakeStep::Stay => {}
            HandshakeStep::Answer(header) => self.reply = Some(header),
            HandshakeStep::Refused => self.end_with(Ending::Refused),
            HandshakeStep::Open { ack } => self.open(now, ack, packet),
        }
    }

    fn open(&mut self, now: Instant, ack: bool, packet: &Packet) {
        let Phase::Opening(handshake) = &self.phase else { return };
        let Some(syn) = handshake.peer_syn else { return };
        let repeated = handshake.was_retransmitted();
        let session = Session::new(now, &self.settings, handshake.initial_seq, &syn, repeated);
        let Some(mut session) = session else { return self.end_with(Ending::Aborted) };
        if self.closing {
            session.close();
        }
        if self.released {
            session.release();
        }
        if ack {
            session.acknowledge();
        }
        self.phase = Phase::Open(Box::new(session));
        if !ack {
            self.on_packet(now, packet); // The end of the handshake may bring data.
        }
    }

    fn end_with(&mut self, ending: Ending) {
        let before = std::mem::replace(&mut self.phase, Phase::Closed(ending, None));
        if let Phase::Open(session) = before {
            self.phase = Phase::Closed(ending, Some(session));
        } else if let Phase::Closed(..) = before {
            self.phase = before;
        }
    }
}
