//! The TCP of Linux on the wire: a host of `airtcp_linux` with one connection, and the bytes, which `airtcp_linux` only
//! counts.

mod from_scenario;
mod incoming;
mod wire;

use super::content::Content;
use crate::wire::{Flags, Packet, Sequence};
use airtcp_core::{Instant, Stream};
use airtcp_linux::congestion::CaState;
use airtcp_linux::connection::State;
use airtcp_linux::host::{Datagram, Host, Id};
use airtcp_linux::{Connection, TimeInUnits};
use airtcp_scenario::LinuxHost;
use incoming::Incoming;
use std::net::{Ipv4Addr, SocketAddrV4};

/// Connections that wait to be accepted, beyond the first.
const BACKLOG: usize = 1;
/// Bytes by which a segment may reach beyond the window, and that the first segment may carry.
const MAX_UNREAD: u64 = u16::MAX as u64;

/// One host with one address and one connection, driven like a [`super::Stack`].
#[derive(Debug)]
pub struct LinuxStack {
    address: Ipv4Addr,
    host: Host,
    /// The socket that listens or connects, and the one that is connected.
    socket: Id,
    connected: Option<Id>,
    /// Socket of the other end: the one that this host called, or the one that called first.
    remote: Option<SocketAddrV4>,
    /// Sequence numbers on the wire, of sent and of received data.
    sent_numbers: Option<Sequence>,
    received_numbers: Option<Sequence>,
    /// The content that this end sends, and the furthest position that has left.
    content: Option<Content>,
    furthest_sent: u64,
    incoming: Incoming,
    /// `TCP_WINDOW_CLAMP`, until the application has set it a second time.
    clamp: u64,
    /// A burst, which leaves packet by packet.
    burst: Option<Datagram>,
    identification: u16,
    recoveries: u64,
}

impl LinuxStack {
    /// Makes a host with the settings and the clock of `host`; it draws sequence numbers from `random`.
    #[must_use]
    pub fn new(address: Ipv4Addr, host: LinuxHost, random: Stream) -> Self {
        let LinuxHost { environment, options } = host;
        let stamps = environment.timestamp_offset;
        let clamp = options.window_clamp;
        let airtcp_linux::connection::HostEnvironment {
            clock, sysctl, route, random: draws, ..
        } = environment;
        let mut host = Host::new(sysctl, clock, route, random);
        host.environment().timestamp_offset = stamps;
        host.environment().random = draws;
        let socket = host.open_socket();
        host.set_options(host.now(Instant::START), socket, |of_socket| *of_socket = options);
        LinuxStack {
            address,
            host,
            socket,
            connected: None,
            remote: None,
            sent_numbers: None,
            received_numbers: None,
            content: None,
            furthest_sent: 0,
            incoming: Incoming::default(),
            clamp,
            burst: None,
            identification: 0,
            recoveries: 0,
        }
    }

    /// Accepts a connection to `port`.
    pub fn listen(&mut self, port: u16) {
        self.host.bind(self.socket, port);
        self.host.listen(self.socket, BACKLOG);
    }

    /// Begins a connection from `port`.
    pub fn connect(&mut self, now: Instant, port: u16, remote: SocketAddrV4) {
        let now = self.host.now(now);
        self.host.bind(self.socket, port);
        self.host.connect(now, self.socket, remote.ip().to_bits(), remote.port());
        (self.connected, self.remote) = (Some(self.socket), Some(remote));
    }

    /// The connection: from the beginning if this host connects, from its acceptance if it listens. The host forgets it
    /// when it has ended and was closed.
    #[must_use]
    pub fn connection(&self) -> Option<&Connection> {
        self.host.connection(self.connected?)
    }

    /// State of the connection, if there has ever been one.
    #[must_use]
    pub fn state(&self) -> Option<State> {
        self.connected?;
        Some(self.connection().map_or(State::Closed, Connection::state))
    }

    /// Number of times that the sender went into recovery.
    #[must_use]
    pub fn recoveries(&self) -> u64 {
        self.recoveries
    }

    /// Lets the application write `bytes` of `content` in one call, which waits until all are taken; `u64::MAX` is data
    /// without end. It writes once, when the connection is open.
    pub fn write_all(&mut self, now: Instant, content: &Content, bytes: u64) {
        if self.content.is_none() && self.state() == Some(State::Established) {
            self.content = Some(content.clone());
            self.with_connection(now, |connection, now| connection.write_all(now, bytes));
        }
    }

    /// Number of bytes that were acknowledged.
    #[must_use]
    pub fn acked(&self) -> u64 {
        self.connection().map_or(0, |connection| connection.sender().una().saturating_sub(1))
    }

