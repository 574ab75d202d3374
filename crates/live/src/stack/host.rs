//! The connections of one host: finds the connection of a packet, and limits their number.

use super::connection::Connection;
use super::ending::State;
use super::handshake::reset_at;
use super::limiter::AnswerLimiter;
use super::settings::{Peers, Settings};
use crate::wire::{Flags, Header, Packet};
use airtcp_core::{Instant, Span, Stream};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::net::{Ipv4Addr, SocketAddrV4};

/// Resets per second to senders without a connection.
const MAX_RESETS_PER_SECOND: u32 = 100;

/// Reason for refusing to open a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectError {
    /// A connection between these two sockets exists already.
    Taken,
    /// The most connections that the settings allow exist already.
    Full,
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConnectError::Taken => "there is a connection between these sockets",
            ConnectError::Full => "there are as many connections as the settings allow",
        })
    }
}

impl std::error::Error for ConnectError {}

/// One host with one address.
#[derive(Debug)]
pub struct Stack {
    address: Ipv4Addr,
    settings: Settings,
    ports: BTreeSet<u16>,
    connections: BTreeMap<Peers, ConnectionEntry>,
    /// Connections that others have opened, and that the application has not accepted yet.
    acceptable: VecDeque<Peers>,
    /// A reset to a sender without a connection.
    reply: Option<Vec<u8>>,
    resets: AnswerLimiter,
    initial: Stream,
    serial: u64,
}

#[derive(Debug)]
struct ConnectionEntry {
    connection: Connection,
    /// Serial number of the connection, in the order in which they began.
    serial: u64,
    /// True once the connection belongs to the application, which is not before it is open.
    is_owned: bool,
    is_released: bool,
}

impl Stack {
    /// Makes a host at `address`; it draws initial sequence numbers from `initial` [RFC 9293 3.4.1].
    ///
    /// # Errors
    ///
    /// If a setting has a value that is not allowed.
    pub fn new(address: Ipv4Addr, settings: Settings, initial: Stream) -> Result<Self, String> {
        Ok(Stack {
            address,
            settings: settings.checked()?,
            ports: BTreeSet::new(),
            connections: BTreeMap::new(),
            acceptable: VecDeque::new(),
            reply: None,
            resets: AnswerLimiter::new(MAX_RESETS_PER_SECOND, Span::from_nanos(1_000_000_000)),
            initial,
            serial: 0,
        })
    }

    /// Accepts connections to `port` from now on.
    pub fn listen(&mut self, port: u16) {
        self.ports.insert(port);
    }

    /// Begins a connection from `port`.
    ///
    /// # Errors
    ///
    /// If there is a connection between these sockets already, or as many as the settings allow.
    pub fn connect(&mut self, port: u16, remote: SocketAddrV4) -> Result<Peers, ConnectError> {
        let peers = Peers { local: SocketAddrV4::new(self.address, port), remote };
        if self.connections.contains_key(&peers) {
            return Err(ConnectError::Taken);
        }
        if self.connections.len() >= self.settings.connections {
            return Err(ConnectError::Full);
        }
        let initial = self.random_initial_seq();
        self.insert(Connection::connect(peers, self.settings, initial), true);
        Ok(peers)
    }

    /// Accepts the next connection that another host has opened, if any.
    pub fn accept(&mut self) -> Option<Peers> {
        self.acceptable.pop_front()
    }

    /// A connection of this host.
    #[must_use]
    pub fn get(&self, peers: Peers) -> Option<&Connection> {
        self.connections.get(&peers).map(|entry| &entry.connection)
    }

    /// A connection of this host, to read, write, close or abort.
    pub fn get_mut(&mut self, peers: Peers) -> Option<&mut Connection> {
        self.connections.get_mut(&peers).map(|entry| &mut entry.connection)
    }

    /// Releases a connection that the application will not use again: the host closes it in order, and
    /// forgets it when it has ended. Data that still comes is answered by a reset.
    pub fn release(&mut self, peers: Peers) {
        if let Some(entry) = self.connections.get_mut(&peers) {
            entry.connection.release();
            entry.is_released = true;
        }
    }

    /// Number of connections, in whatever state.
    #[must_use]
    pub fn len(&self) -> usize {
        self.connections.len()
    }

