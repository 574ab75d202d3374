//! Socket calls.

use super::Linux;
use super::blocked::{Blocked, ReceiveMode};
use super::packets::REMOTE;
use crate::call::{Buffers, Call};
use crate::host::{Answer, Outcome};
use crate::symbols;
use crate::value::Value;
use airtcp_linux::TimeInUnits;
use airtcp_linux::connection::State;
use airtcp_linux::sender::WriteFlags;

/// Pieces of uncopied memory that one buffer holds.
const MAX_PIECES: usize = 17;

impl Linux {
    pub(super) fn execute_call(&mut self, now: TimeInUnits, call: &Call) -> Outcome {
        match call {
            Call::Accept { fd } => {
                if !self.descriptors.socket(*fd).is_some_and(|id| self.host.is_listening(id)) {
                    return Outcome::Returned(Answer::from_error(symbols::EINVAL));
                }
                self.wait(now, Blocked::Accept { fd: *fd })
            }
            Call::Connect { fd, family } => self.connect(now, *fd, *family),
            Call::Receive { fd, buffers, flags, message } => {
                self.receive_call(now, *fd, buffers, *flags, *message)
            }
            Call::SendFile { to, from, length, .. } => {
                if !self.descriptors.is_dev_zero(*from) {
                    return Outcome::Returned(Answer::from_error(symbols::EBADF));
                }
                let lengths = vec![u64::try_from(*length).unwrap_or(0)];
                self.send(now, *to, &Buffers { lengths, is_null: false }, 0)
            }
            Call::EpollWait { epoll, most, timeout } => {
                let until = Linux::deadline(now, *timeout);
                self.wait(now, Blocked::Epoll { epoll: *epoll, most: *most, until })
            }
            Call::Send { fd, buffers, flags, family, .. } if self.begins_fast_open(*fd, *flags) => {
                self.send_first(now, *fd, buffers, *flags, *family)
            }
            Call::Send { fd, buffers, flags, .. } => self.send(now, *fd, buffers, *flags),
            Call::Poll { watched, timeout } => {
                let until = Linux::deadline(now, *timeout);
                self.wait(now, Blocked::Poll { watched: watched.clone(), until })
            }
            _ => Outcome::Returned(self.execute_immediate(now, call)),
        }
    }

    /// A call that never waits.
    fn execute_immediate(&mut self, now: TimeInUnits, call: &Call) -> Answer {
        match call {
            Call::Socket { kind, .. } => {
                let id = self.host.open_socket();
                Answer::from_result(self.descriptors.open(id, kind & symbols::SOCK_NONBLOCK != 0))
            }
            Call::Bind { fd } => self.with_socket(*fd, |linux, id| {
                linux.host.bind(id, linux.ports.0);
                Answer::from_result(0)
            }),
            Call::Listen { fd, backlog } => self.with_socket(*fd, |linux, id| {
                linux.host.listen(id, (*backlog).clamp(0, 4096) as usize);
                Answer::from_result(0)
            }),
            Call::Close { fd } => self.close(now, *fd),
            Call::EpollCreate => Answer::from_result(self.descriptors.open_epoll()),
            Call::EpollControl { epoll, operation, fd, events, data } => {
                self.epoll_control(*epoll, *operation, *fd, (*events, data.clone()))
            }
            Call::Open { .. } => Answer::from_result(self.descriptors.open_dev_zero()),
            Call::Shutdown { fd, how } => self.shutdown(now, *fd, *how),
            Call::SetOption { fd, level, name, value, .. } => self.with_socket(*fd, |linux, id| {
                linux.set_option(now, *fd, id, (*level, *name), value)
            }),
            Call::GetOption { fd, level, name, .. } => {
                self.with_socket(*fd, |linux, id| linux.get_option(now, *fd, id, (*level, *name)))
            }
            Call::Fcntl { fd, command, argument } => self.fcntl(*fd, *command, *argument),
            Call::Ioctl { fd, request, argument } => self.ioctl(now, *fd, *request, argument),
            _ => Answer::from_error(symbols::ENOSYS),
        }
    }