    /// Reads bytes that have arrived into `data`; returns their number.
    ///
    /// Linux forgets the clamp of the window at the first data [crates/linux/rules/receiver.md rule 25]: the reading application
    /// sets it again.
    pub fn read(&mut self, now: Instant, data: &mut [u8]) -> usize {
        let most = data.len() as u64;
        if self.connection().is_none_or(|open| open.receiver().unread() == 0) {
            return 0; // Its program sleeps.
        }
        let clamp = self.clamp;
        let read = self.with_connection(now, |connection, now| {
            let read = connection.read(now, most);
            if read > 0 && clamp > 0 {
                connection.set_window_clamp(clamp);
            }
            read
        });
        let read = read.unwrap_or(0) as usize;
        self.incoming.take(&mut data[..read]);
        self.clamp = if read > 0 { 0 } else { clamp };
        read
    }

    /// True if the other end has closed, and the application has read all that it sent.
    #[must_use]
    pub fn at_end(&self) -> bool {
        let receiver = self.connection().map(Connection::receiver);
        receiver.is_some_and(|receiver| receiver.fin() && receiver.unread() == 0)
    }

    /// Closes the connection for the application.
    pub fn close(&mut self, now: Instant) {
        if let Some(id) = self.connected {
            self.host.close(self.host.now(now), id);
        }
    }

    /// Gives the connection up for the application, with a reset.
    pub fn abort(&mut self, now: Instant) {
        self.with_connection(now, Connection::disconnect);
    }

    fn with_connection<T>(
        &mut self,
        now: Instant,
        act: impl FnOnce(&mut Connection, TimeInUnits) -> T,
    ) -> Option<T> {
        let now = self.host.now(now);
        self.host.with_connection(now, self.connected?, |connection| act(connection, now))
    }

    /// Takes a packet as a device hands it over. Drops bytes that are not a packet of this connection.
    pub fn on_packet(&mut self, now: Instant, bytes: &[u8]) {
        let Ok(packet) = Packet::parse(bytes) else { return };
        let is_its = self.remote.is_none_or(|remote| remote == packet.source);
        if *packet.destination.ip() != self.address || !is_its {
            return;
        }
        if packet.header.flags.has(Flags::SYN) && self.received_numbers.is_none() {
            self.received_numbers = Some(Sequence::after(packet.header.seq));
            self.remote = Some(packet.source);
        }
        self.store(&packet);
        let before = self.is_recovering();
        let now = self.host.now(now);
        self.host.receive(now, &wire::decode(&packet, Packet::tos(bytes)));
        self.recoveries += u64::from(self.is_recovering() && !before);
        if self.connected.is_none() {
            self.connected = self.host.accept(self.socket);
        }
    }

    /// Stores the bytes of a segment as far as the receiver may take them.
    fn store(&mut self, packet: &Packet<'_>) {
        let Some(theirs) = self.received_numbers else { return };
        let at = theirs.counter(packet.header.seq, self.incoming.from());
        let receiver = self.connection().map(Connection::receiver);
        let (next, room) =
            receiver.map_or((0, MAX_UNREAD), |r| (r.nxt().saturating_sub(1), r.remaining()));
        self.incoming.store(at, packet.payload, next, next + room + MAX_UNREAD);
    }

    fn is_recovering(&self) -> bool {
        self.connection().is_some_and(|connection| connection.sender().state() == CaState::Recovery)
    }

    /// Handles timers that have expired.
    pub fn on_timer(&mut self, now: Instant) {
        self.host.on_timer(self.host.now(now));
    }

    /// The time at which the next timer expires; [`Instant::NEVER`] if none runs.
    #[must_use]
    pub fn poll_timeout(&self) -> Instant {
        self.host.next_timer()
    }

    /// The next packet to send now, if any. Call it until there is none before the next input.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Vec<u8>> {
        if self.burst.is_none() {
            self.burst = self.host.transmit(self.host.now(now));
        }
        let burst = self.burst.as_mut()?;
        let segment = burst.segment.take_first();
        let datagram = Datagram { pair: burst.pair, segment, cookie: None };
        if burst.segment.len == 0 {
            self.burst = None;
        }
        let payload = self.payload(&datagram);
        self.identification = self.identification.wrapping_add(1);
        Some(wire::encode(self.address, &datagram, &payload, self.identification))
    }

    fn payload(&mut self, datagram: &Datagram) -> Vec<u8> {
        let Datagram { segment, .. } = datagram;
        let number = segment.seq as u32;
        if segment.flags.0 & Flags::SYN.bits() != 0 {
            self.sent_numbers = Some(Sequence::after(number));
        }
        let (Some(ours), Some(content), 1..) = (self.sent_numbers, &self.content, segment.len)
        else {
            return vec![];
        };
        let at = ours.counter(number, self.furthest_sent).cast_unsigned();
        self.furthest_sent = self.furthest_sent.max(at);
        content.bytes_at(at, segment.len as usize)
    }
}
