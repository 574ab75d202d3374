//! The connections of one host: who is meant by a packet, who may connect, and how many.

use super::connection::Connection;
use super::ending::State;
use super::handshake::reset_at;
use super::limiter::Limiter;
use super::settings::{Peers, Settings};
use crate::wire::{Flags, Header, Packet};
use airtcp_core::{Instant, Span, Stream};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::net::{Ipv4Addr, SocketAddrV4};

/// Resets to those without a connection, per second.
const RESETS: u32 = 100;

/// Why there is no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is one between these two sockets.
    Taken,
    /// There are as many as the settings allow.
    Full,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::Taken => "there is a connection between these sockets",
            Refusal::Full => "there are as many connections as the settings allow",
        })
    }
}

impl std::error::Error for Refusal {}

/// One host with one address.
#[derive(Debug)]
pub struct Stack {
    address: Ipv4Addr,
    settings: Settings,
    ports: BTreeSet<u16>,
    connections: BTreeMap<Peers, Entry>,
    /// Opened by others, not taken by the application yet.
    waiting: VecDeque<Peers>,
    /// A reset to somebody without a connection.
    reply: Option<Vec<u8>>,
    resets: Limiter,
    initial: Stream,
    serial: u64,
}

#[derive(Debug)]
struct Entry {
    connection: Connection,
    /// Order of the beginnings.
    serial: u64,
    /// Whose: nobody's before it is open.
    owned: bool,
    released: bool,
}

impl Stack {
    /// A host at `address`; initial sequence numbers are drawn from `initial` [RFC 9293 3.4.1].
    ///
    /// # Errors
    /// If the settings cannot be.
    pub fn new(address: Ipv4Addr, settings: Settings, initial: Stream) -> Result<Self, String> {
        Ok(Stack {
            address,
            settings: settings.checked()?,
            ports: BTreeSet::new(),
            connections: BTreeMap::new(),
            waiting: VecDeque::new(),
            reply: None,
            resets: Limiter::new(RESETS, Span::from_nanos(1_000_000_000)),
            initial,
            serial: 0,
        })
    }

    /// Takes connections to `port`.
    pub fn listen(&mut self, port: u16) {
        self.ports.insert(port);
    }

    /// Begins a connection from `port`.
    ///
    /// # Errors
    /// If there is one already, or no room for another.
    pub fn connect(&mut self, port: u16, remote: SocketAddrV4) -> Result<Peers, Refusal> {
        let peers = Peers { local: SocketAddrV4::new(self.address, port), remote };
        if self.connections.contains_key(&peers) {
            return Err(Refusal::Taken);
        }
        if self.connections.len() >= self.settings.connections {
            return Err(Refusal::Full);
        }
        let initial = self.draw();
        self.enter(Connection::connect(peers, self.settings, initial), true);
        Ok(peers)
    }

    /// The next connection that somebody has opened, if any.
    pub fn accept(&mut self) -> Option<Peers> {
        self.waiting.pop_front()
    }

    /// A connection of this host.
    #[must_use]
    pub fn get(&self, peers: Peers) -> Option<&Connection> {
        self.connections.get(&peers).map(|entry| &entry.connection)
    }

    /// The same, to read, write, close or abort.
    pub fn get_mut(&mut self, peers: Peers) -> Option<&mut Connection> {
        self.connections.get_mut(&peers).map(|entry| &mut entry.connection)
    }

    /// The application will not use this connection again: it is closed in order, and forgotten when it has
    /// ended. Data that still comes is answered by a reset.
    pub fn release(&mut self, peers: Peers) {
        if let Some(entry) = self.connections.get_mut(&peers) {
            entry.connection.release();
            entry.released = true;
        }
    }

    /// How many connections there are, in whatever state.
    #[must_use]
    pub fn len(&self) -> usize {
        self.connections.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.connections.is_empty()
    }