    fn with_socket(&mut self, fd: i64, act: impl FnOnce(&mut Self, usize) -> Answer) -> Answer {
        match self.descriptors.socket(fd) {
            Some(id) => act(self, id),
            None => Answer::from_error(symbols::EBADF),
        }
    }

    fn close(&mut self, now: TimeInUnits, fd: i64) -> Answer {
        let Some(socket) = self.descriptors.close(fd) else {
            return Answer::from_error(symbols::EBADF);
        };
        self.observed.remove(&fd);
        self.error_queues.remove(&fd);
        if let Some(id) = socket {
            self.host.close(now, id);
        }
        Answer::from_result(0)
    }

    fn receive_call(
        &mut self,
        now: TimeInUnits,
        fd: i64,
        buffers: &Buffers,
        flags: i64,
        message: bool,
    ) -> Outcome {
        if flags & symbols::MSG_ERRQUEUE != 0 {
            let answer = self.error_queues.get_mut(&fd).map(super::reports::ErrorQueue::read);
            return Outcome::Returned(
                answer.unwrap_or_else(|| Answer::from_error(symbols::EAGAIN)),
            );
        }
        let room = buffers.total();
        let least = self.descriptors.get(fd).map_or(1, |file| file.low_water_mark).min(room).max(1);
        let waits_for = if flags & symbols::MSG_WAITALL != 0 { room } else { least };
        let how = ReceiveMode {
            null: buffers.is_null,
            is_peek: flags & symbols::MSG_PEEK != 0,
            is_recvmsg: message,
        };
        self.transfer(now, fd, Blocked::Receive { fd, room, waits_for, how }, flags)
    }

    fn connect(&mut self, now: TimeInUnits, fd: i64, family: Option<i64>) -> Outcome {
        let Some(id) = self.descriptors.socket(fd) else {
            return Outcome::Returned(Answer::from_error(symbols::EBADF));
        };
        if family == Some(symbols::AF_UNSPEC) {
            self.host.disconnect(now, id);
            return Outcome::Returned(Answer::from_result(0));
        }
        if self.host.connection(id).is_none()
            && let Some(outcome) = self.defer_connect(now, fd)
        {
            return outcome;
        }
        match self.host.connection(id).map(|connection| connection.state()) {
            None if !self.host.connect(now, id, REMOTE, self.ports.1) => {
                return Outcome::Returned(Answer::from_error(symbols::EADDRNOTAVAIL));
            }
            None => {}
            Some(State::SynSent | State::SynReceived) => {
                return Outcome::Returned(Answer::from_error(symbols::EALREADY));
            }
            Some(State::Closed) => {}
            Some(_) => return Outcome::Returned(Answer::from_error(symbols::EISCONN)),
        }
        self.wait(now, Blocked::Connect { fd })
    }

    /// A call that moves data; a flag may forbid it to block.
    fn transfer(&mut self, now: TimeInUnits, fd: i64, mut blocked: Blocked, flags: i64) -> Outcome {
        let Some(id) = self.descriptors.socket(fd) else {
            return Outcome::Returned(Answer::from_error(symbols::EBADF));
        };
        if self.host.connection(id).is_none() {
            if self.descriptors.get(fd).is_some_and(|file| file.connect_deferred) {
                return Outcome::Returned(Answer::from_error(symbols::EAGAIN));
            }
            let sends = matches!(blocked, Blocked::Send { .. });
            let error = if sends { symbols::EPIPE } else { symbols::ENOTCONN };
            return Outcome::Returned(Answer::from_error(error));
        }
        if flags & symbols::MSG_DONTWAIT == 0 {
            return self.wait(now, blocked);
        }
        match self.try_complete(now, &mut blocked) {
            Some(answer) => Outcome::Returned(answer),
            None => self.wait_or_fail(blocked, true),
        }
    }