    /// True if there are no connections.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.connections.is_empty()
    }

    /// Takes a packet as a device hands it over. Drops bytes that are not a packet for this host.
    pub fn on_packet(&mut self, now: Instant, bytes: &[u8]) {
        let Ok(packet) = Packet::parse(bytes) else { return };
        let peers = Peers { local: packet.destination, remote: packet.source };
        if *peers.local.ip() != self.address || !is_unicast_host(peers) {
            return;
        }
        let known = self.connections.get_mut(&peers);
        let over = known.as_ref().is_some_and(|e| e.connection.state() == State::Closed);
        if let Some(entry) = known.filter(|_| !over) {
            let opening = !entry.is_owned;
            entry.connection.on_packet(now, &packet);
            if entry.is_released && entry.connection.has_unread() {
                entry.connection.abort(now); // Nobody will read it [RFC 9293 3.6.1].
            }
            if opening && entry.connection.sender().is_some() {
                entry.is_owned = true;
                self.acceptable.push_back(peers);
            }
        } else if !over && self.accepts_syn(&packet) {
            self.begin(peers, &packet.header);
        } else if self.resets.allows_answer(now) {
            self.reply = reset_for(&packet).or(self.reply.take());
        }
    }

    /// Handles timers that have expired.
    pub fn on_timer(&mut self, now: Instant) {
        self.connections.values_mut().for_each(|entry| entry.connection.on_timer(now));
    }

    /// The time at which the next timer expires; [`Instant::NEVER`] if none runs.
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

    /// True for a SYN to a port that accepts connections.
    fn accepts_syn(&self, packet: &Packet) -> bool {
        let flags = packet.header.flags;
        let opens = flags.has(Flags::SYN) && !flags.has(Flags::ACK) && !flags.has(Flags::RST);
        opens && self.ports.contains(&packet.destination.port())
    }

    /// Answers a SYN. If there are too many handshakes, the oldest is dropped: under a flood, a handshake
    /// that completes within the time of `backlog` others still succeeds.
    fn begin(&mut self, peers: Peers, syn: &Header) {
        let opening = || self.connections.iter().filter(|(_, entry)| !entry.is_owned);
        let full = self.connections.len() >= self.settings.connections;
        if full || opening().count() >= self.settings.backlog {
            let oldest = opening().min_by_key(|(_, entry)| entry.serial);
            let Some(oldest) = oldest.map(|(peers, _)| *peers) else { return };
            self.connections.remove(&oldest);
        }
        let initial = self.random_initial_seq();
        self.insert(Connection::accept(peers, self.settings, initial, syn), false);
    }

    fn insert(&mut self, connection: Connection, owned: bool) {
        self.serial += 1;
        let peers = connection.peers();
        let entry = ConnectionEntry {
            connection,
            serial: self.serial,
            is_owned: owned,
            is_released: false,
        };
        self.connections.insert(peers, entry);
    }

    fn random_initial_seq(&mut self) -> u32 {
        (self.initial.next_u64() >> 32) as u32
    }
}

impl ConnectionEntry {
    /// True if the connection has ended and is not owned by the application.
    fn is_over(&self) -> bool {
        self.connection.state() == State::Closed && (self.is_released || !self.is_owned)
    }
}

/// True if the other end is a single host other than this one: no broadcast, no multicast [RFC 9293
/// 3.9.2.3].
fn is_unicast_host(peers: Peers) -> bool {
    let ip = peers.remote.ip();
    let flag = !(ip.is_broadcast() || ip.is_multicast() || ip.is_unspecified());
    flag && peers.remote.port() != 0 && peers.remote != peers.local
}

/// The reset that answers a segment to no connection [RFC 9293 3.10.7.1].
fn reset_for(packet: &Packet) -> Option<Vec<u8>> {
    let Header { seq, ack, flags, .. } = packet.header;
    if flags.has(Flags::RST) {
        return None;
    }
    let header = if flags.has(Flags::ACK) {
        reset_at(ack)
    } else {
        let ack = seq.wrapping_add(packet.length());
        Header { ack, flags: Flags::RST.union(Flags::ACK), ..reset_at(0) }
    };
    let (source, destination) = (packet.destination, packet.source);
    Some(Packet { source, destination, header, payload: &[] }.write(0))
}
