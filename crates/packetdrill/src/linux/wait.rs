//! Calls that wait: the events that end them, and the values that they return then.

use super::blocked::{Blocked, ReceiveMode};
use super::descriptors::SocketFile;
use super::{Linux, reports};
use crate::host::{Answer, Outcome};
use crate::symbols;
use crate::value::Value;
use airtcp_core::{Instant, Span};
use airtcp_linux::TimeInUnits;
use airtcp_linux::connection::{Connection, EndReason, State};

impl Linux {
    /// Makes a call that may wait.
    pub(super) fn wait(&mut self, now: TimeInUnits, mut blocked: Blocked) -> Outcome {
        if let Some(answer) = self.try_complete(now, &mut blocked) {
            return Outcome::Returned(answer);
        }
        let nonblocking = match &blocked {
            Blocked::Accept { fd }
            | Blocked::Connect { fd }
            | Blocked::Receive { fd, .. }
            | Blocked::Send { fd, .. } => {
                self.descriptors.get(*fd).is_some_and(|file| file.nonblocking)
            }
            Blocked::Poll { .. } | Blocked::Epoll { .. } => false,
        };
        self.wait_or_fail(blocked, nonblocking)
    }

    /// Blocks, or returns the result so far for a call that must not block.
    pub(super) fn wait_or_fail(&mut self, blocked: Blocked, nonblocking: bool) -> Outcome {
        if !nonblocking {
            self.blocked = Some(blocked);
            return Outcome::Blocked;
        }
        Outcome::Returned(match blocked {
            Blocked::Connect { .. } => Answer::from_error(symbols::EINPROGRESS),
            _ => Answer::from_error(symbols::EAGAIN),
        })
    }

    /// The value that the call returns, if it ends now.
    pub(super) fn try_complete(
        &mut self,
        now: TimeInUnits,
        blocked: &mut Blocked,
    ) -> Option<Answer> {
        match blocked {
            Blocked::Accept { fd } => {
                let child = self.host.accept(self.descriptors.socket(*fd)?)?;
                let zerocopy = self.error_queues.get(fd).is_some_and(|reports| reports.zerocopy);
                let accepted = self.descriptors.open(child, false);
                if zerocopy {
                    self.error_queues.entry(accepted).or_default().zerocopy = true;
                }
                Some(Answer::from_result(accepted))
            }
            Blocked::Connect { fd } => {
                let file = self.descriptors.get(*fd)?;
                match self.host.connection(file.id)?.state() {
                    State::SynSent | State::SynReceived => None,
                    State::Closed => Some(self.error_queue_result(*fd, file).unwrap_or_default()),
                    _ => Some(Answer::from_result(0)),
                }
            }
            Blocked::Receive { fd, room, waits_for, how } => {
                self.receive_result(now, *fd, (*room, *waits_for), *how)
            }
            Blocked::Send { fd, before, bytes, flags, begun, zerocopy } => {
                let (fd, before, zerocopy) = (*fd, *before, *zerocopy);
                let file = self.descriptors.get(fd)?;
                let connection = self.host.connection(file.id)?;
                if !connection.state().can_send() {
                    if matches!(connection.state(), State::SynSent | State::SynReceived) {
                        return None;
                    }
                    let failed = self.error_queue_result(fd, file);
                    return Some(failed.unwrap_or_else(|| Answer::from_error(symbols::EPIPE)));
                }
                if *begun {
                    let done = connection.sender().unsent_or_unacked() == 0;
                    return done.then(|| self.send_result(fd, before + *bytes, zerocopy));
                }
                *begun = true;
                let (bytes, flags) = (*bytes, *flags);
                let taken =
                    self.host.with_connection(now, file.id, |c| c.write(now, bytes, flags))?;
                let done = taken == bytes || (!flags.blocking && taken > 0);
                done.then(|| self.send_result(fd, before + taken, zerocopy))
            }
            Blocked::Poll { watched, until } => {
                let happened: Vec<i64> = watched
                    .iter()
                    .map(|watched_descriptor| {
                        self.poll_events(watched_descriptor.fd, watched_descriptor.events)
                    })
                    .collect();
                let count = happened.iter().filter(|events| **events != 0).count();
                if count == 0 && now.instant < *until {
                    return None;
                }
                let output = Value::List(happened.into_iter().map(Value::Int).collect());
                Some(Answer { output, ..Answer::from_result(count as i64) })
            }
            Blocked::Epoll { epoll, most, until } => {
                let (epoll, most, until) = (*epoll, *most, *until);
                let happened = self.epoll_ready(epoll, most);
                if happened.is_empty() && now.instant < until {
                    return None;
                }
                let count = happened.len() as i64;
                Some(Answer { output: Value::List(happened), ..Answer::from_result(count) })
            }
        }
    }

    /// Notes that a call has written `bytes` bytes; returns its answer.
    fn send_result(&mut self, fd: i64, bytes: u64, zerocopy: bool) -> Answer {
        let connection = self.descriptors.socket(fd).and_then(|id| self.host.connection(id));
        if let (Some(connection), Some(reports)) = (connection, self.error_queues.get_mut(&fd)) {
            reports.on_write(connection.sender().write_seq(), zerocopy);
        }
        Answer::from_result(bytes as i64)
    }

