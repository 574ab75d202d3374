//! Demultiplexing of segments, and their sequence numbers.

use super::fast_open::SynAdmission;
use super::servers::FastOpenOption;
use super::{Datagram, Flow, Host, Id, PortPair, Socket, SocketKind};
use crate::clock::TimeInUnits;
use crate::connection::{Connection, State, reset_for};
use crate::segment::{Flags, Segment, counter_from_wire};

impl Flow {
    /// Counters as numbers of the wire.
    pub(super) fn to_wire(&self, mut segment: Segment) -> Segment {
        segment.seq = u64::from((segment.seq as u32).wrapping_add(self.initial_seq));
        let theirs = (segment.ack as u32).wrapping_add(self.peer_initial_seq);
        segment.ack = if segment.flags.has(Flags::ACK) { theirs.into() } else { 0 };
        segment.sack.iter_mut().for_each(|(start, end)| {
            let shift = |n: u64| u64::from((n as u32).wrapping_add(self.peer_initial_seq));
            (*start, *end) = (shift(*start), shift(*end));
        });
        segment
    }

    /// Numbers of the wire as counters.
    fn convert_numbers(&mut self, mut segment: Segment) -> Segment {
        let (syn, ack) = (segment.flags.has(Flags::SYN), segment.flags.has(Flags::ACK));
        let answers = self.connection.state() == State::SynSent;
        if syn && answers {
            self.peer_initial_seq = segment.seq as u32;
        }
        let near = self.connection.receiver().nxt();
        segment.seq = counter_from_wire(segment.seq as u32, self.peer_initial_seq, near);
        let sender = self.connection.sender();
        let near = if answers { 1 } else { sender.nxt() };
        segment.ack =
            if ack { counter_from_wire(segment.ack as u32, self.initial_seq, near) } else { 0 };
        segment.sack.iter_mut().for_each(|(start, end)| {
            let place = |n: u64| counter_from_wire(n as u32, self.initial_seq, near);
            (*start, *end) = (place(*start), place(*end));
        });
        segment
    }
}

impl Flow {
    /// Returns whether the number on the wire is of something that is not acknowledged: a SYN that is not answered, too.
    pub(super) fn is_outstanding(&self, seq: u32) -> bool {
        let sender = self.connection.sender();
        if self.connection.state() == State::SynSent && seq == self.initial_seq {
            return true;
        }
        let seq = counter_from_wire(seq, self.initial_seq, sender.una());
        (sender.una()..sender.nxt()).contains(&seq)
    }
}

impl Host {
    /// Takes a segment from the wire.
    pub fn receive(&mut self, now: TimeInUnits, datagram: &Datagram) {
        let syn = datagram.segment.flags.has(Flags::SYN);
        if let Some(id) = self.flow_of(datagram.pair) {
            if !(syn && self.may_reuse_time_wait(id, datagram)) {
                return self.deliver_to_connection(now, id, datagram);
            }
            self.sockets[id] = None;
        }
        let flags = datagram.segment.flags;
        match self.listener_of(datagram.pair.local) {
            Some(listener) if syn && !flags.has(Flags::ACK) && !flags.has(Flags::RST) => {
                self.begin_connection(now, listener, datagram);
            }
            _ if flags.has(Flags::RST) => {}
            _ => self.reset_unknown(now, datagram),
        }
    }

    pub(super) fn flow_of(&self, pair: PortPair) -> Option<Id> {
        let is = |socket: &Socket| match &socket.kind {
            SocketKind::Connected(flow) => {
                flow.pair == pair && flow.connection.state() != State::Closed
            }
            _ => false,
        };
        self.sockets.iter().position(|socket| socket.as_ref().is_some_and(is))
    }

    fn listener_of(&self, port: u16) -> Option<Id> {
        let is = |socket: &Socket| {
            socket.port == port && matches!(socket.kind, SocketKind::Listening { .. })
        };
        self.sockets.iter().position(|socket| socket.as_ref().is_some_and(is))
    }

