//! Ports of new connections, and state taken over from a connection in TIME-WAIT [rules/sockets.md rule 16, RFC 6191].

use super::{EPHEMERAL_PORTS, Host, Id, PortPair, Socket, SocketKind};
use crate::clock::TimeInUnits;
use crate::connection::State;

/// Distance between the last number of a connection and the first of its successor.
const SEQ_OFFSET: u32 = 65_537;

/// Numbers that a connection takes over from its predecessor.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeWaitInheritance {
    /// First sequence number.
    pub(super) first: u32,
    /// Timestamp that its SYN echoes.
    pub(super) echo: u32,
}

impl Host {
    /// Ports of a new connection, and state taken over; `None` if every port is in use.
    pub(super) fn choose_pair(
        &mut self,
        now: TimeInUnits,
        id: Id,
        address: u32,
        remote: u16,
    ) -> Option<(PortPair, Option<TimeWaitInheritance>)> {
        let socket = self.socket(id)?;
        if socket.port != 0 {
            let pair = PortPair { local: socket.port, address, remote };
            return Some((pair, None));
        }
        let range = socket.options.port_range.map_or(EPHEMERAL_PORTS, |(first, last)| first..=last);
        let start = if range.contains(&self.next_port) { self.next_port } else { *range.start() };
        for local in (start..=*range.end()).chain(*range.start()..start) {
            let pair = PortPair { local, address, remote };
            let inherited = match self.flow_of(pair) {
                None => Some(None),
                Some(old) => self.time_wait_inheritance(now, old).map(Some),
            };
            if let Some(inherited) = inherited {
                self.next_port = if local == *range.end() { *range.start() } else { local + 1 };
                return Some((pair, inherited));
            }
        }
        None
    }

    /// Numbers that a successor of this connection takes over, if it may.
    fn time_wait_inheritance(&self, now: TimeInUnits, id: Id) -> Option<TimeWaitInheritance> {
        let Some(Socket { kind: SocketKind::Connected(flow), .. }) = self.socket(id) else {
            return None;
        };
        let connection = &flow.connection;
        let sysctl = &self.environment.sysctl;
        let waited = connection.time_wait_ms(now)?;
        let allowed = sysctl.tcp_tw_reuse == 1
            && connection.state() == State::TimeWait
            && connection.timestamps()
            && waited > sysctl.tcp_tw_reuse_delay;
        let first = flow
            .initial_seq
            .wrapping_add(connection.sender().nxt() as u32)
            .wrapping_add(SEQ_OFFSET);
        allowed.then(|| TimeWaitInheritance { first, echo: connection.recent_stamp() })
    }

    /// The predecessor in TIME-WAIT is gone.
    pub(super) fn forget_predecessor(&mut self, pair: PortPair) {
        if let Some(old) = self.flow_of(pair)
            && self.connection(old).is_some_and(|c| c.state() == State::TimeWait)
        {
            self.sockets[old] = None;
        }
    }
}