    /// Takes a packet as a device hands it over. What is none, or is not for this host, is dropped.
    pub fn on_packet(&mut self, now: Instant, bytes: &[u8]) {
        let Ok(packet) = Packet::parse(bytes) else { return };
        let peers = Peers { local: packet.destination, remote: packet.source };
        if *peers.local.ip() != self.address || !is_host(peers) {
            return;
        }
        let known = self.connections.get_mut(&peers);
        let over = known.as_ref().is_some_and(|e| e.connection.state() == State::Closed);
        if let Some(entry) = known.filter(|_| !over) {
            let opening = !entry.owned;
            entry.connection.on_packet(now, &packet);
            if entry.released && entry.connection.has_unread() {
                entry.connection.abort(now); // Nobody will read it [RFC 9293 3.6.1].
            }
            if opening && entry.connection.sender().is_some() {
                entry.owned = true;
                self.waiting.push_back(peers);
            }
        } else if !over && self.wants(&packet) {
            self.begin(peers, &packet.header);
        } else if self.resets.allows(now) {
            self.reply = refusal(&packet).or(self.reply.take());
        }
    }

    /// Lets timers expire that are due.
    pub fn on_timer(&mut self, now: Instant) {
        self.connections.values_mut().for_each(|entry| entry.connection.on_timer(now));
    }

    /// When the next timer is due; [`Instant::NEVER`] if none runs.
    #[must_use]
    pub fn poll_timeout(&self) -> Instant {
        let timeouts = self.connections.values().map(|entry| entry.connection.poll_timeout());
        timeouts.fold(Instant::NEVER, Instant::min)
    }

    /// The next packet to send now, if any. Call it until there is none before the next input.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Vec<u8>> {
        if let Some(reply) = self.reply.take() {
            return Some(reply);
        }
        let mut entries = self.connections.values_mut();
        let packet = entries.find_map(|entry| entry.connection.poll_transmit(now));
        if packet.is_none() {
            self.connections.retain(|_, entry| !entry.is_over());
        }
        packet
    }

    /// A SYN to a port that takes connections.
    fn wants(&self, packet: &Packet) -> bool {
        let flags = packet.header.flags;
        let opens = flags.has(Flags::SYN) && !flags.has(Flags::ACK) && !flags.has(Flags::RST);
        opens && self.ports.contains(&packet.destination.port())
    }

    /// Answers a SYN. The oldest handshake makes room if there are too many: under a flood, one that
    /// completes within the time of `backlog` others still succeeds.
    fn begin(&mut self, peers: Peers, syn: &Header) {
        let opening = || self.connections.iter().filter(|(_, entry)| !entry.owned);
        let full = self.connections.len() >= self.settings.connections;
        if full || opening().count() >= self.settings.backlog {
            let oldest = opening().min_by_key(|(_, entry)| entry.serial);
            let Some(oldest) = oldest.map(|(peers, _)| *peers) else { return };
            self.connections.remove(&oldest);
        }
        let initial = self.draw();
        self.enter(Connection::accept(peers, self.settings, initial, syn), false);
    }

    fn enter(&mut self, connection: Connection, owned: bool) {
        self.serial += 1;
        let peers = connection.peers();
        let entry = Entry { connection, serial: self.serial, owned, released: false };
        self.connections.insert(peers, entry);
    }

    fn draw(&mut self) -> u32 {
        (self.initial.next_u64() >> 32) as u32
    }
}

impl Entry {
    /// Ended, and nobody will ask.
    fn is_over(&self) -> bool {
        self.connection.state() == State::Closed && (self.released || !self.owned)
    }
}

/// Whether the other end is one host, and not this one: no broadcast, no multicast [RFC 9293 3.9.2.3].
fn is_host(peers: Peers) -> bool {
    let ip = peers.remote.ip();
    let one = !(ip.is_broadcast() || ip.is_multicast() || ip.is_unspecified());
    one && peers.remote.port() != 0 && peers.remote != peers.local
}

/// The reset that answers a segment to no connection [RFC 9293 3.10.7.1].
fn refusal(packet: &Packet) -> Option<Vec<u8>> {
    let Header { seq, ack, flags, .. } = packet.header;
    if flags.has(Flags::RST) {
        return None;
    }
    let header = if flags.has(Flags::ACK) {
        reset_at(ack)
    } else {
        let ack = seq.wrapping_add(packet.length());
        Header { ack, flags: Flags::RST.and(Flags::ACK), ..reset_at(0) }
    };
    let (source, destination) = (packet.destination, packet.source);
    Some(Packet { source, destination, header, payload: &[] }.write(0))
}
