//! A host with several sockets: who a segment is for, backlogs, ports, and the numbers of the wire.

mod datagram;
mod demultiplex;
mod fast_open;
mod queue;
mod reuse;
mod servers;

pub use datagram::{Datagram, PortPair};

use crate::clock::{Clock, TimeInUnits};
use crate::connection::{Connection, HostEnvironment, Route, SocketOptions, State};
use crate::sender::RuleChanges;
use crate::sysctl::Sysctl;
use airtcp_core::{Instant, Stream};
use queue::DepartureQueue;
use servers::{FastOpenOption, ServerCache};
use std::collections::VecDeque;

/// First and last port that the host chooses by itself (`ip_local_port_range`).
const EPHEMERAL_PORTS: std::ops::RangeInclusive<u16> = 32_768..=60_999;

/// A socket of a host, by number.
pub type Id = usize;

/// A connection with its identity on the wire.
#[derive(Debug)]
struct Flow {
    pair: PortPair,
    /// First numbers on the wire: its own, and the other end's.
    initial_seq: u32,
    peer_initial_seq: u32,
    connection: Connection,
    /// The listening socket that has it until it is accepted, and whether it can be.
    listener: Option<Id>,
    handshake_complete: bool,
    /// Option of Fast Open in its SYN.
    next_option: FastOpenOption,
}

#[derive(Debug)]
enum SocketKind {
    New,
    Listening { backlog: usize, ready: VecDeque<Id> },
    Connected(Box<Flow>),
}

#[derive(Debug)]
struct Socket {
    options: SocketOptions,
    port: u16,
    kind: SocketKind,
    /// A descriptor holds it.
    owned_by_application: bool,
}

/// Sockets of one machine, whose ticks have one phase.
#[derive(Debug)]
pub struct Host {
    environment: HostEnvironment,
    random: Stream,
    sockets: Vec<Option<Socket>>,
    queue: DepartureQueue,
    next_port: u16,
    /// Nothing leaves: the queue before the device refuses it.
    drops_output: bool,
    servers: ServerCache,
    /// Option of Fast Open in the next SYN, and the bytes that the SYN carries.
    next_option: FastOpenOption,
    syn_data: u32,
}

impl Host {
    /// A host with settings, a phase of its ticks, and a random stream.
    #[must_use]
    pub fn new(sysctl: Sysctl, clock: Clock, route: Route, mut random: Stream) -> Self {
        let timestamp_offset = random.next_u64() as u32;
        let changed = RuleChanges::default();
        let environment = HostEnvironment {
            clock,
            sysctl,
            route,
            timestamp_offset,
            random: random.clone(),
            rule_changes: changed,
        };
        let queue = DepartureQueue::default();
        let sockets = vec![];
        Host {
            environment,
            random,
            sockets,
            queue,
            next_port: *EPHEMERAL_PORTS.start(),
            drops_output: false,
            servers: ServerCache::default(),
            next_option: FastOpenOption::default(),
            syn_data: 0,
        }
    }

    /// Settings, for sockets that are made from now on.
    pub fn environment(&mut self) -> &mut HostEnvironment {
        &mut self.environment
    }

    /// `instant` in all units.
    #[must_use]
    pub fn now(&self, instant: Instant) -> TimeInUnits {
        self.environment.clock.units_at(instant)
    }

    /// A new socket.
    pub fn open_socket(&mut self) -> Id {
        let options = SocketOptions::default();
        self.insert(Socket { options, port: 0, kind: SocketKind::New, owned_by_application: true })
    }

    fn insert(&mut self, socket: Socket) -> Id {
        match self.sockets.iter().position(Option::is_none) {
            Some(free) => {
                self.sockets[free] = Some(socket);
                free
            }
            None => {
                self.sockets.push(Some(socket));
                self.sockets.len() - 1
            }
        }
    }

    fn socket(&self, id: Id) -> Option<&Socket> {
        self.sockets.get(id)?.as_ref()
    }

    fn socket_mut(&mut self, id: Id) -> Option<&mut Socket> {
        self.sockets.get_mut(id)?.as_mut()
    }

    /// Options of the socket.
    #[must_use]
    pub fn options(&self, id: Id) -> Option<&SocketOptions> {
        self.socket(id).map(|socket| &socket.options)
    }

