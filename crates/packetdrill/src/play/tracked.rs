//! The sockets of a script. Packets belong to the socket under test: the last one that `socket`
//! made, or the child of a listening one that began with the last inbound packet to it.

use super::mapping::NumberMapping;
use crate::packet::{Flags, Packet};
use crate::script::Segment;

/// State of a connection as the script sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    New,
    Listening,
    /// A child that has received its first packet.
    Begun,
    SynAckSent,
    SynAckAcknowledged,
    Connecting,
    SynSent,
    Connected,
}

#[derive(Debug)]
pub(super) struct TrackedConnection {
    /// The descriptor in the script; `None` before `accept`.
    pub(super) fd: Option<i64>,
    pub(super) state: State,
    pub(super) local: u16,
    pub(super) remote: u16,
    pub(super) mapping: NumberMapping,
}

impl TrackedConnection {
    fn new(fd: Option<i64>, state: State, local: u16, remote: u16) -> Self {
        TrackedConnection { fd, state, local, remote, mapping: NumberMapping::default() }
    }

    /// True if a packet of the host belongs to this connection; the first SYN shows its port.
    pub(super) fn owns(&mut self, packet: &Packet) -> bool {
        if (packet.source, packet.destination) == (self.local, self.remote) && self.local != 0 {
            return true;
        }
        let syn = packet.flags.has(Flags::SYN) && !packet.flags.has(Flags::ACK);
        let first = syn && self.state == State::SynSent && packet.destination == self.remote;
        if first {
            self.local = packet.source;
            self.mapping.live_local = packet.sequence;
        }
        first
    }
}

/// First port of the other end: each child of a listening socket gets a port of its own.
const FIRST_PORT: u16 = 50_000;

#[derive(Debug, Default)]
pub(super) struct Sockets {
    all: Vec<TrackedConnection>,
    /// Index in `all` of the socket under test.
    under_test: Option<usize>,
    children: u16,
}

impl Sockets {
    pub(super) fn under_test(&mut self) -> Option<&mut TrackedConnection> {
        self.under_test.and_then(|nth| self.all.get_mut(nth))
    }

    pub(super) fn on_socket_created(&mut self, fd: i64) {
        self.all.push(TrackedConnection::new(Some(fd), State::New, 0, 0));
        self.under_test = Some(self.all.len() - 1);
    }

    fn by_descriptor(&mut self, fd: i64) -> Option<&mut TrackedConnection> {
        self.all.iter_mut().rev().find(|connection| connection.fd == Some(fd))
    }

    pub(super) fn on_listen(&mut self, fd: i64) {
        if let Some(connection) = self.by_descriptor(fd) {
            connection.state = State::Listening;
        }
    }

    /// Notes a `connect`, or data to an address; `disconnect` makes the socket new again.
    pub(super) fn on_connect(&mut self, fd: i64, port: u16, disconnect: bool) {
        let Some(connection) = self.by_descriptor(fd) else { return };
        if disconnect {
            connection.state = State::New;
        } else if connection.state == State::New {
            (connection.state, connection.local, connection.remote) = (State::Connecting, 0, port);
        }
    }

    /// Gives the descriptor to the newest connection whose handshake is done.
    pub(super) fn on_accept(&mut self, fd: i64) {
        let done = |connection: &&mut TrackedConnection| {
            matches!(connection.state, State::SynAckSent | State::SynAckAcknowledged)
        };
        let mut candidates: Vec<&mut TrackedConnection> =
            self.all.iter_mut().rev().filter(done).collect();
        let free = candidates.iter().position(|connection| connection.fd.is_none()).unwrap_or(0);
        if let Some(connection) = candidates.get_mut(free) {
            connection.fd = Some(fd);
        }
    }

    pub(super) fn on_close(&mut self, fd: i64) {
        if let Some(connection) = self.by_descriptor(fd) {
            connection.fd = None;
            // A closed connection is not accepted again.
            if matches!(connection.state, State::SynAckSent | State::SynAckAcknowledged) {
                connection.state = State::Connected;
            }
        }
    }

    /// The socket that an inbound packet is for; a listening one gets a child.
    pub(super) fn for_inbound(
        &mut self,
        segment: &Segment,
        bind_port: u16,
    ) -> Option<&mut TrackedConnection> {
        let child = self.under_test().is_none_or(|connection| connection.state == State::Listening);
        if child {
            let remote = FIRST_PORT.saturating_add(self.children);
            self.children = self.children.saturating_add(1);
            let mut connection = TrackedConnection::new(None, State::Begun, bind_port, remote);
            connection.mapping.remote = segment.sequence;
            self.all.push(connection);
            self.under_test = Some(self.all.len() - 1);
        }
        let connection = self.under_test()?;
        let (syn, ack) = (segment.flags.has(Flags::SYN), segment.flags.has(Flags::ACK));
        match connection.state {
            State::SynAckSent if ack => connection.state = State::SynAckAcknowledged,
            State::SynSent if syn && ack => {
                connection.state = State::Connected;
                connection.mapping.remote = segment.sequence;
            }
            _ => {}
        }
        Some(connection)
    }

    /// The socket from which an outbound packet is expected.
    pub(super) fn for_outbound(&mut self, segment: &Segment) -> Option<&mut TrackedConnection> {
        let connection = self.under_test()?;
        let (syn, ack) = (segment.flags.has(Flags::SYN), segment.flags.has(Flags::ACK));
        if connection.state == State::Connecting && syn && !ack {
            connection.state = State::SynSent;
            connection.mapping.script_local = segment.sequence;
        }
        if connection.state == State::Begun && syn && ack {
            connection.mapping.script_local = segment.sequence;
        }
        Some(connection)
    }
}