    fn send(&mut self, now: TimeInUnits, fd: i64, buffers: &Buffers, flags: i64) -> Outcome {
        if buffers.is_null {
            return Outcome::Returned(Answer::from_error(symbols::EFAULT));
        }
        let nonblocking = self.descriptors.get(fd).is_some_and(|file| file.nonblocking);
        let how = WriteFlags {
            more_follows: flags & symbols::MSG_MORE != 0,
            eor: flags & symbols::MSG_EOR != 0,
            seal_buffer: false,
            blocking: !nonblocking && flags & symbols::MSG_DONTWAIT == 0,
        };
        let mut before = 0;
        let zerocopy = flags & symbols::MSG_ZEROCOPY != 0
            && self.error_queues.get(&fd).is_some_and(|reports| reports.zerocopy);
        if buffers.total() == 0 {
            return Outcome::Returned(Answer::from_result(0));
        }
        if zerocopy {
            before = self.send_pieces(now, fd, buffers);
        }
        let bytes = buffers.total() - before;
        let blocked = Blocked::Send { fd, before, bytes, flags: how, begun: false, zerocopy };
        self.transfer(now, fd, blocked, flags)
    }

    /// Writes all but the last buffer's pieces, and returns their length in bytes: memory that is
    /// not copied fills a buffer after some pieces.
    fn send_pieces(&mut self, now: TimeInUnits, fd: i64, buffers: &Buffers) -> u64 {
        let Some(id) = self.descriptors.socket(fd) else { return 0 };
        let pieces: Vec<u64> = buffers.lengths.iter().copied().filter(|len| *len > 0).collect();
        let last = pieces.len().saturating_sub(1) / MAX_PIECES;
        let how = WriteFlags { more_follows: true, seal_buffer: true, ..WriteFlags::default() };
        let full = pieces.chunks(MAX_PIECES).take(last).map(|chunk| chunk.iter().sum());
        full.map(|bytes| {
            self.host.with_connection(now, id, |c| c.write(now, bytes, how)).unwrap_or(0)
        })
        .sum()
    }

    fn shutdown(&mut self, now: TimeInUnits, fd: i64, how: i64) -> Answer {
        let Some(id) = self.descriptors.socket(fd) else {
            return Answer::from_error(symbols::EBADF);
        };
        if !(symbols::SHUT_RD..=symbols::SHUT_RDWR).contains(&how) {
            return Answer::from_error(symbols::EINVAL);
        }
        let connected = self.host.connection(id).is_some_and(|c| c.state() != State::Closed);
        if !connected {
            return Answer::from_error(symbols::ENOTCONN);
        }
        if let (true, Some(file)) = (how != symbols::SHUT_WR, self.descriptors.get_mut(fd)) {
            file.read_closed = true;
        }
        if how != symbols::SHUT_RD {
            self.host.with_connection(now, id, |connection| connection.shutdown(now));
        }
        Answer::from_result(0)
    }

    fn fcntl(&mut self, fd: i64, command: i64, argument: Option<i64>) -> Answer {
        let Some(file) = self.descriptors.get_mut(fd) else {
            return Answer::from_error(symbols::EBADF);
        };
        match command {
            symbols::F_SETFL => {
                file.nonblocking = argument.unwrap_or(0) & symbols::O_NONBLOCK != 0;
                Answer::from_result(0)
            }
            symbols::F_GETFL => {
                let blocking = symbols::O_RDWR;
                let set = if file.nonblocking { symbols::O_NONBLOCK } else { 0 };
                Answer::from_result(blocking | set)
            }
            _ => Answer::from_result(0),
        }
    }

    fn ioctl(&mut self, now: TimeInUnits, fd: i64, request: i64, argument: &Value) -> Answer {
        let Some(file) = self.descriptors.get_mut(fd) else {
            return Answer::from_error(symbols::EBADF);
        };
        if request == symbols::FIONBIO {
            file.nonblocking = argument.only_int().unwrap_or(0) != 0;
            return Answer::from_result(0);
        }
        let id = file.id;
        let Some(connection) = self.host.connection(id) else {
            return Answer::from_error(symbols::EINVAL);
        };
        let unsent = connection.tcp_info_field(now, "tcpi_notsent_bytes").unwrap_or(0) as i64;
        let number = match request {
            symbols::FIONREAD => connection.receiver().unread() as i64,
            symbols::SIOCOUTQNSD => unsent,
            _ => unsent + (connection.sender().nxt() - connection.sender().una()) as i64,
        };
        Answer { output: Value::List(vec![Value::Int(number)]), ..Answer::from_result(0) }
    }
}