    /// Changes the options of a socket.
    pub fn set_options(
        &mut self,
        now: TimeInUnits,
        id: Id,
        change: impl FnOnce(&mut SocketOptions),
    ) {
        let Some(socket) = self.socket_mut(id) else { return };
        change(&mut socket.options);
        let options = socket.options.clone();
        self.with_connection(now, id, |connection| connection.reconfigure(now, &options));
    }

    /// The queue before the device refuses everything, or takes it again.
    pub fn set_local_drop(&mut self, drops: bool) {
        self.drops_output = drops;
        for socket in self.sockets.iter_mut().flatten() {
            if let SocketKind::Connected(flow) = &mut socket.kind {
                flow.connection.set_local_drop(drops);
            }
        }
    }

    /// A router on the way takes packets of `mtu` bytes only, and has refused the segment with number
    /// `seq` [RFC 1191].
    pub fn on_mtu(&mut self, now: TimeInUnits, pair: PortPair, seq: u32, mtu: u32) {
        let Some(id) = self.flow_of(pair) else { return };
        let Some(Socket { kind: SocketKind::Connected(flow), .. }) = &mut self.sockets[id] else {
            return;
        };
        if flow.is_outstanding(seq) {
            flow.connection.set_mtu(now, mtu);
            self.collect_output(now, id);
        }
    }

    /// Connection of a socket, if it has one.
    #[must_use]
    pub fn connection(&self, id: Id) -> Option<&Connection> {
        match &self.socket(id)?.kind {
            SocketKind::Connected(flow) => Some(&flow.connection),
            _ => None,
        }
    }

    /// Connection of a socket, for calls after which it sends nothing.
    pub fn connection_mut(&mut self, id: Id) -> Option<&mut Connection> {
        match &mut self.socket_mut(id)?.kind {
            SocketKind::Connected(flow) => Some(&mut flow.connection),
            _ => None,
        }
    }

    /// Applies `act` to a connection and collects its output.
    pub fn with_connection<T>(
        &mut self,
        now: TimeInUnits,
        id: Id,
        act: impl FnOnce(&mut Connection) -> T,
    ) -> Option<T> {
        let SocketKind::Connected(flow) = &mut self.socket_mut(id)?.kind else { return None };
        let result = act(&mut flow.connection);
        self.collect_output(now, id);
        Some(result)
    }

    /// Gives the socket a port.
    pub fn bind(&mut self, id: Id, port: u16) {
        if let Some(socket) = self.socket_mut(id) {
            socket.port = port;
        }
    }

    /// Lets it wait for connections.
    pub fn listen(&mut self, id: Id, backlog: usize) {
        if let Some(socket) = self.socket_mut(id) {
            socket.kind = SocketKind::Listening { backlog, ready: VecDeque::new() };
        }
    }

    /// Returns whether it waits for connections.
    #[must_use]
    pub fn is_listening(&self, id: Id) -> bool {
        self.socket(id).is_some_and(|socket| matches!(socket.kind, SocketKind::Listening { .. }))
    }

    /// Takes the oldest connection that is complete.
    pub fn accept(&mut self, id: Id) -> Option<Id> {
        let SocketKind::Listening { ready, .. } = &mut self.socket_mut(id)?.kind else {
            return None;
        };
        let child = ready.pop_front()?;
        let socket = self.socket_mut(child)?;
        socket.owned_by_application = true;
        if let SocketKind::Connected(flow) = &mut socket.kind {
            flow.listener = None;
            flow.connection.set_accepted_by_application(true);
        }
        Some(child)
    }

    /// Connections that wait to be accepted.
    #[must_use]
    pub fn accept_queue_len(&self, id: Id) -> usize {
        match self.socket(id).map(|socket| &socket.kind) {
            Some(SocketKind::Listening { ready, .. }) => ready.len(),
            _ => 0,
        }
    }

    /// Returns whether a connection waits to be accepted.
    #[must_use]
    pub fn has_acceptable(&self, id: Id) -> bool {
        self.accept_queue_len(id) > 0
    }