    /// Returns whether a SYN may reopen a connection in TIME-WAIT [RFC 9293 3.10.7.4].
    fn may_reuse_time_wait(&mut self, id: Id, datagram: &Datagram) -> bool {
        let Some(Socket { kind: SocketKind::Connected(flow), .. }) = &mut self.sockets[id] else {
            return false;
        };
        let nxt = flow.connection.receiver().nxt();
        let seq = counter_from_wire(datagram.segment.seq as u32, flow.peer_initial_seq, nxt);
        flow.connection.state() == State::TimeWait && seq > nxt && seq < nxt + (1 << 31)
    }

    fn deliver_to_connection(&mut self, now: TimeInUnits, id: Id, datagram: &Datagram) {
        let listener = match &self.sockets[id] {
            Some(Socket { kind: SocketKind::Connected(flow), .. }) => flow.listener,
            _ => None,
        };
        let room = listener.is_none_or(|listener| self.has_room(listener));
        let Some(Socket { kind: SocketKind::Connected(flow), .. }) = &mut self.sockets[id] else {
            return;
        };
        let before = flow.connection.state();
        let waited = before == State::SynReceived;
        let (next_option, repeated) = (flow.next_option, flow.connection.has_repeated_syn());
        let segment = flow.convert_numbers(datagram.segment);
        flow.connection.on_segment(now, &segment, room);
        let state = flow.connection.state();
        if waited && !matches!(state, State::SynReceived | State::Closed) {
            flow.handshake_complete = true;
            self.make_ready(listener, id);
        }
        if before == State::SynSent && !matches!(state, State::SynSent | State::Closed) {
            self.servers.learn(datagram, next_option, repeated);
        }
        self.collect_output(now, id);
    }

    /// The connection can be accepted.
    fn make_ready(&mut self, listener: Option<Id>, id: Id) {
        let queue = listener.and_then(|listener| self.socket_mut(listener));
        if let Some(Socket { kind: SocketKind::Listening { ready, .. }, .. }) = queue {
            ready.push_back(id);
        }
    }

    /// Returns whether the queue of complete connections takes one more [rules/sockets.md rule 6].
    fn has_room(&self, listener: Id) -> bool {
        match self.socket(listener).map(|socket| &socket.kind) {
            Some(SocketKind::Listening { backlog, ready }) => ready.len() <= *backlog,
            _ => false,
        }
    }

    fn begin_connection(&mut self, now: TimeInUnits, listener: Id, datagram: &Datagram) {
        if !self.has_room(listener) {
            return;
        }
        let first = self.random.next_u64() as u32;
        let environment = self.environment.clone();
        let Some(socket) = self.socket(listener) else { return };
        let options = socket.options.clone();
        let peer_first = datagram.segment.seq as u32;
        let syn = Segment { seq: 0, ..datagram.segment };
        let (complete, cookie) = match self.admit_syn(listener, datagram) {
            SynAdmission::FastOpen(cookie) => (true, cookie),
            SynAdmission::Handshake(cookie) => (false, cookie),
        };
        let mut connection = match complete {
            true => Connection::accept_early(&environment, &options, now, &syn),
            false => {
                // Data of a SYN do not count.
                let syn = Segment { len: 0, size: 0, ..syn };
                Connection::accept(&environment, &options, now, &syn)
            }
        };
        connection.set_accepted_by_application(false);
        let pair = datagram.pair;
        let next_option = FastOpenOption { cookie, is_tried: false };
        let listener = Some(listener);
        let flow = Flow {
            pair,
            initial_seq: first,
            peer_initial_seq: peer_first,
            connection,
            listener,
            handshake_complete: complete,
            next_option,
        };
        let kind = SocketKind::Connected(Box::new(flow));
        let id =
            self.insert(Socket { options, port: pair.local, kind, owned_by_application: false });
        if complete {
            self.make_ready(listener, id);
        }
        self.collect_output(now, id);
    }

    fn reset_unknown(&mut self, now: TimeInUnits, datagram: &Datagram) {
        let mut segment = reset_for(&datagram.segment);
        segment.departure = now.instant;
        (segment.seq, segment.ack) = (u64::from(segment.seq as u32), u64::from(segment.ack as u32));
        self.queue.push(now.instant, Datagram { pair: datagram.pair, segment, cookie: None });
    }
}