    fn receive_result(
        &mut self,
        now: TimeInUnits,
        fd: i64,
        (room, waits_for): (u64, u64),
        how: ReceiveMode,
    ) -> Option<Answer> {
        let file = self.descriptors.get(fd)?;
        let connection = self.host.connection(file.id)?;
        let receiver = connection.receiver();
        let (unread, over) = (receiver.unread(), receiver.fin() || file.read_closed);
        let closed = connection.state() == State::Closed;
        if unread == 0 || (unread < waits_for && !over && !closed) {
            if closed && unread == 0 {
                return Some(self.error_queue_result(fd, file).unwrap_or_default());
            }
            return over.then(|| Answer::from_result(0));
        }
        if how.null && room > 0 {
            return Some(Answer::from_error(symbols::EFAULT));
        }
        let read = match how.is_peek {
            true => unread.min(room),
            false => self.host.with_connection(now, file.id, |c| c.read(now, room))?,
        };
        let answer = Answer::from_result(read as i64);
        Some(if how.is_recvmsg {
            Answer { output: self.control_messages_of(file), ..answer }
        } else {
            answer
        })
    }

    /// The output that `recvmsg` returns besides data.
    fn control_messages_of(&self, file: SocketFile) -> Value {
        let receiver = self.host.connection(file.id).map(Connection::receiver);
        let left = receiver.map_or(0, |receiver| receiver.unread() + u64::from(receiver.fin()));
        let unread = reports::control_message(
            symbols::SOL_TCP,
            symbols::TCP_CM_INQ,
            Value::Int(left as i64),
        );
        reports::message(0, if file.returns_inq { vec![unread] } else { vec![] })
    }

    /// The error with which a connection has ended; only one call reports it.
    fn error_queue_result(&mut self, fd: i64, file: SocketFile) -> Option<Answer> {
        let ended = self.host.connection(file.id).and_then(Connection::end_reason)?;
        let file = self.descriptors.get_mut(fd)?;
        if file.reports_inq {
            return None;
        }
        file.reports_inq = true;
        Some(Answer::from_error(error(ended)))
    }

    /// The events that `poll` reports of a descriptor; a socket without space will report when it
    /// has some.
    pub(super) fn poll_events(&mut self, fd: i64, events: i64) -> i64 {
        if let Some(file) = self.descriptors.get(fd)
            && let Some(connection) = self.host.connection_mut(file.id)
            && connection.state().can_send()
            && !connection.writable()
        {
            connection.request_space();
        }
        self.ready_events(fd, events)
    }

    fn ready_events(&self, fd: i64, asked: i64) -> i64 {
        use symbols::{POLLERR, POLLHUP, POLLIN, POLLNVAL, POLLOUT, POLLRDHUP};
        let Some(file) = self.descriptors.get(fd) else { return POLLNVAL };
        let has_reports = self.error_queues.get(&fd).is_some_and(|reports| !reports.is_empty());
        let always = POLLERR | POLLHUP;
        let events = match self.host.connection(file.id) {
            None if self.host.has_acceptable(file.id) => POLLIN,
            None if self.host.is_listening(file.id) => 0,
            None if file.connect_deferred => POLLOUT,
            None => POLLOUT | POLLHUP,
            Some(connection) => {
                let state = connection.state();
                let fin = connection.receiver().fin();
                let closed = state == State::Closed;
                let sent_fin = !state.can_send() && !matches!(state, State::SynSent);
                let readable =
                    connection.receiver().unread() >= file.low_water_mark || fin || closed;
                let writable = connection.writable() || closed;
                let bits = [
                    (readable, POLLIN | symbols::POLLRDNORM),
                    (writable, POLLOUT | symbols::POLLWRNORM),
                    (fin || closed, POLLRDHUP),
                    (closed || (fin && sent_fin), POLLHUP),
                    (
                        has_reports || (connection.end_reason().is_some() && !file.reports_inq),
                        POLLERR,
                    ),
                ];
                bits.iter().filter(|(set, _)| *set).fold(0, |all, (_, bit)| all | bit)
            }
        };
        events & (asked | always)
    }

    /// The time at which a call ends that waits for these milliseconds; never if they are negative.
    pub(super) fn deadline(now: TimeInUnits, milliseconds: i64) -> Instant {
        if milliseconds < 0 {
            return Instant::NEVER;
        }
        now.instant + Span::from_nanos(milliseconds.min(1 << 40) * 1_000_000)
    }
}

/// The error number of Linux.
pub(super) fn error(ended: EndReason) -> i64 {
    match ended {
        EndReason::Reset => symbols::ECONNRESET,
        EndReason::Refused => symbols::ECONNREFUSED,
        EndReason::TimedOut => symbols::ETIMEDOUT,
        EndReason::Broken => symbols::EPIPE,
    }
}