    /// Begins a connection; returns false if no port is free.
    pub fn connect(&mut self, now: TimeInUnits, id: Id, address: u32, remote: u16) -> bool {
        let random = self.random.next_u64() as u32;
        let Some((pair, inherited)) = self.choose_pair(now, id, address, remote) else {
            return false;
        };
        self.forget_predecessor(pair);
        let environment = self.environment.clone();
        let next_option = self.next_option;
        let data = next_option.is_tried.then_some(self.syn_data);
        let Some(socket) = self.socket_mut(id) else { return false };
        let (first, echo) = inherited.map_or((random, 0), |old| (old.first, old.echo));
        let connection =
            Connection::connect_fast_open(&environment, &socket.options, now, echo, data);
        let (listener, complete) = (None, false);
        let flow = Flow {
            pair,
            initial_seq: first,
            peer_initial_seq: 0,
            connection,
            listener,
            handshake_complete: complete,
            next_option,
        };
        socket.kind = SocketKind::Connected(Box::new(flow));
        self.collect_output(now, id);
        true
    }

    /// Closes the descriptor.
    pub fn close(&mut self, now: TimeInUnits, id: Id) {
        let Some(socket) = self.socket_mut(id) else { return };
        socket.owned_by_application = false;
        match &mut socket.kind {
            SocketKind::Connected(flow) => {
                flow.connection.close(now);
                self.collect_output(now, id);
            }
            SocketKind::Listening { .. } => {
                self.sockets[id] = None;
                self.reset_children(now, id);
            }
            SocketKind::New => self.sockets[id] = None,
        }
    }

    /// Resets connections that will no longer be accepted.
    fn reset_children(&mut self, now: TimeInUnits, listener: Id) {
        for id in 0..self.sockets.len() {
            if let Some(Socket { kind: SocketKind::Connected(flow), .. }) = &mut self.sockets[id]
                && flow.listener == Some(listener)
            {
                flow.connection.disconnect(now);
                self.collect_output(now, id);
            }
        }
    }

    /// Makes the socket new again (`connect` to `AF_UNSPEC`).
    pub fn disconnect(&mut self, now: TimeInUnits, id: Id) {
        self.with_connection(now, id, |connection| connection.disconnect(now));
        if let Some(socket) = self.socket_mut(id) {
            (socket.kind, socket.port) = (SocketKind::New, 0);
        }
    }

    /// The next segment that leaves now.
    pub fn transmit(&mut self, now: TimeInUnits) -> Option<Datagram> {
        self.queue.pop(now.instant)
    }

    /// Expiry of the next timer; `Instant::NEVER` if none runs.
    #[must_use]
    pub fn next_timer(&self) -> Instant {
        let flows = self.sockets.iter().flatten().filter_map(|socket| match &socket.kind {
            SocketKind::Connected(flow) => Some(flow.connection.next_timer()),
            _ => None,
        });
        flows.min().unwrap_or(Instant::NEVER).min(self.queue.next())
    }

    /// Lets timers expire that are due.
    pub fn on_timer(&mut self, now: TimeInUnits) {
        for id in 0..self.sockets.len() {
            if let Some(Socket { kind: SocketKind::Connected(flow), .. }) = &mut self.sockets[id]
                && flow.connection.next_timer() <= now.instant
            {
                flow.connection.on_timer(now);
                self.collect_output(now, id);
            }
        }
    }

    /// Collects the output of a connection; removes the connection if it is closed and no descriptor refers to it.
    fn collect_output(&mut self, now: TimeInUnits, id: Id) {
        let Some(Some(socket)) = self.sockets.get_mut(id) else { return };
        let SocketKind::Connected(flow) = &mut socket.kind else { return };
        while let Some(segment) = flow.connection.transmit() {
            let cookie = flow.next_option.cookie.filter(|_| flow.next_option.applies_to(&segment));
            let datagram = Datagram { pair: flow.pair, segment: flow.to_wire(segment), cookie };
            if !self.drops_output {
                self.queue.push(now.instant, datagram);
            }
        }
        let over = flow.connection.state() == State::Closed;
        if over
            && !socket.owned_by_application
            && !(flow.handshake_complete && flow.listener.is_some())
        {
            self.sockets[id] = None;
        }
    }
}
