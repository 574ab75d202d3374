//! Calls that open a connection with data in the SYN [RFC 7413].

use super::Linux;
use super::blocked::Blocked;
use super::packets::REMOTE;
use crate::call::Buffers;
use crate::host::{Answer, Outcome};
use crate::symbols as s;
use airtcp_linux::TimeInUnits;
use airtcp_linux::connection::State;
use airtcp_linux::sender::WriteFlags;

impl Linux {
    /// `connect` of a socket with `TCP_FASTOPEN_CONNECT`: if the SYN can carry data, it waits for them.
    pub(super) fn defer_connect(&mut self, now: TimeInUnits, fd: i64) -> Option<Outcome> {
        let file = self.descriptors.get_mut(fd)?;
        let id = file.id;
        if !file.fast_open_connect || file.connect_deferred || !self.host.is_fast_open_client() {
            return None;
        }
        if self.host.may_carry_data(id, REMOTE) {
            self.descriptors.get_mut(fd)?.connect_deferred = true;
            return Some(Outcome::Returned(Answer::from_result(0)));
        }
        if self.host.connect_fast(now, id, (REMOTE, self.ports.1), 0).is_none() {
            return Some(Outcome::Returned(Answer::from_error(s::EADDRNOTAVAIL)));
        }
        Some(self.wait(now, Blocked::Connect { fd }))
    }

    /// True if a call that sends begins a connection.
    pub(super) fn begins_fast_open(&self, fd: i64, flags: i64) -> bool {
        self.descriptors.get(fd).is_some_and(|file| {
            let new = self.host.connection(file.id).is_none_or(|c| c.state() == State::SynSent);
            new && (file.connect_deferred || flags & s::MSG_FASTOPEN != 0)
                && !self.host.is_listening(file.id)
        })
    }

    /// Makes a call that sends, and begins a connection with its data.
    pub(super) fn send_first(
        &mut self,
        now: TimeInUnits,
        fd: i64,
        buffers: &Buffers,
        flags: i64,
        family: Option<i64>,
    ) -> Outcome {
        let fail = |error: i64| Outcome::Returned(Answer::from_error(error));
        let Some(file) = self.descriptors.get(fd) else { return fail(s::EBADF) };
        let fast = flags & s::MSG_FASTOPEN != 0;
        let begun = self.host.connection(file.id).is_some();
        if !self.host.is_fast_open_client() || (fast && family == Some(s::AF_UNSPEC)) {
            return fail(s::EOPNOTSUPP);
        }
        if begun && fast {
            return fail(s::EALREADY);
        }
        if buffers.is_null {
            return fail(s::EFAULT);
        }
        if let Some(file) = self.descriptors.get_mut(fd) {
            file.connect_deferred = false;
        }
        let bytes = buffers.total();
        let to = (REMOTE, self.ports.1);
        let Some(taken) = self.host.connect_fast(now, file.id, to, bytes) else {
            return fail(s::EADDRNOTAVAIL);
        };
        let nonblocking = file.nonblocking || flags & s::MSG_DONTWAIT != 0;
        if nonblocking {
            return match taken {
                0 => fail(s::EINPROGRESS),
                _ => Outcome::Returned(Answer::from_result(taken as i64)),
            };
        }
        if let (true, Some(connection)) = (bytes > taken, self.host.connection_mut(file.id)) {
            connection.expect_more();
        }
        let how = WriteFlags { blocking: true, ..WriteFlags::default() };
        let (rest, zerocopy) = (bytes - taken, false);
        let blocked =
            Blocked::Send { fd, before: taken, bytes: rest, flags: how, begun: false, zerocopy };
        self.wait(now, blocked)
    }
}
